import { defineScenario, studyQuota } from 'tryon';

/** The session quota alone, studied: its edge, a race for it, and whether 402 or 429 comes first. */
export default defineScenario({
  name: 'selftest-quota',
  title: 'The session quota, studied',
  catalog: { products: 1 },
  study: [studyQuota({ race: 30 })],
  settle: { readBack: 0 },
  checks: ['quota'],
});
