import { counted, number, seconds, span, verb } from '../../amounts.ts';
import { figures, named, relations, sums, wrongSums } from './explained.ts';
import { kind } from './kind.ts';

/** Causes in which sessions and events are counted: by product, account, date and age. */
export const countCauses = {
  'product-filter-ignored': kind<{ readonly fields: readonly string[] }>({
    text: ({ fields }) => `The filter product_id is not applied to ${named(fields)}.`,
    behind: 'A query (or one of several) that lacks the product in its WHERE clause.',
    explains: [...figures, ...relations, ...sums, 'analytics.audit-product-filter'],
    covers: wrongSums,
  }),
  'products-matched-loosely': kind<{ readonly product: string; readonly other: string }>({
    text: ({ other, product }) =>
      `Analytics of a product also count sessions of products with a similar id: ${product} has those of ${other}.`,
    behind:
      'A comparison of the start of the id alone, by LIKE, as numbers, or without case, spaces or Unicode form.',
    explains: [...figures, ...relations, ...sums, 'analytics.audit-product-filter'],
    covers: [...wrongSums, 'product-id-misread'],
  }),
  'sessions-change-products': kind<{ readonly sessions: number }>({
    text: ({ sessions }) =>
      `Analytics count ${counted(sessions, 'session')} for another product than ${verb(sessions, 'its', 'their')} own: some products have too many, others as many too few.`,
    behind: 'State that requests share: a request takes the product of one that is served at the same time.',
    explains: [...figures, ...relations],
    covers: wrongSums,
  }),
  'analytics-pool-accounts': kind<{ readonly accounts: readonly string[] }>({
    text: ({ accounts }) =>
      `Analytics also count the sessions of other accounts: of the keys ${named(accounts)}.`,
    behind:
      'An aggregate query without a filter on the account, so that one customer sees the data of another.',
    explains: [...figures, ...relations],
    covers: wrongSums,
  }),
  'analytics-count-by-key': kind<{ readonly keys: readonly string[] }>({
    text: ({ keys }) =>
      `Analytics count only the sessions of the querying key, but the keys ${named(keys)} share all other data.`,
    behind:
      'A filter on the key where one on the account is meant, or the reverse in the route that reads sessions.',
    explains: [...figures, ...relations],
    covers: ['sessions-counted-wrong', 'selections-counted-wrong', 'accounts-not-separate'],
  }),
  'analytics-lag-grows': kind<{ readonly beforeMs: number; readonly afterMs: number }>({
    text: ({ afterMs, beforeMs }) =>
      `Analytics get older with time at the same load: from ${span(beforeMs)} in the first quarter to ${span(afterMs)} in the last.`,
    behind:
      'A queue that is emptied more slowly than it fills, or a roll-up that reads all sessions each time.',
    explains: ['analytics.freshness'],
    covers: ['stale-analytics'],
  }),
  'total-falls': kind<{
    readonly before: number;
    readonly beforeMs: number;
    readonly after: number;
    readonly afterMs: number;
  }>({
    text: ({ after, afterMs, before, beforeMs }) =>
      `The field total_sessions falls for the same query: from ${number(before)} at ${seconds(beforeMs)} of the run to ${number(after)} at ${seconds(afterMs)}.`,
    behind: 'Sessions that leave the total as they expire, or answers of replicas of different age.',
    explains: [
      'analytics.freshness',
      ...figures,
      ...relations,
      'analytics.stable',
      'analytics.audit-session',
    ],
    covers: wrongSums,
  }),
  'stale-analytics': kind<{ readonly lagMs: number; readonly promisedMs: number }>({
    text: ({ lagMs, promisedMs }) =>
      `Analytics are stale: a new session is not counted ${span(lagMs)} after it was created; the bound is ${span(promisedMs)}.`,
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
  'sessions-overcounted-at-times': kind<{ readonly sessions: number; readonly opened: number }>({
    text: ({ opened, sessions }) =>
      `Analytics show more sessions for a while than were created: ${number(sessions)} of at most ${number(opened)}.`,
    behind:
      'A roll-up during which two places have the same data, events that come twice and are removed later, or the answer to another query.',
    explains: ['analytics.freshness'],
  }),
  'late-events-ignored': kind<{ readonly leastMs: number; readonly mostMs: number }>({
    text: ({ leastMs }) =>
      `Events count only within ${span(leastMs)} of the creation of their session. Later ones are missing.`,
    behind:
      'A window of time in which events are joined to their session, or a session that is closed early.',
    explains: [...figures, ...relations],
    covers: wrongSums,
  }),
  'events-not-counted': kind<{ readonly sessions: number }>({
    text: ({ sessions }) => `Analytics count ${counted(sessions, 'session')}, and none of their events.`,
    behind: 'A consumer of events that is stopped or far behind, or a join that finds no event.',
    explains: ['analytics.top-shades', ...relations, 'analytics.avg-shades', 'analytics.cart-intent'],
    covers: wrongSums,
  }),
  'events-counted-until': kind<{ readonly leastMs: number; readonly mostMs: number }>({
    text: ({ mostMs }) => `Selections count only up to ${span(mostMs)} after the start of the run.`,
    behind: 'A job or a consumer that stopped, or a roll-up that is not repeated.',
    explains: ['analytics.top-shades', ...relations, 'analytics.avg-shades', 'analytics.cart-intent'],
    covers: wrongSums,
  }),
  'events-counted-since': kind<{ readonly leastMs: number; readonly mostMs: number }>({
    text: ({ leastMs }) => `Selections count only from ${span(leastMs)} after the start of the run.`,
    behind: 'Counters that are set back by the clock or a restart, or that live in a cache.',
    explains: ['analytics.top-shades', ...relations, 'analytics.avg-shades', 'analytics.cart-intent'],
    covers: wrongSums,
  }),
  'sessions-counted-in-part': kind<{
    readonly counted: number;
    readonly of: number;
    readonly bound: 'from' | 'up to';
    readonly atMs: number;
  }>({
    text: (params) =>
      params.bound === 'from'
        ? `Only the newest sessions count: ${number(params.counted)} of ${number(params.of)}, created from ${span(params.atMs)} of the run on.`
        : `Only the oldest sessions count: ${number(params.counted)} of ${number(params.of)}, created up to ${span(params.atMs)} of the run.`,
    behind:
      'A counter that lives in memory and starts anew, a list of limited length, or a job that has stopped.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
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
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
    about: ({ feature, what }) => `${what} ${feature}`,
  }),
  'session-of-each-product-missing': kind<{ readonly products: number }>({
    text: ({ products }) =>
      `Analytics lack one session of each product: ${counted(products, 'session')} in all.`,
    behind: 'A row that the first session of a product creates, and that does not count this session.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'slow-creations-twice': kind<{ readonly sessions: number; readonly of: number; readonly leastMs: number }>({
    text: (params) =>
      `Sessions count twice if their creation took ${span(params.leastMs)} or longer: ${number(params.sessions)} of ${number(params.of)}.`,
    behind:
      'A gateway that waits too short, and sends a request again that was carried out; or a job that is repeated.',
    explains: [...figures, ...relations, ...sums],
    covers: [...wrongSums, 'mean-of-other', 'integer-division', 'rounded-too-far', 'delivered-twice'],
  }),
  'period-bound-ignored': kind<{ readonly bound: 'start_date' | 'end_date' }>({
    text: ({ bound }) =>
      `The parameter ${bound} is ignored: wrong answers are those of the period without it.`,
    behind: 'A condition that is missing from a query, or a parameter that is read by a wrong name.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'last-day-left-out': kind({
    text: 'In a period of several days, the sessions of the last day are missing. A period of that day alone has them.',
    behind: 'A comparison with the midnight at the start of end_date, but for two dates that are the same.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'end-date-exclusive': kind({
    text: 'The end date is exclusive, but inclusive is promised: the sessions of the last day are missing.',
    behind: 'A comparison with the midnight at the start of end_date.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'end-date-inclusive': kind({
    text: 'The end date is inclusive, but exclusive is promised: one day too many is counted.',
    behind: 'A comparison with the midnight at the end of end_date.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'day-boundary-shifted': kind<{ readonly promised: string; readonly found: string }>({
    text: ({ found, promised }) => `Days should begin at midnight ${promised}, but ${found}.`,
    behind: 'A date that is taken in the server’s or the database’s time zone.',
    explains: [...figures, ...relations, ...sums],
    covers: wrongSums,
  }),
  'dates-ignored': kind<{ readonly period: string; readonly sessions: number }>({
    text: ({ period, sessions }) =>
      `The dates are not applied: the period ${period}, in which nothing can have happened, has ${counted(sessions, 'session')}.`,
    behind: 'A query that lacks one of the two dates in its WHERE clause.',
    explains: [...figures, ...relations, ...sums, 'analytics.audit-empty-period'],
    covers: wrongSums,
  }),
  'convention-differs': kind<{
    readonly convention: string;
    readonly found: string;
    readonly promised: string;
  }>({
    text: ({ convention, found, promised }) =>
      `The convention ${convention} is ${found}, but ${promised} is promised.`,
    behind: 'Another reading of the same field: the interface leaves it open, and the profile does not.',
    explains: [...figures, ...relations, ...sums],
    about: ({ convention }) => convention,
    covers: wrongSums,
  }),
  'inactive-sessions-left-out': kind<{
    readonly fields: readonly string[];
    /** Without a selection, where it is not said. */
    readonly without?: 'event';
  }>({
    text: ({ fields, without }) =>
      `Sessions without ${without === undefined ? 'a selection' : 'an event'} are left out of ${named(fields)}.`,
    behind: 'An inner join of sessions with events.',
    explains: [
      'analytics.total-sessions',
      'analytics.avg-shades',
      'analytics.cart-intent',
      ...relations,
      ...sums,
    ],
    covers: wrongSums,
  }),
} as const;

/** What is seen where something is counted wrong, whatever the cause. */
export const countSymptoms = {
  'sessions-counted-wrong': kind<{ readonly counted: number; readonly expected: number }>({
    text: (params) =>
      `The field total_sessions is ${number(params.counted)} in an answer in which ${number(params.expected)} is expected.`,
    behind: 'Sessions that are lost, counted twice, or counted for another period.',
    explains: ['analytics.total-sessions', 'analytics.avg-shades', 'analytics.cart-intent', ...relations],
    covers: ['selections-counted-wrong', 'products-do-not-add-up', 'periods-do-not-add-up'],
  }),
  'selections-counted-wrong': kind<{
    readonly sku: string;
    readonly counted: number;
    readonly expected: number;
  }>({
    text: (params) =>
      `Selections are counted wrong: ${params.sku} has ${number(params.counted)}, expected ${number(params.expected)}.`,
    behind: 'Events that are lost, counted twice, or counted for another product.',
    explains: ['analytics.top-shades', 'analytics.avg-shades', ...relations],
  }),
  'periods-do-not-add-up': kind<{ readonly whole: number; readonly parts: number }>({
    text: ({ parts, whole }) =>
      `A period has ${counted(whole, 'session')}; the shorter periods within it have ${number(parts)}.`,
    behind: 'Sessions that count on two days or on none, or a long period that is sampled.',
    explains: ['analytics.audit-adjacent-periods', 'analytics.audit-widening', 'analytics.audit-averages'],
    covers: ['sessions-counted-wrong'],
  }),
  'products-do-not-add-up': kind<{ readonly whole: number; readonly products: number }>({
    text: ({ products, whole }) =>
      `The report over all products has ${counted(whole, 'session')}; the reports of single products add up to ${number(products)}.`,
    behind:
      'A cache that is older for one query than for another, or sessions that are counted for two products.',
    explains: ['analytics.additivity', 'analytics.audit-products', 'analytics.audit-product-filter'],
  }),
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
