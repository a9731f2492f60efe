import { auditAnalytics, defineScenario, steady } from 'tryon';

/** Three seconds of shoppers, and an audit of what analytics make of them. */
export default defineScenario({
  name: 'audited',
  title: 'Three seconds of shoppers, audited',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02 },
  load: [steady('20/s', '3s', { name: 'shoppers' })],
  study: [auditAnalytics({ days: 3, budget: '1m' })],
  settle: { readBack: 0 },
  probes: false,
  checks: ['analytics'],
});
