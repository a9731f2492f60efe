import { counted as countText, number, span } from '../../amounts.ts';
import { empties, figures, relations, sums, wrongSums } from './explained.ts';
import { type CauseKind, kind, type Params, type ParamsIn, worded } from './kind.ts';

type MiscountEntry<P extends Params> = Partial<Omit<CauseKind<P>, 'text' | 'behind'>>;

/** Checks that fail where sessions or events do not count, or count where they should not. */
const counted = { explains: [...figures, ...relations, ...sums, ...empties], covers: wrongSums } as const;
/** Those of events alone. */
const events = {
  explains: ['analytics.top-shades', ...relations, 'analytics.avg-shades', 'analytics.cart-intent'],
  covers: wrongSums,
} as const;
/** Those of what is late. */
const late = {
  explains: ['analytics.freshness', ...figures, ...relations, 'analytics.stable'],
  covers: wrongSums,
} as const;

/** A cause that makes counts wrong; `more`: what it explains otherwise. */
export function miscount<const Text extends string>(
  text: Text,
  behind: string,
  more: MiscountEntry<ParamsIn<Text>> = {},
): CauseKind<ParamsIn<Text>> {
  return worded(text, { behind, ...counted, ...more });
}

/** Causes in which sessions and events are counted: by product, account, date and age. */
export const countCauses = {
  'product-filter-ignored': miscount(
    'The filter product_id is not applied to {fields:list}.',
    'A query (or one of several) that lacks the product in its WHERE clause.',
  ),
  'products-matched-loosely': miscount(
    'Analytics of a product also count sessions of products with a similar id: {product:text} has those of {other:text}.',
    'A comparison of the start of the id alone, by LIKE, as numbers, or without case, spaces or Unicode form.',
    {
      covers: [...wrongSums, 'product-id-misread', 'answers-mixed-up'],
    },
  ),
  'sessions-change-products': miscount(
    'Analytics count {sessions:count session} for another product than {sessions:its|their} own: some products have too many, others as many too few.',
    'State that requests share: a request takes the product of one that is served at the same time.',
  ),
  'analytics-pool-accounts': miscount(
    'Analytics also count the sessions of other accounts: of the keys {accounts:list}.',
    'An aggregate query without a filter on the account, so that one customer sees the data of another.',
  ),
  'analytics-count-by-key': miscount(
    'Analytics count only the sessions of the querying key, but the keys {keys:list} share all other data.',
    'A filter on the key where one on the account is meant, or the reverse in the route that reads sessions.',
    { covers: ['sessions-counted-wrong', 'selections-counted-wrong', 'accounts-not-separate'] },
  ),
  'analytics-lag-grows': miscount(
    'Analytics get older with time at the same load: from {beforeMs:span} in the first quarter to {afterMs:span} in the last.',
    'A queue that is emptied more slowly than it fills, or a roll-up that reads all sessions each time.',
    { explains: ['analytics.freshness'], covers: ['stale-analytics'] },
  ),
  'total-falls': miscount(
    'The field total_sessions falls for the same query: from {before} at {beforeMs:seconds} of the run to {after} at {afterMs:seconds}.',
    'Sessions that leave the total as they expire, or answers of replicas of different age.',
    late,
  ),
  'stale-analytics': miscount(
    'Analytics are stale: a new session is not counted {lagMs:span} after it was created; the bound is {promisedMs:span}.',
    'A roll-up job or a cache whose period is longer than promised.',
    { ...late, covers: [...wrongSums, 'answers-vary'] },
  ),
  'sessions-overcounted-at-times': miscount(
    'Analytics show more sessions for a while than were created: {sessions} of at most {opened}.',
    'A roll-up during which two places have the same data, events that come twice and are removed later, or the answer to another query.',
    { explains: ['analytics.freshness'], covers: [] },
  ),
  'late-events-ignored': kind<{ readonly leastMs: number; readonly mostMs: number }>({
    text: ({ leastMs }) =>
      `Events count only within ${span(leastMs)} of the creation of their session. Later ones are missing.`,
    behind:
      'A window of time in which events are joined to their session, or a session that is closed early.',
    ...counted,
  }),
  'events-not-counted': miscount(
    'Analytics count {sessions:count session}, and none of their events.',
    'A consumer of events that is stopped or far behind, or a join that finds no event.',
    events,
  ),
  'events-dated-otherwise': kind<{ readonly hours: number }>({
    text: ({ hours }) =>
      `Events are dated at least ${countText(Math.abs(hours), 'hour')} ${hours < 0 ? 'behind' : 'ahead of'} their sessions, and count in another period than these.`,
    behind: 'Two services that take their dates in two time zones, one of them that of its server.',
    ...events,
  }),
  'events-counted-until': kind<{ readonly leastMs: number; readonly mostMs: number }>({
    text: ({ mostMs }) => `Selections count only up to ${span(mostMs)} after the start of the run.`,
    behind: 'A job or a consumer that stopped, or a roll-up that is not repeated.',
    ...events,
  }),
  'events-counted-since': kind<{ readonly leastMs: number; readonly mostMs: number }>({
    text: ({ leastMs }) => `Selections count only from ${span(leastMs)} after the start of the run.`,
    behind: 'Counters that are set back by the clock or a restart, or that live in a cache.',
    ...events,
  }),
  'sessions-counted-in-part': kind<{
    readonly counted: number;
    readonly of: number;
    readonly bound: 'from' | 'up to';
    readonly atMs: number;
    /** Of a row of the model: what the sessions that do not count have. */
    readonly what?: string;
  }>({
    text: (params) =>
      `Only the ${params.bound === 'from' ? 'newest' : 'oldest'} sessions count: ${number(params.counted)} of ${number(params.of)}, created ${params.bound} ${span(params.atMs)} of the run${params.bound === 'from' ? ' on' : ''}.`,
    behind:
      'A counter in memory that starts again from 0, a list of limited length, or a job that has stopped.',
    ...counted,
    alsoCovers: ({ what }) => (what === 'no event' ? ['inactive-sessions-left-out'] : []),
  }),
  'part-not-counted': kind<{
    readonly what: 'session' | 'selection';
    readonly feature: CountedFeature;
    readonly how: 'equal' | 'over' | 'under' | 'every';
    readonly number: number;
    readonly left: number;
    readonly of: number;
  }>({
    text: ({ feature, how, left, number: bound, of, what }) =>
      `Analytics leave out ${how === 'every' ? `one ${what} in ${number(bound)}, evenly` : `${what}s ${featureTexts[feature]} ${how === 'equal' ? '' : `${how} `}${number(bound)}`}: ${number(left)} of ${number(of)}.`,
    behind: 'A bound, a page, a sample, or the edge of a chunk in what counts.',
    ...counted,
    about: ({ feature, what }) => `${what} ${feature}`,
  }),
  'session-of-each-product-missing': miscount(
    'Analytics lack one session of each product: {products:count session} in all.',
    'A row that the first session of a product creates, and that does not count this session.',
  ),
  'slow-creations-twice': miscount(
    'Sessions count twice if their creation took {leastMs:span} or longer: {sessions} of {of}.',
    'A gateway that waits too short, and sends a request again that was carried out; or a job that is repeated.',
    { covers: [...wrongSums, 'mean-of-other', 'integer-division', 'rounded-too-far', 'delivered-twice'] },
  ),
  'period-bound-ignored': miscount(
    'The parameter {bound:text} is ignored: wrong answers are those of the period without it.',
    'A condition that is missing from a query, or a parameter that is read by a wrong name.',
  ),
  'last-day-left-out': miscount(
    'In a period of several days, the sessions of the last day are missing. A period of that day alone has them.',
    'A comparison with the midnight at the start of end_date, but for two dates that are the same.',
  ),
  'end-date-exclusive': miscount(
    'The end date is exclusive, but inclusive is promised: the sessions of the last day are missing.',
    'A comparison with the midnight at the start of end_date.',
  ),
  'end-date-inclusive': miscount(
    'The end date is inclusive, but exclusive is promised: one day too many is counted.',
    'A comparison with the midnight at the end of end_date.',
  ),
  'day-boundary-shifted': miscount(
    'Days should begin at midnight {promised:text}, but {found:text}.',
    'A date that is taken in the server’s or the database’s time zone.',
  ),
  'dates-ignored': miscount(
    'The dates are not applied: the period {period:text}, in which nothing can have happened, has {sessions:count session}.',
    'A query that lacks one of the two dates in its WHERE clause.',
  ),
  'convention-differs': miscount(
    'The convention {convention:text} is {found:text}, but {promised:text} is promised.',
    'Another reading of the same field: the interface leaves it open, and the profile does not.',
    { about: ({ convention }) => convention },
  ),
  'inactive-sessions-left-out': kind<{
    readonly fields: readonly string[];
    /** Without a selection, where it is not said. */
    readonly without?: 'event';
  }>({
    text: ({ fields, without }) =>
      `Sessions without ${without === undefined ? 'a selection' : 'an event'} are left out of ${fields.join(', ')}.`,
    behind: 'An inner join of sessions with events.',
    ...counted,
  }),
} as const;

