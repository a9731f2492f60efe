import { auditAnalytics, defineScenario } from 'tryon';

/** Analytics alone, checked for consistency and with one session. */
export default defineScenario({
  name: 'selftest-audit',
  title: 'Analytics, audited with one session',
  catalog: { products: 1 },
  study: [auditAnalytics({ days: 3, budget: '20s' })],
  settle: { readBack: 0 },
  probes: false,
  checks: ['analytics'],
});
