import { defineScenario, exhaustQuota, steady, together } from 'tryon';

/**
 * Is the service ready to launch? Under the limit nothing may be rejected. Past it the limit must hold, and recover
 * afterwards. The session quota must be exact; analytics must agree with the shoppers' events.
 */
export default defineScenario({
  name: 'launch',
  title: 'Before a launch: limits, quota, analytics and latency in one run',
  catalog: { products: 12 },
  load: [
    steady('900/min', '60s', { name: 'under the limit' }),
    together(
      [
        // Requests at the same instant: a limiter that counts after its decision lets them pass together.
        steady('1500/min', '60s', { name: 'over the limit', atOnce: 4 }),
        // A token bucket with a minute's burst may not have refused anything yet: this exhausts even that one.
        steady('4000/min', '15s', { name: 'far over the limit', atOnce: 8 }),
      ],
      steady('60/min', '75s', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
    ),
    steady('40/min', '45s', { name: 'recovery' }),
    // Only now: where all keys share one limit, the overload would have refused these as well.
    exhaustQuota({ rate: '900/min', beyond: 40, race: 40 }),
  ],
  crossed: true,
  exploreBeside: 150,
  settle: { readBack: 100 },
  slo: [
    { endpoint: 'create-session', percentile: 99, under: '500ms', phase: 'under the limit' },
    // Where interactions spend the limit, lists are too few for a 99th percentile.
    { endpoint: 'list-shades', percentile: 95, under: '300ms', phase: 'under the limit' },
    { endpoint: '*', percentile: 99, under: '1s' },
  ],
  checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
});
