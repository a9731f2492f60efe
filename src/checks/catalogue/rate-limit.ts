import type { Entries } from './entry.ts';

const study = 'A limiter study: `tryon run limits`, or `studyLimits` in a scenario.';

/** Checks of the rate limit. */
export const rateLimitEntries = {
  'rate-limit.admitted': {
    title: 'Admissions within any window stay within what the limit allows',
    needs: 'A load over the limit, so that some requests get 429.',
    failing: 'The target admits more traffic than promised, which may overload it.',
    toDo: 'Check the limit of the limiter, and that all nodes count together in one atomic step.',
  },
  'rate-limit.algorithm': {
    title: 'The limiter is of the promised kind, and rejects requests with 429',
    needs: study,
    failing: 'Clients that expect the promised limiter are rejected or delayed at unexpected times.',
    toDo: 'Compare the named kind with the configuration, then correct the limiter or `limiter` in the profile.',
  },
  'rate-limit.enforced': {
    title: 'Requests over the promised limit get 429, and requests within it do not',
    needs: 'A load over the limit, long enough to fill a limiter of that size.',
    failing: 'The limit is missing, or it differs from the promised limit.',
    toDo: 'Check that the limiter covers every route and has the promised limit and window.',
  },
  'rate-limit.headers': {
    title: 'Rate-limit headers state the promised limit, and every 429 has the promised headers',
    needs: 'Answers with rate-limit headers, or answers with 429.',
    failing: 'Clients that read the headers expect a wrong limit.',
    toDo: 'Write the headers from the configuration of the limiter, or correct the profile.',
  },
  'rate-limit.headers-remaining': {
    title: 'Every remaining value in a header is consistent with the limiter',
    needs: 'Answers with a header for the remaining requests.',
    failing: 'Clients that follow this header stop too early, or are rejected.',
    toDo: 'Write the header from the same counter as the decision, after the decision.',
  },
  'rate-limit.headers-reset': {
    title: 'Every reset time in a header is consistent with the limiter',
    needs: 'Answers with a header for the reset.',
    failing: 'Clients that wait for the reset wait too long, or are rejected again.',
    toDo: 'Check whether the header holds a delay or a time, and where the current window ends.',
  },
  'rate-limit.isolation': {
    title: 'A key at its limit does not cause rejections of another key',
    needs: 'A bystander key, and a load that gets 429 on another key.',
    failing: 'The traffic of one customer makes requests of another customer fail.',
    toDo: 'Keep one limit for each key, or set `limit_scope: shared` in the profile if sharing is intended.',
  },
  'rate-limit.limit': {
    title: 'The limiter has the promised limit',
    needs: study,
    failing: 'Clients get fewer requests in a window than promised, or the target admits more.',
    toDo: 'Compare the measured limit with the configuration, and look for a comparison that is off by one.',
  },
  'rate-limit.no-side-effect': {
    title: 'A session that is rejected with 429 is not created',
    needs: 'A limiter study in which new sessions get 429, and an analytics answer after it.',
    failing: 'Rejected sessions appear in analytics, and a retry creates another one.',
    toDo: 'Run the limiter before the handler that creates the session.',
  },
  'rate-limit.order': {
    title: 'A request with two reasons for rejection always gets the same status',
    needs: study,
    failing: 'The status varies between equal requests, so that clients cannot tell what to correct.',
    toDo: 'Check key, resource, quota and rate limit in one fixed order.',
  },
  'rate-limit.others': {
    title: 'Only this run spends the limits of its keys',
    needs:
      'Headers that count requests of others, or `shared_keys` or `redeliveries` in the profile; otherwise the check is left out.',
    failing: 'This check never fails; if it is inconclusive, others may have caused the rejections.',
    toDo: 'Repeat the run with keys that no one else uses.',
  },
  'rate-limit.recovery': {
    title: 'Requests are admitted again after the overload',
    needs: 'A load over the limit, and requests up to two windows after it.',
    failing: 'A client that exceeds the limit once stays blocked for longer than the window.',
    toDo: 'Look for a block list, a penalty, or a window that rejected requests extend.',
  },
  'rate-limit.rejections': {
    title: 'Retry-After of a 429 names a possible wait',
    needs: 'At least one answer with 429.',
    failing: 'Clients that follow the header wait for a wrong time, for example for more than a day.',
    toDo: 'Write whole seconds or an HTTP date, not milliseconds or an epoch time.',
  },
  'rate-limit.retry-after': {
    title: 'A client that waits as long as Retry-After says is admitted',
    needs: 'Answers with 429 that say when to retry, and requests after that wait.',
    failing: 'Clients that follow the header are rejected again, or wait much too long.',
    toDo: 'Compute the wait from the state of the limiter, and round it up to whole seconds.',
  },
  'rate-limit.scope': {
    title:
      'The limit applies to keys, addresses and endpoints as promised, and X-Forwarded-For changes nothing',
    needs:
      'A limiter study, or a load past the limit from several shards; and a bystander key to compare two keys.',
    failing: 'Some requests evade the limit, or spend the limit of other clients.',
    toDo: 'Check what the limiter counts by, or correct `limit_scope` and `limit_endpoints` in the profile.',
  },
  'rate-limit.window': {
    title: 'The limiter has the promised window',
    needs: study,
    failing: 'Clients are admitted again earlier or later than promised.',
    toDo: 'Compare the measured window with the configuration, and check the unit of its time-to-live.',
  },
  'rate-limit.wrongful': {
    title: 'No request below the limit gets 429',
    needs: 'At least one answer with 2xx or 429.',
    failing: 'Clients that keep to the limit are rejected.',
    toDo: 'Check whether the limiter counts rejected requests or other clients, or has a lower limit.',
  },
} as const satisfies Entries<'rate-limit'>;
