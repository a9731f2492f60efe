import { defineScenario, saturate } from 'tryon';

/**
 * How many connections at once before the promise breaks? A closed loop on a pool of keys, so that no limit is in the
 * way; needs a target that has such keys, as the embedded service does.
 */
export default defineScenario({
  name: 'capacity',
  title: 'The most concurrent connections that keep p99 under 50 ms (about a minute)',
  catalog: { products: 4 },
  load: [
    saturate({ name: 'more and more', connections: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], each: '5s' }),
  ],
  settle: { readBack: 0 },
  slo: [{ endpoint: '*', percentile: 99, under: '50ms' }],
  checks: ['contract', 'capacity'],
});
