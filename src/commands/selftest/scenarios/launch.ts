import { defineScenario, exhaustQuota, idle, steady, together } from 'tryon';

/** `launch` for a limit of 100 requests in 6 s: every group is judged, each where an honest service comes close to failing it. */
export default defineScenario({
  name: 'selftest-launch',
  title: 'Before a launch: limits, quota, analytics and latency, for a limit of 100 requests in 6 s',
  catalog: { products: 2 },
  shoppers: { thinkTime: 0.02, shadesTried: { median: 2, mean: 3 } },
  load: [
    // What set-up has asked is a large part of a limit of 100: its window has to pass.
    idle('6s', { name: 'nothing yet' }),
    steady('90/6s', '6s', { name: 'under the limit' }),
    together(
      [
        steady('150/6s', '6s', { name: 'over the limit', atOnce: 4 }),
        steady('400/6s', '1500ms', { name: 'far over the limit', atOnce: 8 }),
      ],
      // Several, so that a limiter which remembers few keys forgets the one that is at its limit.
      steady('8/6s', '7500ms', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
      steady('8/6s', '7500ms', { name: 'another', as: 'quota', traffic: 'reads' }),
      steady('8/6s', '7500ms', { name: 'one more', as: 'twin', traffic: 'reads' }),
    ),
    together(steady('8/6s', '7s', { name: 'recovery' }), exhaustQuota({ rate: '8/s', beyond: 10, race: 10 })),
  ],
  settle: { readBack: 15 },
  slo: [{ endpoint: '*', percentile: 99, under: '2s' }],
  explore: 250,
  checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
});
