import { defineScenario, exhaustQuota, idle, steady, together } from 'tryon';

/** `launch` for a limit of 60 requests in 2 s: the same structure, every rate and time scaled alike. */
export default defineScenario({
  name: 'launch-scaled',
  title: 'The whole question before a launch, for a limit of 60 requests in 2 s (about 15 seconds)',
  catalog: { products: 3 },
  // Few events per session: the limit is what is scaled, and events do not spend it.
  shoppers: { thinkTime: 0.02, shadesTried: { median: 2, mean: 3 } },
  load: [
    // What set-up has asked is a small part of a limit of 1,000, but not of one of 60: its window has to pass.
    idle('2s', { name: 'nothing yet' }),
    steady('54/2s', '2s', { name: 'under the limit' }),
    together(
      [
        steady('90/2s', '2s', { name: 'over the limit' }),
        steady('240/2s', '1s', { name: 'far over the limit' }),
      ],
      steady('6/2s', '3s', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
    ),
    together(steady('8/2s', '4s', { name: 'recovery' }), exhaustQuota({ rate: '12/s', beyond: 12 })),
  ],
  explore: 150,
  settle: { readBack: 15 },
  // The machine of a test may be busy: only a target that hangs is slow.
  slo: [{ endpoint: '*', percentile: 99, under: '60s' }],
  checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
});