/** What is seen where something is counted wrong, whatever the cause. */
export const countSymptoms = {
  'sessions-counted-wrong': worded(
    'The field total_sessions is {counted} in an answer in which {expected} is expected.',
    {
      behind: 'Sessions that are lost, counted twice, or counted for another period.',
      explains: ['analytics.total-sessions', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
      covers: ['selections-counted-wrong', 'products-do-not-add-up', 'periods-do-not-add-up'],
    },
  ),
  'selections-counted-wrong': worded(
    'Selections are counted wrong: {sku:text} has {counted}, expected {expected}.',
    {
      behind: 'Events that are lost, counted twice, or counted for another product.',
      explains: ['analytics.top-shades', 'analytics.avg-shades', ...relations],
    },
  ),
  'periods-do-not-add-up': worded(
    'A period has {whole:count session}; the shorter periods within it have {parts}.',
    {
      behind: 'Sessions that count on two days or on none, or a long period that is sampled.',
      explains: ['analytics.audit-adjacent-periods', 'analytics.audit-widening', 'analytics.audit-averages'],
      covers: ['sessions-counted-wrong'],
    },
  ),
  'products-do-not-add-up': worded(
    'The report over all products has {whole:count session}; the reports of single products add up to {products}.',
    {
      behind:
        'A cache that is older for one query than for another, or sessions that are counted for two products.',
      explains: ['analytics.additivity', 'analytics.audit-products', 'analytics.audit-product-filter'],
    },
  ),
} as const;

/** A number that a session or a selection has, by which it may be left out. */
export type CountedFeature = keyof typeof featureTexts;

const featureTexts = {
  events: 'whose number of events is',
  ordinal: 'whose number in the run is',
  'ordinal-of-product': 'whose number among those of their product is',
  place: 'whose place in their session is',
  'place-in-batch': 'whose place in their request is',
  'place-from-end': 'whose place from the end of their request is',
  batch: 'whose request has a number of events that is',
} as const;
