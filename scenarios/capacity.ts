import { defineScenario, studyCapacity } from 'tryon';

/**
 * What load breaks the latency promise? Random arrivals, faster and faster, then more and more connections in a
 * closed loop; on a pool of keys, so that no limit interferes.
 */
export default defineScenario({
  name: 'capacity',
  title: 'The highest rate and the most connections that keep p95 under 100 ms',
  catalog: { products: 4 },
  study: [
    studyCapacity({
      percentile: 95,
      under: '100ms',
      from: '100/s',
      most: '20000/s',
      connections: 2048,
      each: '2s',
      budget: '150s',
    }),
  ],
  settle: { readBack: 0 },
  checks: ['contract', 'capacity'],
});
