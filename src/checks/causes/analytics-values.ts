import { counted, listed, number, percent, verb } from '../../amounts.ts';
import { measureWords } from '../reasons/analytics/words.ts';
import { figures, named, relations, sums, wrongSums } from './explained.ts';
import { kind } from './kind.ts';

/** A measure in words; the code itself, should an old history have another. */
function meaningText(measure: string): string {
  return measure in measureWords ? measureWords[measure as keyof typeof measureWords] : measure;
}

/** A sum over sessions in words. */
function partText(part: string): string {
  return part.replaceAll('-', ' ').replace(/^shades$/, 'different shades');
}

/** Causes in how counts become the fields of an answer: rates, rounding, lists, periods, caches. */
export const valueCauses = {
  'rate-as-percentage': kind<{ readonly got: number }>({
    text: ({ got }) =>
      `The field cart_intent_rate is a percentage, ${number(got)}, but a number from 0 to 1 is promised.`,
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
    text: ({ fields }) =>
      `The ${verb(fields.length, 'field', 'fields')} ${named(fields)} ${verb(fields.length, 'has', 'have')} only whole numbers: the fraction is cut off.`,
    behind: 'A division of two integers in SQL.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', ...relations, 'analytics.audit-averages'],
    covers: ['rounded-too-far'],
  }),
  'rounded-too-far': kind<{ readonly fields: readonly string[]; readonly decimals: number }>({
    text: ({ decimals, fields }) =>
      `Rounding is too coarse in ${named(fields)}: to ${counted(decimals, 'decimal')}.`,
    behind: 'A value that is rounded before the last step of the calculation.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', ...relations, 'analytics.audit-averages'],
  }),
  'mean-of-means': kind<{ readonly field: string }>({
    text: ({ field }) =>
      `Over all products, ${field} is the mean of the values of the products, whatever their numbers of sessions.`,
    behind: 'Averages of products or days that are averaged again.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', ...relations, 'analytics.audit-averages'],
    about: ({ field }) => field,
  }),
  'mean-of-other': kind<{ readonly field: string; readonly of: string; readonly by: string }>({
    text: ({ by, field, of }) =>
      `The field ${field} is a quotient of other numbers: ${partText(of)} divided by ${partText(by)}.`,
    behind: 'A count over the rows of a join: over events in place of sessions, or the reverse.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', ...relations, 'analytics.audit-averages'],
    // A rate of something else may be above 1.
    alsoCovers: ({ field }) =>
      field === 'cart_intent_rate' ? ['answers-malformed', 'mean-wrong'] : ['mean-wrong'],
    about: ({ field }) => field,
  }),
  'mean-wrong': kind<{ readonly field: string; readonly returned: number; readonly expected: number }>({
    text: ({ expected, field, returned }) =>
      `The field ${field} is wrong, where total_sessions and top_shades are right: ${number(returned)} instead of ${number(expected)}.`,
    behind: 'A mean that is computed from other rows than the totals, or that is rounded on the way.',
    explains: ['analytics.avg-shades', 'analytics.cart-intent', ...relations],
    about: ({ field }) => field,
  }),
  'median-for-mean': kind<Record<never, never>>({
    text: () => 'The field avg_shades_per_session is the median over sessions, and not their mean.',
    behind: 'A percentile of a metrics store in place of a mean.',
    explains: ['analytics.avg-shades', ...relations, 'analytics.audit-averages'],
  }),
  'shades-capped': kind<{ readonly most: number }>({
    text: ({ most }) =>
      `The field avg_shades_per_session counts at most ${counted(most, 'shade')} of each session.`,
    behind: 'A list of shades with a fixed length in the row of a session.',
    explains: ['analytics.avg-shades', ...relations, 'analytics.audit-averages'],
  }),
  'events-capped': kind<{ readonly most: number; readonly which: 'first' | 'newest' }>({
    text: ({ most, which }) =>
      which === 'first'
        ? `The field avg_shades_per_session counts only the first ${counted(most, 'event')} of each session.`
        : `Analytics count only the newest ${counted(most, 'event')} of each session.`,
    behind: 'A read of events with a LIMIT, or of one page alone.',
    explains: [
      ...(['analytics.avg-shades', 'analytics.top-shades', 'analytics.cart-intent', ...relations] as const),
      'analytics.audit-averages',
    ],
    covers: wrongSums,
  }),
  'rejected-events-counted': kind<{ readonly status: number }>({
    text: ({ status }) => `Analytics count events that the target rejected with ${status}.`,
    behind: 'An event that is published before it is checked.',
    explains: ['analytics.top-shades', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
    covers: wrongSums,
  }),
  'repeats-counted': kind<{ readonly repeated: number }>({
    text: ({ repeated }) =>
      `Events that are sent again are counted again: ${counted(repeated, 'selection')} too many.`,
    behind: 'An aggregate over deliveries instead of over event ids.',
    explains: ['analytics.top-shades', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
    covers: ['selections-counted-wrong'],
  }),
  'total-capped': kind<{ readonly most: number }>({
    text: ({ most }) => `The field total_sessions is never above ${number(most)}.`,
    behind: 'A counter that is too small, or a read of sessions with a LIMIT.',
    explains: ['analytics.total-sessions', ...relations, ...sums],
    covers: wrongSums,
  }),
  'total-wraps': kind<{ readonly at: number }>({
    text: ({ at }) => `The field total_sessions begins again at ${number(at)}.`,
    behind: 'An integer type that overflows.',
    explains: ['analytics.total-sessions', ...relations, ...sums],
    covers: wrongSums,
  }),
  'total-sampled': kind<{ readonly every: number }>({
    text: ({ every }) =>
      `The field total_sessions counts one session in ${number(every)}, and is multiplied: every total is a multiple of ${number(every)}.`,
    behind: 'A sample of rows that a query scales up.',
    explains: ['analytics.total-sessions', ...relations, ...sums],
    covers: [...wrongSums, 'total-approximate'],
  }),
  'total-of-other': kind<{ readonly of: string; readonly isOfProducts: boolean }>({
    text: ({ isOfProducts, of }) =>
      `${isOfProducts ? 'For one product, the' : 'The'} field total_sessions counts ${partText(of.replace('-or-one', ''))}${of.endsWith('-or-one') ? ', and a session without any once' : ''}.`,
    behind: 'A count over the rows of a join of sessions with their events.',
    explains: ['analytics.total-sessions', ...relations, ...sums],
    covers: [...wrongSums, 'product-filter-ignored'],
  }),
  'total-approximate': kind<{ readonly offBy: number }>({
    text: ({ offBy }) =>
      `The field total_sessions is an estimate: it is off by up to ${percent(offBy)}, but the other fields are right.`,
    behind: 'An approximate count, such as the distinct counts of a data warehouse.',
    explains: ['analytics.total-sessions', ...relations, ...sums],
    covers: wrongSums,
  }),
  'product-id-misread': kind<{ readonly products: readonly string[] }>({
    text: ({ products }) =>
      `Analytics are wrong for ${products.length === 1 ? 'a product' : 'products'} with an unusual id alone: ${listed(products, 2)}.`,
    behind: 'A parameter that is decoded twice, split at a comma, or compared in another form.',
    explains: [...figures, ...relations, ...sums],
    covers: [...wrongSums, 'top-shades-unsorted'],
  }),
  'answers-mixed-up': kind<{ readonly fields: readonly string[] }>({
    text: ({ fields }) =>
      `An answer depends on the query before it: ${named(fields)} ${verb(fields.length, 'changes', 'change')}.`,
    behind: 'A cache whose key lacks a part of the query.',
    explains: [
      'analytics.period',
      ...figures,
      ...relations,
      ...sums,
      'analytics.audit-order',
      'analytics.audit-product-filter',
    ],
    covers: [...wrongSums, 'answers-vary', 'product-filter-ignored'],
  }),
  'answers-vary': kind<{ readonly fields: readonly string[] }>({
    text: ({ fields }) =>
      `The same query gets different answers: ${named(fields)} ${verb(fields.length, 'changes', 'change')} while nothing happens.`,
    behind: 'Replicas or caches of different age, or two versions of the target that take turns.',
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
    text: ({ between, field }) =>
      between
        .map((each, at) => `${at === 0 ? `Some values of ${field}` : 'Others'} are ${meaningText(each)}.`)
        .join(' '),
    behind: 'Two SQL queries for one number, such as one for all products and one for a single product.',
    explains: ['analytics.avg-shades', ...relations],
    about: ({ field }) => field,
    covers: ['mean-wrong'],
  }),
  'order-varies': kind<{ readonly what: string }>({
    text: ({ what }) => `${what} change places between answers.`,
    behind: 'A sort by selections alone, without a second key for ties.',
    explains: ['analytics.stable', 'analytics.audit-order', 'analytics.audit-reread'],
  }),
  'sessions-for-selections': kind<{
    readonly sku: string;
    readonly sessions: number;
    readonly selections: number;
  }>({
    text: ({ selections, sessions, sku }) =>
      `The field selections counts sessions: ${sku} has ${counted(selections, 'selection')} in ${counted(sessions, 'session')}.`,
    behind: 'A distinct count of sessions, or a set of shades for each session.',
    explains: ['analytics.top-shades', ...relations, 'analytics.audit-top-shades'],
    covers: ['selections-counted-wrong'],
  }),
  'top-shades-cut': kind<{ readonly returned: number; readonly expected: number }>({
    text: ({ expected, returned }) =>
      `The list top_shades has ${counted(returned, 'entry', 'entries')} instead of ${number(expected)}.`,
    behind: 'A LIMIT of another number, or a list that is cut before it is merged.',
    explains: ['analytics.top-shades', 'analytics.conventions', 'analytics.audit-top-shades'],
    covers: ['selections-counted-wrong'],
  }),
  'top-shades-merged': kind<{ readonly most: number }>({
    text: ({ most }) =>
      `The list top_shades of all products is the sum of the first ${counted(most, 'entry', 'entries')} of each product.`,
    behind: 'Lists of shards that are cut before they are merged.',
    explains: ['analytics.top-shades', 'analytics.additivity', 'analytics.audit-top-shades'],
    covers: ['selections-counted-wrong', 'top-shades-unsorted'],
  }),
  'top-shades-unsorted': kind<{
    readonly sku: string;
    readonly selections: number;
    readonly before: number;
    readonly isMissing?: boolean;
    /** Every list is in the order of its numbers as text. */
    readonly isAsText?: boolean;
  }>({
    text: ({ before, isAsText = false, isMissing = false, selections, sku }) =>
      isAsText
        ? `The list top_shades is sorted by selections as text: a shade with ${number(before)} comes before ${sku} with ${number(selections)}.`
        : isMissing
          ? `The list top_shades leaves out ${sku} with ${counted(selections, 'selection')}, but has a shade with ${number(before)}. Every number in it is right.`
          : `The list top_shades is not sorted: ${sku} with ${counted(selections, 'selection')} comes after a shade with ${number(before)}.`,
    behind:
      'A sort by another column or as text, a LIMIT before the sort, or lists that are merged unsorted.',
    explains: [
      'analytics.top-shades',
      'analytics.additivity',
      'analytics.conventions',
      'analytics.audit-top-shades',
    ],
    covers: ['selections-counted-wrong'],
  }),
  'shade-listed-twice': kind<{ readonly sku: string }>({
    text: ({ sku }) => `The list top_shades has ${sku} twice.`,
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
    text: ({ expected, got }) => `The field period is “${got}” instead of “${expected}”.`,
    behind: 'A separator without spaces, or dates of another format.',
    explains: ['analytics.period', 'analytics.audit-period'],
  }),
  'empty-answer-not-zero': kind<{ readonly fields: readonly string[] }>({
    text: ({ fields }) => `An answer without sessions is not all zeros: see ${named(fields)}.`,
    behind: 'A default in place of an empty result, or a division by zero that something hides.',
    explains: ['analytics.audit-empty-period', 'analytics.audit-product-filter'],
  }),
  'invalid-date-accepted': kind<{ readonly date: string; readonly at: 'start_date' | 'end_date' }>({
    text: ({ at, date }) =>
      `The date “${date}” is accepted as ${at}, and rejected at the other end of a period.`,
    behind: 'Only one of the two dates is validated.',
    explains: ['analytics.audit-malformed-dates'],
  }),
  'invalid-dates-fail': kind<{ readonly dates: string; readonly status: number }>({
    text: ({ dates, status }) => `Invalid dates get ${status} instead of a 4xx: ${dates}.`,
    behind: 'A date that is parsed without a check, so that an exception reaches the client.',
    explains: [
      'analytics.audit-malformed-dates',
      'analytics.audit-reversed-dates',
      'analytics.audit-empty-period',
    ],
    covers: ['server-errors'],
  }),
} as const;
