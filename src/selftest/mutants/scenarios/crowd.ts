import { defineScenario, studyLimits } from 'tryon';

/** The rate limiter, studied while more keys are in use than it remembers. */
export default defineScenario({
  name: 'selftest-crowd',
  title: 'The rate limiter, studied while 1,200 other keys are in use',
  catalog: { products: 1 },
  study: [studyLimits({ budget: '60s', otherKeys: '85/s' })],
  settle: { readBack: 0 },
  checks: ['contract', 'rate-limit'],
});
