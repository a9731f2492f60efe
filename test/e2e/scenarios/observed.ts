import { defineScenario, steady } from 'tryon';

/** A second of shoppers, for what is seen of a run from outside. */
export default defineScenario({
  name: 'observed',
  title: 'A second of shoppers',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02 },
  load: [steady('80/s', '1s', { name: 'shoppers' })],
  explore: 20,
  settle: { readBack: 5 },
  probes: false,
  checks: ['contract', 'latency'],
});
