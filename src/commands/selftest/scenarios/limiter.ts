import { defineScenario, studyLimits } from 'tryon';

/** The rate limiter alone, studied: its kind, limit and window, whose it is, and what its headers say. */
export default defineScenario({
  name: 'selftest-limiter',
  title: 'The rate limiter, studied for a minute',
  catalog: { products: 1 },
  study: [studyLimits({ budget: '60s' })],
  settle: { readBack: 0 },
  checks: ['rate-limit'],
});
