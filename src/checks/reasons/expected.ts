import type { Profile } from '../../target/profile.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import { kindText, type Pace, paceText } from './words/limits.ts';
import { type WithParams, worded } from './words/wording.ts';

/**
 * What a check expects, where that is not a plain value: a phrase, or one with parameters. By the id of the check, where it
 * always expects that: its findings need not say so.
 */
export const expectedWordings = {
  'analytics.audit-widening': 'total_sessions of a period at least that of each period within it',
  'analytics.audit-product-filter':
    'at most the sessions of all products, and none for a product without any',
  'analytics.audit-top-shades':
    'most selections first, no SKU twice, no more selections than over a longer period or all products, sums where lists are complete',
  'analytics.audit-period': '<start_date> / <end_date>',
  'analytics.audit-adjacent-periods':
    'total_sessions of two periods, one beginning where the other ends, add up to that of both',
  'analytics.audit-empty-period': 'zeros and no shades, or 4xx',
  'analytics.audit-reversed-dates': '4xx, or no session; never 5xx',
  'analytics.audit-malformed-dates':
    '4xx, the same at either end; never 5xx. Other forms of dates may be taken',
  'analytics.audit-reread': 'identical answers, order of top_shades included, while nothing happens',
  'analytics.audit-order':
    'identical answers to a question after each other one, and in a round from last to first',
  'analytics.audit-answers': 'readable 2xx answers, a cart intent rate between 0 and 1 among other things',
  'analytics.audit-averages':
    'of a period or of all products: the mean of its parts, weighted by their sessions; of n sessions: a whole number of n-ths',
  'analytics.audit-session':
    'of its product: one session, with its interactions an average of 1, a rate of 1 and one selection; of all products: one session more, or as many more as others may have opened',
  'analytics.audit-products': 'total_sessions over the products known add up to at most that of all products',
  'left-out': 'that part of the scenario',
  error: 'verdicts',
  'contract.explored': 'answers that the interface allows',
  'contract.expiry': 'expires_at in ISO 8601 with Z or +00:00, later than the answer',
  'contract.answers':
    'every 2xx answer readable as the interface describes it; 200 from POST /sessions and GET /analytics/sessions; JSON with 401, 402 and 404 where the profile promises it',
  'contract.auth-under-load': '401, 429 or 5xx',
  'contract.openapi': 'operation, status, media type, headers and body as the description has them',
  'contract.errors': 'no other status on a valid request',
  'analytics.product-filter': 'each field counts sessions of that product alone',
  'analytics.additivity': 'numbers that are the sums over the products',
  'analytics.sessions':
    'product, locale and catalog as created; every acknowledged event once, in one order for all sessions, and no other',
  'quota.precedence': 'always 402, or always 429',
  'quota.race': 'no more sessions than the quota',
  'no-side-effect': 'the sessions admitted',
  'quota.without-key': 'a key whose account has a small session quota',
  'books.sent': 'records = sent + not sent; sent = answers by status + losses by reason',
  'books.records': 'one of status, not_sent and lost; intended ≤ ready ≤ sent ≤ answered; seq unique',
  'history.integrity': 'every file as its manifest says, to the byte',
  'latency.table': 'for every answer to ordinary traffic: 0 ≤ service time ≤ response time',
  'latency.regular': 'slow answers, if any, do not come at regular intervals',
  'rate-limit.admitted': 'no more than the limit',
  'rate-limit.recovery':
    'no 429 after the overload for requests that every limiter of the promised limit would admit',
  'rate-limit.retry-after': 'admission after the wait, and every wait is one that a limiter may need',
  'rate-limit.others': 'nothing that this run cannot explain',
  'rate-limit.order': 'for each pair of 401, 404, 402 and 429, always the same one',
  'rate-limit.headers-remaining': 'a value that some limiter can have',
  'rate-limit.headers-reset': 'a future instant within two windows',
  'rate-limit.algorithm': 'any limiter of requests per time',
  'analytics.stable': ({ exclusive }: { exclusive: boolean }) =>
    exclusive
      ? 'identical answers while nothing happens'
      : 'identical answers for each product of the run; answers for all products may grow while others use the account',
  'rate-limit.enforced': ({ kind, limit }: { kind: string | null; limit: Pace | null }) =>
    `answers that ${kind === null ? 'some limiter' : `a ${kindText(kind)}`} of ${limit === null ? 'the promised limit' : paceText(limit)} explains`,
  'rate-limit.isolation': ({ scope }: { scope: Profile['limit_scope'] }) =>
    scope === 'shared'
      ? 'all keys share one limit'
      : `no 429 on the bystander${scope === 'discover' ? ', unless all keys share one limit' : ''}`,
  'rate-limit.wrongful': ({ limit }: { limit: Pace | null }) =>
    `every 429 is one that a limiter of ${limit === null ? 'its limit' : paceText(limit)} may give`,
} as const;

type ExpectedWordings = typeof expectedWordings;
type ExpectedCode = keyof ExpectedWordings;

/** An expectation as data: a code with its parameters. */
export interface Expects {
  readonly expects: ExpectedCode;
  readonly params?: object;
}

export function expects<Code extends ExpectedCode>(
  code: Code,
  ...[params]: WithParams<ExpectedWordings[Code]>
): Expects {
  return { expects: code, ...(params === undefined ? {} : { params }) };
}

/** What a check always expects. */
export function expectedAlways(id: CheckId): string {
  const wording = Object.entries(expectedWordings).find(([code]) => code === id)?.[1];
  if (typeof wording !== 'string') throw new Error(`${id}: a finding without what was expected`);
  return wording;
}

/** The expectation in words. */
export function expectedText({ expects: code, params = {} }: Expects): string {
  return worded(expectedWordings[code], params);
}
