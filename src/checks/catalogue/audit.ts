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
    failing: 'Sessions at the boundary of two periods are lost or counted twice.',
    toDo: 'Check how `end_date` and the time zone are applied at midnight.',
  },
  'analytics.audit-answers': {
    title: 'Every valid analytics request gets a 2xx answer in the promised form',
    needs: audit,
    failing: 'Clients get errors or unreadable answers from analytics.',
    toDo: 'Repeat the request of the evidence, and look it up in the log of the target.',
  },
  'analytics.audit-averages': {
    title: 'Averages and rates of parts combine to those of the whole, weighted by sessions',
    needs:
      'An audit of analytics, with averages that differ between products or days; `analytics.products` must name most products.',
    failing: 'Averages are taken over the wrong sessions, or rounded too early.',
    toDo: 'Divide two sums over the same sessions, and round only the result.',
  },
  'analytics.audit-empty-period': {
    title: 'A period far in the future or in the past is empty, or gets 4xx',
    needs: audit,
    failing: 'Analytics ignore the dates, or fail on an empty period.',
    toDo: 'Apply both dates in every query, and return zeros where there are no sessions.',
  },
  'analytics.audit-malformed-dates': {
    title: 'Invalid dates get a 4xx, not a 5xx, at either end of a period',
    needs: audit,
    failing: 'A typing error in a date causes a server error, or an answer about another period.',
    toDo: 'Validate both dates before the query, and answer with 400.',
  },
  'analytics.audit-order': {
    title: 'An answer does not depend on the request before it',
    needs: quiet,
    failing: 'Clients may get the answer to another question, for example from a cache.',
    toDo: 'Put the account and every parameter into the key of the cache.',
  },
  'analytics.audit-period': {
    title: 'In the audit, every answer names the period that was requested',
    needs: audit,
    failing: 'Clients cannot match an answer to the requested period.',
    toDo: 'Write both dates as requested, with a space, a slash and a space between them.',
  },
  'analytics.audit-product-filter': {
    title: 'One product has at most the sessions of all products, and an unknown product has none',
    needs: filled,
    failing: 'Reports of one product contain sessions of other products.',
    toDo: 'Apply the product in every query behind the answer.',
  },
  'analytics.audit-products': {
    title: 'Product totals do not exceed the overall total',
    needs: 'An audit of analytics, and products with sessions (`analytics.products` names them).',
    failing: 'Sessions count for several products, or are missing from the overall total.',
    toDo: 'Check that each session has one product, and that both queries use the same sessions.',
  },
  'analytics.audit-reread': {
    title: 'The second round of the audit gets the same answers as the first',
    needs: quiet,
    failing: 'Reports change between two looks at the same data.',
    toDo: 'Read from one consistent source, and sort shades with equal selections by SKU.',
  },
  'analytics.audit-reversed-dates': {
    title: 'A period that ends before it starts is empty, or gets 4xx',
    needs: audit,
    failing: 'Two dates in the wrong order cause a server error.',
    toDo: 'Compare the two dates before the query, and answer with 400.',
  },
  'analytics.audit-session': {
    title: 'A new session changes every metric by the right amount',
    needs:
      'An audit that may create a session, with an interaction channel to judge more than `total_sessions`.',
    failing: 'New sessions are lost, counted twice, or counted with wrong values.',
    toDo: 'Follow the session of the evidence from its request to the analytics query.',
  },
  'analytics.audit-top-shades': {
    title: 'Lists of top shades are sorted, repeat no SKU, and agree between periods and products',
    needs: 'An audit of analytics on an account with selections.',
    failing: 'Lists of top shades contradict each other, so that some are wrong.',
    toDo: 'Check the grouping by SKU, the sorting by selections, and the length of the list.',
  },
  'analytics.audit-widening': {
    title: 'A longer period never has fewer sessions than a period within it',
    needs: filled,
    failing: 'Reports over longer periods lose sessions.',
    toDo: 'Check how dates are compared, and whether longer periods use another table.',
  },
} as const satisfies Audited;
