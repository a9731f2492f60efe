import { defineScenario, studyQuota } from 'tryon';

/**
 * The session quota alone: found session by session, then spent to the last one with two hundred racing for it, and refused
 * from then on. Costs the quota key its whole plan, and that of the twin key if it has another account.
 */
export default defineScenario({
  name: 'quota',
  title:
    'The session quota: its size, one by one and in a race; 402 when it is spent, and reads that still work',
  catalog: { products: 2 },
  study: [studyQuota({ cap: 500, race: 200 })],
  settle: { readBack: 0 },
  checks: ['contract', 'quota'],
});
