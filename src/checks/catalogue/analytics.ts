import type { Entries } from './entry.ts';

const sessions =
  'Sessions of the run, and analytics queries later than `analytics.freshness` after the last event.';
const events =
  'Shoppers with an interaction channel, and analytics queries later than `analytics.freshness` after the last event.';

type OwnEntries = Omit<Entries<'analytics'>, `analytics.audit-${string}`>;

/** Checks of analytics against what the shoppers of a run did. Those of an audit are in `audit.ts`. */
export const analyticsEntries = {
  'analytics.additivity': {
    title: 'The numbers of single products add up to the numbers of all products',
    needs: 'Analytics answers for single products and for all products over one period.',
    failing: 'Reports by product contradict the report over all products.',
    toDo: 'Check that both queries use the same sessions, dates and account.',
  },
  'analytics.avg-shades': {
    title: 'The field avg_shades_per_session is the average of what shoppers selected',
    needs: events,
    failing: 'Reports show a wrong average.',
    toDo: 'Check which sessions are averaged, how selections are joined, and when the value is rounded.',
  },
  'analytics.cart-intent': {
    title: 'The field cart_intent_rate is the fraction of sessions with a cart intent',
    needs: events,
    failing: 'Reports show a wrong rate of cart intents.',
    toDo: 'Check the divisor, and return a fraction between 0 and 1.',
  },
  'analytics.clock-set': {
    title: 'The clock of the target shows the time that the run set',
    needs: 'A profile with `clock` or the embedded service, and a scenario that plays days of a calendar.',
    failing:
      'The command of the profile has no effect, so nothing is known of the days that the run should play.',
    toDo: 'Run the command by hand, and check that the process that answers takes its time from there.',
  },
  'analytics.conventions': {
    title: 'One set of conventions for days, averages, lists and accounts fits every analytics answer',
    needs: sessions,
    failing: 'Analytics answers contradict each other or the profile.',
    toDo: 'Read which convention is named, then correct the target or that field of the profile.',
  },
  'analytics.freshness': {
    title: 'New sessions appear in analytics as soon as promised',
    needs: 'Analytics requests during and after the load, within the rate limit.',
    failing: 'Reports are older than promised, or get older while the target runs.',
    toDo: 'Shorten the period of the roll-up or cache, or correct `analytics.freshness` in the profile.',
  },
  'analytics.period': {
    title: 'The field period repeats the requested dates',
    needs: sessions,
    failing: 'Clients cannot match an answer to the requested period.',
    toDo: 'Write both dates as requested, with a space, a slash and a space between them.',
  },
  'analytics.product-filter': {
    title: 'The filter product_id restricts every field of an answer to that product',
    needs: 'Several products with sessions, and answers for one product and for all products.',
    failing: 'Reports of one product contain numbers of other products.',
    toDo: 'Apply the product in every query behind the answer.',
  },
  'analytics.sessions': {
    title: 'A session reads back as it was created, with every accepted event once and in order',
    needs: 'Sessions that are read back after the load, with a readable history (`session_history`).',
    failing: 'Sessions change, or their histories lose, repeat or mix up events.',
    toDo: 'Compare the histories of the evidence with the events, then check writes that overlap.',
  },
  'analytics.stable': {
    title: 'The same query gets the same answer while nothing happens',
    needs: 'A query that is answered twice, later than `analytics.freshness` after the last event.',
    failing: 'Reports change between two looks at the same data.',
    toDo: 'Read from one consistent source, and sort shades with equal selections by SKU.',
  },
  'analytics.top-shades': {
    title: 'The list top_shades has the most selected shades with the right numbers of selections',
    needs: events,
    failing: 'Reports show wrong numbers of selections, or the wrong shades.',
    toDo: 'Check the grouping by SKU, repeated events, the product filter, and the length of the list.',
  },
  'analytics.total-sessions': {
    title: 'The field total_sessions counts every session of the period once',
    needs: sessions,
    failing: 'Reports lose sessions, or count sessions twice.',
    toDo: 'Check the dates, the product and the account of the query, then how sessions are stored.',
  },
} as const satisfies OwnEntries;
