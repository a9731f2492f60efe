import { counted, listed, milliseconds, number } from '../../../amounts.ts';
import { kind } from '../kind.ts';

const figures = [
  'analytics.total-sessions',
  'analytics.avg-shades',
  'analytics.cart-intent',
  'analytics.top-shades',
] as const;
const relations = ['analytics.additivity', 'analytics.product-filter', 'analytics.stable'] as const;
const audits = [
  'analytics.audit-adjacent-periods',
  'analytics.audit-averages',
  'analytics.audit-product-filter',
  'analytics.audit-products',
  'analytics.audit-session',
  'analytics.audit-top-shades',
  'analytics.audit-widening',
] as const;

/** Causes in what analytics report. */
export const analyticsCauses = {
  'analytics-pool-accounts': kind<{ readonly accounts: readonly string[] }>({
    area: 'analytics',
    text: ({ accounts }) => `Analytics count the sessions of other accounts too: ${listed(accounts)}.`,
    example: { accounts: ['load', 'bystander'] },
    behind: 'An aggregate query without a filter on the account. This is a leak across tenants.',
    explains: [...figures, ...relations, 'analytics.conventions'],
    covers: ['sessions-counted-wrong', 'selections-counted-wrong'],
  }),
  'product-filter-ignored': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) => `product_id is not applied to ${listed(fields)}.`,
    example: { fields: ['top_shades'] },
    behind: 'A query (or one of several) that lacks the product in its WHERE clause.',
    explains: [
      ...figures,
      ...relations,
      'analytics.audit-product-filter',
      'analytics.audit-products',
      'analytics.audit-top-shades',
      'analytics.audit-session',
    ],
    covers: ['sessions-counted-wrong', 'selections-counted-wrong'],
  }),
  'end-date-exclusive': kind<Record<never, never>>({
    area: 'analytics',
    text: () => 'The end date is exclusive: the sessions of the last day are missing.',
    example: {},
    behind: 'A comparison with the midnight at the start of end_date.',
    explains: [...figures, ...relations, ...audits],
    covers: ['sessions-counted-wrong', 'selections-counted-wrong', 'stale-analytics'],
  }),
  'day-boundary-shifted': kind<{ readonly counted: string; readonly opened: string }>({
    area: 'analytics',
    text: (params) =>
      `Days do not begin at midnight UTC: a session of ${params.opened} is counted on ${params.counted}.`,
    example: { counted: '2026-01-02', opened: '2026-01-01' },
    behind: 'A date that is taken in the server’s or the database’s time zone.',
    explains: [...figures, ...relations, ...audits],
    covers: ['sessions-counted-wrong'],
  }),
  'answers-vary': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) =>
      `The same question gets different answers: ${listed(fields)} change while nothing happens.`,
    example: { fields: ['total_sessions'] },
    behind: 'Replicas or caches that are behind one another.',
    explains: ['analytics.stable', ...figures, 'analytics.audit-reread'],
    covers: ['sessions-counted-wrong'],
  }),
  'order-varies': kind<{ readonly what: string }>({
    area: 'analytics',
    text: ({ what }) => `${what} change places between answers.`,
    example: { what: 'Shades with equal selections' },
    behind: 'A sort by selections alone, without a second key for ties.',
    explains: ['analytics.stable', 'analytics.audit-order', 'analytics.audit-reread'],
  }),
  'rate-as-percentage': kind<{ readonly got: number }>({
    area: 'analytics',
    text: ({ got }) => `cart_intent_rate is a percentage: ${number(got)}, where a fraction of 1 is promised.`,
    example: { got: 12.5 },
    behind: 'A multiplication by 100 that belongs in the page that shows it.',
    explains: ['analytics.cart-intent', ...relations],
  }),
  'integer-division': kind<{ readonly field: string }>({
    area: 'analytics',
    text: ({ field }) => `${field} is always a whole number: the quotient loses its fraction.`,
    example: { field: 'avg_shades_per_session' },
    behind: 'A division of two integers in SQL.',
    explains: ['analytics.avg-shades', 'analytics.audit-averages'],
  }),
  'rounded-too-far': kind<{ readonly field: string; readonly decimals: number }>({
    area: 'analytics',
    text: ({ decimals, field }) =>
      `${field} is rounded to ${counted(decimals, 'decimal')}, too few for what it is made of.`,
    example: { field: 'avg_shades_per_session', decimals: 1 },
    behind: 'A value that is rounded before the last step of the calculation.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', 'analytics.audit-averages'],
  }),
  'average-of-active-sessions': kind<Record<never, never>>({
    area: 'analytics',
    text: () => 'avg_shades_per_session leaves out sessions without a selection.',
    example: {},
    behind: 'An inner join of sessions with interactions.',
    explains: ['analytics.avg-shades', 'analytics.audit-averages'],
  }),
  'repeats-counted': kind<{ readonly repeated: number }>({
    area: 'analytics',
    text: ({ repeated }) => `Interactions that were sent again are counted again: ${number(repeated)} times.`,
    example: { repeated: 12 },
    behind: 'An aggregate over deliveries instead of over interaction ids.',
    explains: ['analytics.top-shades', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
    covers: ['selections-counted-wrong'],
  }),
  'top-shades-cut': kind<{ readonly returned: number; readonly expected: number }>({
    area: 'analytics',
    text: ({ expected, returned }) =>
      `top_shades has ${counted(returned, 'entry', 'entries')}; ${number(expected)} shades were selected.`,
    example: { returned: 9, expected: 10 },
    behind: 'A LIMIT of another number, or a list that is cut before it is merged.',
    explains: ['analytics.top-shades', 'analytics.audit-top-shades'],
  }),
  'period-wrong': kind<{ readonly got: string; readonly expected: string }>({
    area: 'analytics',
    text: ({ expected, got }) => `period is “${got}” instead of “${expected}”.`,
    example: { got: '2026-01-01/2026-01-02', expected: '2026-01-01 / 2026-01-02' },
    behind: 'A separator without spaces, or dates of another format.',
    explains: ['analytics.period', 'analytics.audit-period'],
  }),
  'stale-analytics': kind<{ readonly lagMs: number }>({
    area: 'analytics',
    text: ({ lagMs }) =>
      `Analytics are behind: a new session is not counted after ${milliseconds(lagMs)} ms.`,
    example: { lagMs: 30_000 },
    behind: 'A roll-up job or a cache whose period is longer than promised.',
    explains: ['analytics.freshness', ...figures, 'analytics.audit-session'],
    covers: ['sessions-counted-wrong', 'selections-counted-wrong'],
  }),
  'sessions-counted-wrong': kind<{ readonly counted: number; readonly expected: number }>({
    area: 'analytics',
    text: (params) =>
      `Analytics count ${number(params.counted)} sessions; ${number(params.expected)} were created.`,
    example: { counted: 103, expected: 100 },
    behind: 'Sessions that are lost, counted twice, or counted for another period.',
    explains: ['analytics.total-sessions', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
  }),
  'selections-counted-wrong': kind<{
    readonly sku: string;
    readonly counted: number;
    readonly expected: number;
  }>({
    area: 'analytics',
    text: (params) =>
      `Selections are counted wrong: ${params.sku} has ${number(params.counted)}, expected ${number(params.expected)}.`,
    example: { sku: 'SKU-1', counted: 12, expected: 10 },
    behind: 'Interactions that are lost, counted twice, or counted for another product.',
    explains: ['analytics.top-shades', 'analytics.avg-shades', ...relations],
  }),
} as const;
