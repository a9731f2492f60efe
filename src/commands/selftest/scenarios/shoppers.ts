import { defineScenario, steady } from 'tryon';

/** Set-up, a few seconds of shoppers, and every number compared with them: no limit is reached. */
export default defineScenario({
  name: 'selftest-shoppers',
  title: 'Shoppers for five seconds',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.05 },
  load: [steady('15/s', '5s', { name: 'shoppers' })],
  settle: { readBack: 20 },
  slo: [{ endpoint: '*', percentile: 99, under: '1s' }],
  checks: ['contract', 'rate-limit', 'analytics', 'latency'],
});
