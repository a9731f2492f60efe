import { defineScenario, exhaustQuota, idle, steady, together } from 'tryon';

/**
 * For a limit of 100 requests in 3 s: what is refused does not hang on the time that anything takes. The first phase
 * stays under the limit with all that set-up asks, the burst has a window to itself and is over within it.
 */
export default defineScenario({
  name: 'simulated',
  title: 'Shoppers, too many at once, and a spent quota (about 15 seconds)',
  catalog: { products: 3 },
  shoppers: { thinkTime: 0.02, patienceMedian: '10m' },
  load: [
    together(
      [
        steady('20/s', '3s', { name: 'shoppers' }),
        idle('4s', { name: 'a window passes' }),
        steady('320/s', '500ms', { name: 'too many at once', traffic: 'sessions' }),
      ],
      exhaustQuota({ rate: '10/s', beyond: 12, race: 8 }),
      steady('2/s', '3s', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
    ),
  ],
  settle: { readBack: 0 },
  probes: false,
  checks: ['contract', 'analytics'],
});
