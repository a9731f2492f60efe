import { defineScenario, steady } from 'tryon';

/** Four seconds of shoppers, for targets that make every second of it hard. */
export default defineScenario({
  name: 'shopping',
  title: 'Four seconds of shoppers',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02 },
  load: [steady('20/s', '4s', { name: 'shoppers' })],
  settle: { readBack: 5 },
  checks: ['contract', 'analytics', 'latency'],
});
