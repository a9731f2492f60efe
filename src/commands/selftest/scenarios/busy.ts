import { defineScenario, steady } from 'tryon';

/** As many requests as the service's own limit of 1,000 a minute allows, and shoppers who would notice having to wait. */
export default defineScenario({
  name: 'selftest-busy',
  title: 'Nearly as many requests as the limit allows, for 20 seconds',
  catalog: { products: 1 },
  load: [steady('930/min', '20s', { name: 'busy', traffic: 'sessions' })],
  settle: { readBack: 0 },
  slo: [{ endpoint: '*', percentile: 99.5, under: '1500ms' }],
  checks: ['contract', 'rate-limit', 'latency'],
});
