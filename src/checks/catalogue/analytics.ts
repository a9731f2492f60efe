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
  },
  'analytics.avg-shades': {
    title: 'The field avg_shades_per_session is the average of what shoppers selected',
    needs: events,
  },
  'analytics.cart-intent': {
    title: 'The field cart_intent_rate is the fraction of sessions with a cart intent',
    needs: events,
  },
  'analytics.clock-set': {
    title: 'The clock of the target shows the time that the run set',
    needs: 'A profile with `clock` or the embedded service, and a scenario that plays days of a calendar.',
  },
  'analytics.conventions': {
    title: 'One set of conventions for days, averages, lists and accounts fits every analytics answer',
    needs: sessions,
  },
  'analytics.freshness': {
    title: 'New sessions appear in analytics as soon as promised',
    needs: 'Analytics requests during and after the load, within the rate limit.',
  },
  'analytics.period': {
    title: 'The field period repeats the requested dates',
    needs: sessions,
  },
  'analytics.product-filter': {
    title: 'The filter product_id restricts every field of an answer to that product',
    needs: 'Several products with sessions, and answers for one product and for all products.',
  },
  'analytics.sessions': {
    title: 'A session reads back as it was created, with every accepted event once and in order',
    needs: 'Sessions that are read back after the load, with a readable history (`session_history`).',
  },
  'analytics.stable': {
    title: 'The same query gets the same answer while nothing happens',
    needs: 'A query that is answered twice, later than `analytics.freshness` after the last event.',
  },
  'analytics.top-shades': {
    title: 'The list top_shades has the most selected shades with the right numbers of selections',
    needs: events,
  },
  'analytics.total-sessions': {
    title: 'The field total_sessions counts every session of the period once',
    needs: sessions,
  },
} as const satisfies OwnEntries;
