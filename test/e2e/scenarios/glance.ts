import { defineScenario, steady } from 'tryon';

/** Two seconds of shoppers: for all that is about a run and not about the target. */
export default defineScenario({
  name: 'glance',
  title: 'Two seconds of shoppers',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02 },
  load: [steady('30/s', '2s', { name: 'shoppers' })],
  explore: 150,
  settle: { readBack: 3 },
  checks: ['contract', 'latency'],
});
