import { counted, listed, number, span } from '../../amounts.ts';
import { measureWords } from '../reasons/analytics/words.ts';
import { miscount } from './analytics-counts.ts';
import { empties, figures, relations, sums, wrongSums } from './explained.ts';
import { kind, worded } from './kind.ts';

/** A measure in words; the code itself, should an old history have another. */
function meaningText(measure: string): string {
  return measure in measureWords ? measureWords[measure as keyof typeof measureWords] : measure;
}

/** A sum over sessions in words. */
function partText(part: string): string {
  return part.replaceAll('-', ' ').replace(/^shades$/, 'different shades');
}

/** Checks that fail where means, an average, events, totals, or a list is wrong. */
const means = [
  'analytics.avg-shades',
  'analytics.cart-intent',
  ...relations,
  ...empties,
  'analytics.audit-averages',
] as const;
const average = ['analytics.avg-shades', ...relations, 'analytics.audit-averages'] as const;
const ofEvents = [
  'analytics.top-shades',
  'analytics.avg-shades',
  'analytics.cart-intent',
  ...relations,
] as const;
const total = { explains: ['analytics.total-sessions', ...relations, ...sums, ...empties] } as const;
const list = [
  'analytics.top-shades',
  'analytics.conventions',
  'analytics.audit-top-shades',
  'analytics.audit-session',
] as const;

