import { counted, number, percent, span, verb } from '../../../amounts.ts';
import { kind } from '../kind.ts';

const figures = [
  'analytics.total-sessions',
  'analytics.avg-shades',
  'analytics.cart-intent',
  'analytics.top-shades',
] as const;
/** What fails wherever a figure is wrong. */
const relations = ['analytics.additivity', 'analytics.product-filter', 'analytics.conventions'] as const;
const sums = [
  'analytics.audit-adjacent-periods',
  'analytics.audit-averages',
  'analytics.audit-products',
  'analytics.audit-session',
  'analytics.audit-top-shades',
  'analytics.audit-widening',
] as const;
/** What is seen where sessions or selections are counted wrong, whatever it comes of. */
const wrongSums = [
  'sessions-counted-wrong',
  'selections-counted-wrong',
  'periods-do-not-add-up',
  'products-do-not-add-up',
] as const;

/** `a`, `a and b`, `a, b and c`. */
function named(items: readonly string[]): string {
  return [items.slice(0, -1).join(', '), ...items.slice(-1)].filter((text) => text !== '').join(' and ');
}

/** Causes in what analytics report. Before each cause stand those that say more; symptoms come last. */
export const analyticsCauses = {
  'product-filter-ignored': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) => `product_id is not applied to ${named(fields)}.`,
    example: { fields: ['top_shades'] },
    behind: 'A query (or one of several) that lacks the product in its WHERE clause.',
    explains: [...figures, ...relations, ...sums, 'analytics.audit-product-filter'],
    covers: wrongSums,
  }),
  'analytics-pool-accounts': kind<{ readonly accounts: readonly string[] }>({
    area: 'analytics',
    text: ({ accounts }) =>
      `Analytics count the sessions of other accounts too, of the keys ${named(accounts)}.`,
    example: { accounts: ['load', 'bystander'] },
    behind: 'An aggregate query without a filter on the account. This is a leak across tenants.',
    explains: [...figures, ...relations],
    covers: wrongSums,
  }),
  'analytics-count-by-key': kind<{ readonly keys: readonly string[] }>({
    area: 'analytics',
    text: ({ keys }) =>
      `Analytics count only the sessions of the key that asks; the keys ${named(keys)} share the other data.`,
    example: { keys: ['load', 'bystander'] },
    behind:
      'A filter on the key where one on the account is meant, or the reverse in the route that reads sessions.',
    explains: [...figures, ...relations],
    covers: ['sessions-counted-wrong', 'selections-counted-wrong', 'accounts-not-separate'],
  }),
  'stale-analytics': kind<{ readonly lagMs: number; readonly promisedMs: number }>({
    area: 'analytics',
    text: ({ lagMs, promisedMs }) =>
      `Analytics are stale: a new session is not counted ${span(lagMs)} after it was created; ${span(promisedMs)} is promised.`,
    example: { lagMs: 30_000, promisedMs: 10_000 },
    behind: 'A roll-up job or a cache whose period is longer than promised.',
    explains: [
      'analytics.freshness',
      ...figures,
      ...relations,
      'analytics.stable',
      'analytics.audit-session',
    ],
    covers: [...wrongSums, 'answers-vary'],
  }),
  'end-date-exclusive': kind<Record<never, never>>({
    area: 'analytics',
    text: () => 'The end date is exclusive: the sessions of the last day are missing.',
    example: {},
    behind: 'A comparison with the midnight at the start of end_date.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'end-date-inclusive': kind<Record<never, never>>({
    area: 'analytics',
    text: () => 'The end date is inclusive, and is promised to be exclusive: one day too many is counted.',
    example: {},
    behind: 'A comparison with the midnight at the end of end_date.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'day-boundary-shifted': kind<{ readonly promised: string; readonly found: string }>({
    area: 'analytics',
    text: ({ found, promised }) => `Days do not begin at midnight ${promised}: ${found}.`,
    example: { promised: 'UTC', found: 'a session of 2026-01-01 is counted on 2026-01-02' },
    behind: 'A date that is taken in the server’s or the database’s time zone.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'dates-ignored': kind<{ readonly period: string; readonly sessions: number }>({
    area: 'analytics',
    text: ({ period, sessions }) =>
      `Dates are not applied: ${period}, in which nothing can have happened, has ${counted(sessions, 'session')}.`,
    example: { period: '2199-01-01 / 2199-01-01', sessions: 12 },
    behind: 'A query that lacks one of the two dates in its WHERE clause.',
    explains: [...figures, ...relations, ...sums, 'analytics.audit-empty-period'],
    covers: wrongSums,
  }),
  'convention-differs': kind<{
    readonly convention: string;
    readonly found: string;
    readonly promised: string;
  }>({
    area: 'analytics',
    text: ({ convention, found, promised }) => `${convention} is ${found}, and ${promised} is promised.`,
    example: { convention: 'analytics.shades_per_session', found: 'selections', promised: 'distinct' },
    behind: 'Another reading of the same field: the interface leaves it open, and the profile does not.',
    explains: [...figures, ...relations, ...sums],
    about: ({ convention }) => convention,
    covers: wrongSums,
  }),
  'inactive-sessions-left-out': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) =>
      `${named(fields)} ${verb(fields.length, 'leaves', 'leave')} out sessions without a selection.`,
    example: { fields: ['avg_shades_per_session', 'cart_intent_rate'] },
    behind: 'An inner join of sessions with interactions.',
    explains: [
      'analytics.total-sessions',
      'analytics.avg-shades',
      'analytics.cart-intent',
      ...relations,
      ...sums,
    ],
    covers: wrongSums,
  }),
  'rate-as-percentage': kind<{ readonly got: number }>({
    area: 'analytics',
    text: ({ got }) => `cart_intent_rate is a percentage: ${number(got)}, where a fraction of 1 is promised.`,
    example: { got: 12.5 },
    behind: 'A multiplication by 100 that belongs in the page that shows it.',
    explains: [
      'analytics.cart-intent',
      ...relations,
      'analytics.audit-answers',
      'analytics.audit-averages',
      'analytics.audit-empty-period',
      'analytics.audit-session',
      'contract.answers',
    ],
    covers: ['answers-malformed'],
  }),
  'integer-division': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) =>
      `${named(fields)} ${verb(fields.length, 'is always a whole number', 'are always whole numbers')}: the fraction is cut off.`,
    example: { fields: ['avg_shades_per_session'] },
    behind: 'A division of two integers in SQL.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', ...relations, 'analytics.audit-averages'],
    covers: ['rounded-too-far'],
  }),
  'rounded-too-far': kind<{ readonly fields: readonly string[]; readonly decimals: number }>({
    area: 'analytics',
    text: ({ decimals, fields }) =>
      `${named(fields)} ${verb(fields.length, 'has', 'have')} been rounded to ${counted(decimals, 'decimal')}, which is too few.`,
    example: { fields: ['avg_shades_per_session'], decimals: 1 },
    behind: 'A value that is rounded before the last step of the calculation.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', ...relations, 'analytics.audit-averages'],
  }),
  'repeats-counted': kind<{ readonly repeated: number }>({
    area: 'analytics',
    text: ({ repeated }) =>
      `Interactions that are sent again are counted again: ${counted(repeated, 'selection')} too many.`,
    example: { repeated: 12 },
    behind: 'An aggregate over deliveries instead of over interaction ids.',
    explains: ['analytics.top-shades', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
    covers: ['selections-counted-wrong'],
  }),
  'total-approximate': kind<{ readonly offBy: number }>({
    area: 'analytics',
    text: ({ offBy }) =>
      `total_sessions is an estimate: it is off by up to ${percent(offBy)}, and the other fields of the same answers are right.`,
    example: { offBy: 0.019 },
    behind: 'An approximate count, such as the distinct counts of a data warehouse.',
    explains: ['analytics.total-sessions', ...relations, ...sums],
    covers: wrongSums,
  }),
  'answers-mixed-up': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) =>
      `An answer depends on what was asked before: ${named(fields)} ${verb(fields.length, 'changes', 'change')}.`,
    example: { fields: ['total_sessions'] },
    behind: 'A cache whose key lacks a part of the question.',
    explains: [...figures, ...relations, ...sums, 'analytics.audit-order', 'analytics.audit-product-filter'],
    covers: [...wrongSums, 'answers-vary', 'product-filter-ignored'],
  }),
  'answers-vary': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) =>
      `The same question gets different answers: ${named(fields)} ${verb(fields.length, 'changes', 'change')} while nothing happens.`,
    example: { fields: ['total_sessions'] },
    behind: 'Replicas or caches that are behind one another, or two versions that answer by turns.',
    explains: [
      'analytics.stable',
      ...figures,
      ...relations,
      ...sums,
      'analytics.audit-order',
      'analytics.audit-reread',
    ],
    covers: [...wrongSums, 'answers-mixed-up', 'convention-varies'],
    contradictedBy: ['analytics.stable', 'analytics.audit-reread'],
  }),
  'convention-varies': kind<{ readonly field: string; readonly between: readonly string[] }>({
    area: 'analytics',
    text: ({ between, field }) =>
      `The meaning of ${field} changes between answers: ${between.join(', and ')}.`,
    example: { field: 'avg_shades_per_session', between: ['distinct/all', 'selections/all'] },
    behind: 'Two queries for one number: one for all products and one for a single one, say.',
    explains: ['analytics.avg-shades', ...relations],
    about: ({ field }) => field,
  }),
  'order-varies': kind<{ readonly what: string }>({
    area: 'analytics',
    text: ({ what }) => `${what} change places between answers.`,
    example: { what: 'Shades with equal selections' },
    behind: 'A sort by selections alone, without a second key for ties.',
    explains: ['analytics.stable', 'analytics.audit-order', 'analytics.audit-reread'],
  }),
  'top-shades-cut': kind<{ readonly returned: number; readonly expected: number }>({
    area: 'analytics',
    text: ({ expected, returned }) =>
      `top_shades has ${counted(returned, 'entry', 'entries')} where it should have ${number(expected)}.`,
    example: { returned: 9, expected: 10 },
    behind: 'A LIMIT of another number, or a list that is cut before it is merged.',
    explains: ['analytics.top-shades', 'analytics.conventions', 'analytics.audit-top-shades'],
    covers: ['selections-counted-wrong'],
  }),
  'top-shades-unsorted': kind<{ readonly sku: string; readonly selections: number; readonly before: number }>(
    {
      area: 'analytics',
      text: ({ before, selections, sku }) =>
        `top_shades is not sorted: ${sku} with ${counted(selections, 'selection')} stands after a shade with ${number(before)}.`,
      example: { sku: 'SKU-1', selections: 12, before: 10 },
      behind: 'A sort by another column, or one that is lost when lists are merged.',
      explains: ['analytics.top-shades', 'analytics.conventions', 'analytics.audit-top-shades'],
      covers: ['selections-counted-wrong'],
    },
  ),
  'shade-listed-twice': kind<{ readonly sku: string }>({
    area: 'analytics',
    text: ({ sku }) => `top_shades has ${sku} twice.`,
    example: { sku: 'SKU-1' },
    behind: 'A GROUP BY over more than the SKU, or lists that are joined and not merged.',
    explains: [
      'analytics.top-shades',
      'analytics.conventions',
      'analytics.audit-top-shades',
      'analytics.additivity',
    ],
    covers: ['selections-counted-wrong', 'top-shades-cut'],
  }),
  'period-wrong': kind<{ readonly got: string; readonly expected: string }>({
    area: 'analytics',
    text: ({ expected, got }) => `period is “${got}” instead of “${expected}”.`,
    example: { got: '2026-01-01/2026-01-02', expected: '2026-01-01 / 2026-01-02' },
    behind: 'A separator without spaces, or dates of another format.',
    explains: ['analytics.period', 'analytics.audit-period'],
  }),
  'empty-answer-not-zero': kind<{ readonly fields: readonly string[] }>({
    area: 'analytics',
    text: ({ fields }) => `An answer without sessions is not all zeros: see ${named(fields)}.`,
    example: { fields: ['avg_shades_per_session'] },
    behind: 'A default in place of an empty result, or a division by zero that something hides.',
    explains: ['analytics.audit-empty-period', 'analytics.audit-product-filter'],
  }),
  'invalid-dates-fail': kind<{ readonly dates: string; readonly status: number }>({
    area: 'analytics',
    text: ({ dates, status }) => `Invalid dates get ${status} instead of a 4xx: ${dates}.`,
    example: { dates: 'yesterday / today', status: 500 },
    behind: 'A date that is parsed without a check, so that an exception reaches the client.',
    explains: [
      'analytics.audit-malformed-dates',
      'analytics.audit-reversed-dates',
      'analytics.audit-empty-period',
    ],
    covers: ['server-errors'],
  }),
  'sessions-counted-wrong': kind<{ readonly counted: number; readonly expected: number }>({
    area: 'analytics',
    text: (params) =>
      `Analytics count ${counted(params.counted, 'session')} where ${number(params.expected)} ${verb(params.expected, 'was', 'were')} created.`,
    example: { counted: 103, expected: 100 },
    behind: 'Sessions that are lost, counted twice, or counted for another period.',
    explains: ['analytics.total-sessions', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
    covers: ['selections-counted-wrong', 'products-do-not-add-up', 'periods-do-not-add-up'],
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
  'periods-do-not-add-up': kind<{ readonly whole: number; readonly parts: number }>({
    area: 'analytics',
    text: ({ parts, whole }) =>
      `A period has ${counted(whole, 'session')}; the shorter periods within it have ${number(parts)}.`,
    example: { whole: 10, parts: 12 },
    behind: 'Sessions that count on two days or on none, or a long period that is sampled.',
    explains: ['analytics.audit-adjacent-periods', 'analytics.audit-widening', 'analytics.audit-averages'],
    covers: ['sessions-counted-wrong'],
  }),
  'products-do-not-add-up': kind<{ readonly whole: number; readonly products: number }>({
    area: 'analytics',
    text: ({ products, whole }) =>
      `All products have ${counted(whole, 'session')}; single products have ${number(products)}.`,
    example: { whole: 10, products: 12 },
    behind:
      'A cache that is older for one question than for another, or sessions that are counted for two products.',
    explains: ['analytics.additivity', 'analytics.audit-products', 'analytics.audit-product-filter'],
  }),
} as const;
