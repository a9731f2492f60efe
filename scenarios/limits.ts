import { defineScenario, studyLimits, studyQuota } from 'tryon';

/** How the target limits, found out rather than believed: the session quota to its edge, then the rate limiter. */
export default defineScenario({
  name: 'limits',
  title: 'The rate limiter (its kind, limit, window and scope) and the session quota',
  catalog: { products: 2 },
  study: [studyQuota({ race: 100 }), studyLimits({ budget: '12m' })],
  settle: { readBack: 0 },
  checks: ['contract', 'rate-limit', 'quota'],
});
