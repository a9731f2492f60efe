import type { Entries } from './entry.ts';

const study = 'A limiter study: `tryon run limits`, or `studyLimits` in a scenario.';

/** Checks of the rate limit. */
export const rateLimitEntries = {
  'rate-limit.admitted': {
    title: 'Admissions within any window stay within what the limit allows',
    needs: 'A load over the limit, so that some requests get 429.',
  },
  'rate-limit.algorithm': {
    title: 'The limiter is of the promised kind, and rejects requests with 429',
    needs: study,
  },
  'rate-limit.enforced': {
    title: 'Requests over the promised limit get 429, and requests within it do not',
    needs: 'A load over the limit, long enough to fill a limiter of that size.',
  },
  'rate-limit.headers': {
    title: 'Rate-limit headers state the promised limit, and every 429 has the promised headers',
    needs: 'Answers with rate-limit headers, or answers with 429.',
  },
  'rate-limit.headers-remaining': {
    title: 'Every remaining value in a header is consistent with the limiter',
    needs: 'Answers with a header for the remaining requests.',
  },
  'rate-limit.headers-reset': {
    title: 'Every reset time in a header is consistent with the limiter',
    needs: 'Answers with a header for the reset.',
  },
  'rate-limit.isolation': {
    title: 'A key at its limit does not cause rejections of another key',
    needs: 'A bystander key, and a load that gets 429 on another key.',
  },
  'rate-limit.limit': {
    title: 'The limiter has the promised limit',
    needs: study,
  },
  'rate-limit.no-side-effect': {
    title: 'A session that is rejected with 429 is not created',
    needs: 'A limiter study in which new sessions get 429, and an analytics answer after it.',
  },
  'rate-limit.order': {
    title: 'A request with two reasons for rejection always gets the same status',
    needs: study,
  },
  'rate-limit.others': {
    title: 'Only this run spends the limits of its keys',
    needs:
      'Headers that count requests of others, or `shared_keys` or `redeliveries` in the profile; otherwise the check is left out.',
  },
  'rate-limit.recovery': {
    title: 'Requests are admitted again after the overload',
    needs: 'A load over the limit, and requests up to two windows after it.',
  },
  'rate-limit.rejections': {
    title: 'Retry-After of a 429 names a possible wait',
    needs: 'At least one answer with 429.',
  },
  'rate-limit.retry-after': {
    title: 'A client that waits as long as Retry-After says is admitted',
    needs: 'Answers with 429 that say when to retry, and requests after that wait.',
  },
  'rate-limit.scope': {
    title:
      'The limit applies to keys, addresses and endpoints as promised, and X-Forwarded-For changes nothing',
    needs:
      'A limiter study, or a load past the limit from several shards; and a bystander key to compare two keys.',
  },
  'rate-limit.window': {
    title: 'The limiter has the promised window',
    needs: study,
  },
  'rate-limit.wrongful': {
    title: 'No request below the limit gets 429',
    needs: 'At least one answer with 2xx or 429.',
  },
} as const satisfies Entries<'rate-limit'>;
