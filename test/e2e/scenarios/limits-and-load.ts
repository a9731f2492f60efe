import { defineScenario, steady, studyLimits } from 'tryon';

/** Load under a limit of 60 requests in 2 s, which several programs can share; then a study of the limiter, by the first of them. */
export default defineScenario({
  name: 'limits-and-load',
  title: 'Load, then the rate limiter, for a limit of 60 requests in 2 s',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02, shadesTried: { median: 2, mean: 3 } },
  load: [steady('20/s', '4s', { name: 'under the limit' })],
  study: [studyLimits({ budget: '40s' })],
  explore: 150,
  settle: { readBack: 3 },
  checks: ['contract', 'rate-limit'],
});
