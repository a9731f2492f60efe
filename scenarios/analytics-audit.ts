import { auditAnalytics, defineScenario } from 'tryon';

/**
 * Analytics of any deployment, by relations between its answers. One session is opened, to see it arrive in every
 * number; two before it in an account with at most three, and one if the profile does not say how shoppers send events.
 * With `canary: false` nothing is written.
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