/** Causes in how counts become the fields of an answer: rates, rounding, lists, periods, caches. */
export const valueCauses = {
  'rate-as-percentage': worded(
    'The field cart_intent_rate is a percentage, {got}, but a number from 0 to 1 is promised.',
    {
      behind: 'A multiplication by 100 that belongs in the page that shows it.',
      explains: [...means, 'analytics.audit-answers', 'contract.answers'],
      covers: ['answers-malformed'],
    },
  ),
  'integer-division': worded('Only whole numbers are in {fields:list}: the fraction is cut off.', {
    behind: 'A division of two integers in SQL.',
    explains: means,
    covers: ['rounded-too-far'],
  }),
  'rounded-too-far': worded('Rounding is too coarse in {fields:list}: to {decimals:count decimal}.', {
    behind: 'A value that is rounded before the last step of the calculation.',
    explains: means,
  }),
  'mean-of-means': kind<{ readonly field: string; readonly of?: 'days'; readonly spanMs?: number }>({
    text: ({ field, of, spanMs }) =>
      spanMs !== undefined
        ? `The field ${field} is the mean of the values of spans of ${span(spanMs)}, whatever their numbers of sessions.`
        : of === 'days'
          ? `Over several days, ${field} is the mean of the values of the days, those without sessions too.`
          : `Over all products, ${field} is the mean of the values of the products, whatever their numbers of sessions.`,
    behind: 'Averages of products, days or roll-ups that are averaged again.',
    explains: means,
    about: ({ field }) => field,
  }),
  'mean-of-other': kind<{ readonly field: string; readonly of: string; readonly by: string }>({
    text: ({ by, field, of }) =>
      `The field ${field} is a quotient of other numbers: ${partText(of)} divided by ${partText(by)}.`,
    behind: 'A count over the rows of a join: over events in place of sessions, or the reverse.',
    explains: means,
    // A rate of something else may be above 1.
    alsoCovers: ({ field }) =>
      field === 'cart_intent_rate' ? ['answers-malformed', 'mean-wrong'] : ['mean-wrong'],
    about: ({ field }) => field,
  }),
  'mean-wrong': worded(
    'The field {field:text} is wrong, where total_sessions and top_shades are right: {returned} instead of {expected}.',
    {
      behind: 'A mean that is computed from other rows than the totals, or that is rounded on the way.',
      explains: means,
      about: ({ field }) => field,
    },
  ),
  'median-for-mean': worded(
    'The field avg_shades_per_session is the median over sessions, and not their mean.',
    { behind: 'A percentile of a metrics store in place of a mean.', explains: average },
  ),
  'shades-capped': worded(
    'The field avg_shades_per_session counts at most {most:count shade} of each session.',
    { behind: 'A list of shades with a fixed length in the row of a session.', explains: average },
  ),
  'events-capped': kind<{ readonly most: number; readonly which: 'first' | 'newest' }>({
    text: ({ most, which }) =>
      `${which === 'first' ? 'The field avg_shades_per_session counts' : 'Analytics count'} only the ${which} ${counted(most, 'event')} of each session.`,
    behind: 'A read of events with a LIMIT, or of one page alone.',
    explains: [...ofEvents, 'analytics.audit-averages'],
    covers: wrongSums,
  }),
  'rejected-events-counted': miscount(
    'Analytics count events that the target rejected with {status}.',
    'An event that is published before it is checked.',
    { explains: ofEvents },
  ),
  'repeats-counted': miscount(
    'Events that are sent again are counted again: {repeated:count selection} too many.',
    'An aggregate over deliveries instead of over event ids.',
    { explains: ofEvents, covers: ['selections-counted-wrong'] },
  ),
  'total-capped': miscount(
    'The field total_sessions is never above {most}.',
    'A counter that is too small, or a read of sessions with a LIMIT.',
    total,
  ),
  'total-wraps': miscount(
    'The field total_sessions begins again at {at}.',
    'An integer type that overflows.',
    total,
  ),
  'total-sampled': kind<{ readonly every: number }>({
    text: ({ every }) =>
      `The field total_sessions counts one session in ${number(every)}, and is multiplied: every total is a multiple of ${number(every)}.`,
    behind: 'A sample of rows that a query scales up.',
    ...total,
    covers: [...wrongSums, 'total-approximate'],
  }),
  'total-of-other': kind<{ readonly of: string; readonly isOfProducts: boolean }>({
    text: ({ isOfProducts, of }) =>
      `${isOfProducts ? 'For one product, the' : 'The'} field total_sessions counts ${partText(of.replace('-or-one', ''))}${of.endsWith('-or-one') ? ', and a session without any once' : ''}.`,
    behind: 'A count over the rows of a join of sessions with their events.',
    ...total,
    covers: [...wrongSums, 'product-filter-ignored'],
  }),
  'total-approximate': miscount(
    'The field total_sessions is an estimate: it is off by up to {offBy:percent}, but selections are counted right.',
    'An approximate count, such as the distinct counts of a data warehouse.',
    total,
  ),
  'sessions-counted-twice': miscount(
    'The field total_sessions counts some sessions twice: it has up to {more:count session} too many, and never too few.',
    'A join that has two rows for a session, or two jobs that both count what lies on their border.',
    total,
  ),
  'product-id-misread': miscount(
    'Analytics are wrong for unusual product ids alone: {products:list 2}.',
    'A parameter that is decoded twice, split at a comma, or compared in another form.',
    { covers: [...wrongSums, 'top-shades-unsorted'] },
  ),
  'answers-mixed-up': kind<{
    readonly fields: readonly string[];
    /** What is another in the query that the answer is of. */
    readonly lacks?: 'product_id' | 'dates';
  }>({
    text: ({ fields, lacks }) =>
      lacks === undefined
        ? `An answer depends on the query before it, in ${listed(fields)}.`
        : `An answer is that to an earlier query with ${lacks === 'dates' ? 'other dates' : 'another product_id'}, in ${listed(fields)}.`,
    behind: 'A cache whose key lacks a part of the query.',
    explains: ['analytics.period', ...figures, ...relations, ...sums, ...empties, 'analytics.audit-order'],
    covers: [...wrongSums, 'answers-vary', 'product-filter-ignored'],
  }),
  'answers-vary': miscount(
    'The same query gets different answers while nothing happens, in {fields:list}.',
    'Replicas or caches of different age, or two versions of the target that take turns.',
    {
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
    },
  ),
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
  'order-varies': worded('{what:text} change places between answers.', {
    behind: 'A sort by selections alone, without a second key for ties.',
    explains: ['analytics.stable', 'analytics.audit-order', 'analytics.audit-reread'],
  }),
  'sessions-for-selections': worded(
    'The field selections counts sessions: {sku:text} has {selections:count selection} in {sessions:count session}.',
    {
      behind: 'A distinct count of sessions, or a set of shades for each session.',
      explains: ['analytics.top-shades', ...relations, 'analytics.audit-top-shades'],
      covers: ['selections-counted-wrong'],
    },
  ),
  'top-shades-cut': worded('The list top_shades has {returned:count entry/entries} instead of {expected}.', {
    behind: 'A LIMIT of another number, or a list that is cut before it is merged.',
    explains: list,
    covers: ['selections-counted-wrong'],
  }),
  'top-shades-merged': worded(
    'The list top_shades of all products is the sum of the first {most:count entry/entries} of each product.',
    {
      behind: 'Lists of shards that are cut before they are merged.',
      explains: ['analytics.top-shades', 'analytics.additivity', 'analytics.audit-top-shades'],
      covers: ['selections-counted-wrong', 'top-shades-unsorted'],
    },
  ),
  'carts-counted-as-selections': worded(
    'The list top_shades counts cart intents that name a shade as selections of it.',
    {
      behind: 'A query that counts events by their SKU, whatever their type.',
      explains: list,
      covers: ['selections-counted-wrong', 'selections-counted-twice'],
    },
  ),
  'selections-counted-twice': worded(
    'The list top_shades counts some selections twice, and none too few: averages, totals and histories are right.',
    {
      behind: 'A batch of events that a queue delivers again to what counts.',
      explains: list,
      covers: ['selections-counted-wrong'],
    },
  ),
  'selections-of-lower-ranks-lost': worded(
    'The list top_shades counts too few selections of some shades, and of none too many: averages and totals are right.',
    {
      behind:
        'Lists of shards that are cut before they are merged, or a counter that keeps the most frequent alone.',
      explains: [...list, 'analytics.additivity'],
      covers: ['selections-counted-wrong'],
    },
  ),
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
    explains: [...list, 'analytics.additivity'],
    covers: ['selections-counted-wrong'],
  }),
  'shade-listed-twice': worded('The list top_shades has {sku:text} twice.', {
    behind: 'A GROUP BY over more than the SKU, or lists that are joined and not merged.',
    explains: [...list, 'analytics.additivity'],
    covers: ['selections-counted-wrong', 'top-shades-cut'],
  }),
  'period-wrong': worded('The field period is “{got:text}” instead of “{expected:text}”.', {
    behind: 'A separator without spaces, or dates of another format.',
    explains: ['analytics.period', 'analytics.audit-period'],
  }),
  'empty-answer-not-zero': worded('An answer without sessions is not all zeros: see {fields:list}.', {
    behind: 'A default in place of an empty result, or a division by zero that something hides.',
    explains: means,
  }),
  'invalid-date-accepted': worded(
    'The date “{date:text}” is accepted as {at:text}, and rejected at the other end of a period.',
    { behind: 'Only one of the two dates is validated.', explains: ['analytics.audit-malformed-dates'] },
  ),
  'invalid-dates-fail': worded('Invalid dates get {status} instead of a 4xx: {dates:text}.', {
    behind: 'A date that is parsed without a check, so that an exception reaches the client.',
    explains: [
      'analytics.audit-malformed-dates',
      'analytics.audit-reversed-dates',
      'analytics.audit-empty-period',
    ],
    covers: ['server-errors'],
  }),
} as const;
