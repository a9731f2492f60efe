import { defineScenario, studyCapacity } from 'tryon';

/** A short search for the knee of a slow target. */
export default defineScenario({
  name: 'knee',
  title: 'The knee of four workers of 20 ms each',
  catalog: { products: 1 },
  study: [
    studyCapacity({
      percentile: 90,
      under: '60ms',
      errors: 0.05,
      from: '50/s',
      most: '800/s',
      connections: 32,
      factor: 3,
      each: '1s',
      repeats: 24,
      traffic: 'reads',
      budget: '60s',
    }),
  ],
  settle: { readBack: 0 },
  probes: false,
  checks: ['capacity'],
});
