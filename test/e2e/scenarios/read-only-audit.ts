import { auditAnalytics, defineScenario } from 'tryon';

/** An audit that writes nothing. */
export default defineScenario({
  name: 'read-only-audit',
  title: 'An audit that writes nothing',
  catalog: { products: 1 },
  study: [auditAnalytics({ days: 2, canary: false })],
  settle: { readBack: 0 },
  checks: ['analytics'],
});
