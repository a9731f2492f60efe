import { auditAnalytics, defineScenario } from 'tryon';

/** The contract probes, and an audit of what analytics make of them. */
export default defineScenario({
  name: 'probed-audit',
  title: 'Contract probes, audited',
  catalog: { products: 2 },
  study: [auditAnalytics({ days: 3, budget: '1m' })],
  explore: 150,
  settle: { readBack: 0 },
  checks: ['contract', 'analytics'],
});
