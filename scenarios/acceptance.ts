import { auditAnalytics, defineScenario, exhaustQuota, steady, studyLimits, together } from 'tryon';

/**
 * Everything, in one run with one budget: for CI, against staging. Set `--budget 10m`, and `--max-requests` if
 * requests cost. Parts that do not fit are left out from the last on, and their checks are inconclusive.
 */
export default defineScenario({
  name: 'acceptance',
  title: 'Contract, limits, quota, analytics and latency within a budget: --budget 10m has room for all',
  catalog: { products: 12 },
  parts: [
    {
      name: 'shoppers',
      question:
        'Under the limit: does the service keep the interface, are its numbers right, is it fast enough?',
      checks: ['contract', 'analytics', 'latency'],
      load: [steady('600/min', '55s', { name: 'shoppers' })],
    },
    {
      name: 'quota',
      question: 'Is the session quota exact, and do reads still work afterwards?',
      checks: ['quota'],
      load: [exhaustQuota({ rate: '600/min', beyond: 40, race: 40 })],
    },
    {
      name: 'rate-limit',
      question: 'Is the rate limit enforced for each key, and are requests admitted again afterwards?',
      checks: ['rate-limit'],
      load: [
        together(
          [
            steady('1500/min', '60s', { name: 'over the limit', atOnce: 4 }),
            steady('4000/min', '15s', { name: 'far over the limit', atOnce: 8 }),
          ],
          // More than one, so that a limiter which remembers few keys forgets the one that is at its limit.
          steady('60/min', '75s', { name: 'bystander', as: 'bystander', traffic: 'reads' }),
          steady('60/min', '75s', { name: 'reader', as: 'quota', traffic: 'reads' }),
          steady('60/min', '75s', { name: 'another reader', as: 'twin', traffic: 'reads' }),
        ),
        steady('40/min', '45s', { name: 'recovery' }),
      ],
    },
    {
      name: 'audit',
      question: 'Are analytics of two weeks consistent?',
      checks: ['analytics'],
      study: [auditAnalytics({ days: 14, budget: '3m' })],
    },
    {
      name: 'limiter',
      question: 'Which kind of limiter is it, with which scope, and are its headers correct?',
      checks: ['rate-limit'],
      study: [studyLimits({ budget: '6m' })],
      least: '4m',
    },
  ],
  crossed: true,
  explore: 750,
  settle: { readBack: 100 },
  slo: [
    { endpoint: 'create-session', percentile: 99, under: '500ms', phase: 'shoppers' },
    // Where interactions spend the limit, lists are too few for a 99th percentile.
    { endpoint: 'list-shades', percentile: 95, under: '300ms', phase: 'shoppers' },
    { endpoint: '*', percentile: 99, under: '1s', phase: 'shoppers' },
  ],
  checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
});
