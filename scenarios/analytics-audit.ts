import { auditAnalytics, defineScenario } from 'tryon';

/**
 * Analytics of any deployment, by what its answers have to have to do with each other. One session is opened, to see it
 * arrive in every number, and another before it if the profile does not say how shoppers act; with `canary: false` nothing
 * at all is written.
 */
export default defineScenario({
  name: 'analytics-audit',
  title: 'Analytics do not contradict themselves: periods, products and averages agree',
  catalog: { products: 1 },
  study: [auditAnalytics({ days: 14, budget: '5m' })],
  settle: { readBack: 0 },
  probes: false,
  checks: ['analytics'],
});
