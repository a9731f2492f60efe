import { defineScenario, steady } from 'tryon';

/** Three seconds of shoppers, for targets that make every second of it hard. */
export default defineScenario({
  name: 'shopping',
  title: 'Three seconds of shoppers',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02 },
  load: [steady('20/s', '3s', { name: 'shoppers' })],
  explore: 150,
  settle: { readBack: 5 },
  checks: ['contract', 'analytics', 'latency'],
});
