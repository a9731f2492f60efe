import { defineScenario, idle, steady } from 'tryon';

/** A short run with a small folder, for a limit of 100 requests in 6 s. `reports/sample-short` is one. */
export default defineScenario({
  name: 'short',
  title: 'A short look at the rate limit, analytics and latency, for a limit of 100 requests in 6 s',
  catalog: { products: 1 },
  shoppers: { thinkTime: 0.02, shadesTried: { median: 2, mean: 3 } },
  load: [
    // The requests of the set-up count, too: their window has to pass.
    idle('6s', { name: 'after the set-up' }),
    steady('80/6s', '6s', { name: 'under the limit' }),
    steady('200/6s', '3s', { name: 'over the limit', traffic: 'reads' }),
    idle('3s', { name: 'a pause' }),
    steady('40/6s', '4s', { name: 'recovery' }),
  ],
  settle: { readBack: 5 },
  slo: [{ endpoint: '*', percentile: 99, under: '2s' }],
  // The contract is left out: the answers of the explorer would be most of the folder.
  explore: 0,
  checks: ['rate-limit', 'analytics', 'latency'],
});
