import { defineScenario, steady } from 'tryon';

/** A thousand shoppers' requests in a third of a minute: enough of them to show which are slow. */
export default defineScenario({
  name: 'regular',
  title: 'A thousand requests in 20 seconds, and which of them are slow',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02, shadesTried: { median: 2, mean: 3 } },
  load: [steady('60/s', '18s', { name: 'steady' })],
  explore: 150,
  settle: { readBack: 5 },
  slo: [{ endpoint: '*', percentile: 95, under: '1s' }],
  checks: ['contract', 'latency'],
});
