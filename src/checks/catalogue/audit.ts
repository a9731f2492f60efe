import type { Entries } from './entry.ts';

const audit = 'An audit of analytics: `tryon run analytics-audit`, or `auditAnalytics` in a scenario.';
const quiet = 'An audit of analytics in which two rounds of the same questions can be compared.';
const filled = 'An audit of analytics on an account with sessions.';

type Audited = Pick<Entries<'analytics'>, Extract<keyof Entries<'analytics'>, `analytics.audit-${string}`>>;

/** Checks that compare answers of analytics with each other. */
export const auditEntries = {
  'analytics.audit-adjacent-periods': {
    title: 'Two adjacent periods together have as many sessions as the whole period',
    needs: filled,
  },
  'analytics.audit-answers': {
    title: 'Every valid analytics request gets a 2xx answer in the promised form',
    needs: audit,
  },
  'analytics.audit-averages': {
    title: 'Averages and rates of parts combine to those of the whole, weighted by sessions',
    needs:
      'An audit of analytics, with averages that differ between products or days; `analytics.products` must name most products.',
  },
  'analytics.audit-empty-period': {
    title: 'A period far in the future or in the past is empty, or gets 4xx',
    needs: audit,
  },
  'analytics.audit-malformed-dates': {
    title: 'Invalid dates get a 4xx, not a 5xx, at either end of a period',
    needs: audit,
  },
  'analytics.audit-order': {
    title: 'An answer does not depend on the request before it',
    needs: quiet,
  },
  'analytics.audit-period': {
    title: 'In the audit, every answer names the period that was requested',
    needs: audit,
  },
  'analytics.audit-product-filter': {
    title: 'One product has at most the sessions of all products, and an unknown product has none',
    needs: filled,
  },
  'analytics.audit-products': {
    title: 'Product totals do not exceed the overall total',
    needs: 'An audit of analytics, and products with sessions (`analytics.products` names them).',
  },
  'analytics.audit-reread': {
    title: 'The second round of the audit gets the same answers as the first',
    needs: quiet,
  },
  'analytics.audit-reversed-dates': {
    title: 'A period that ends before it starts is empty, or gets 4xx',
    needs: audit,
  },
  'analytics.audit-session': {
    title: 'A new session changes every metric by the right amount',
    needs:
      'An audit that may create a session, with an interaction channel to judge more than `total_sessions`.',
  },
  'analytics.audit-top-shades': {
    title: 'Lists of top shades are sorted, repeat no SKU, and agree between periods and products',
    needs: 'An audit of analytics on an account with selections.',
  },
  'analytics.audit-widening': {
    title: 'A longer period never has fewer sessions than a period within it',
    needs: filled,
  },
} as const satisfies Audited;
