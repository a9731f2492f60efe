import { counted, listed, number, type Range, range, seconds, times, verb } from '../../../amounts.ts';
import { kind } from '../kind.ts';

const promiseChecks = [
  'rate-limit.enforced',
  'rate-limit.wrongful',
  'rate-limit.admitted',
  'rate-limit.recovery',
] as const;
const studyChecks = ['rate-limit.algorithm', 'rate-limit.limit', 'rate-limit.window'] as const;
const headerChecks = [
  'rate-limit.headers',
  'rate-limit.headers-remaining',
  'rate-limit.headers-reset',
] as const;
/** Where the limiter is another than the promised one, headers that speak of either are wrong by the other. */
const headerSymptoms = ['remaining-wrong', 'reset-wrong', 'stated-limit-wrong'] as const;
/** What a limiter looks like whose real fault is another one. */
const likenesses = [
  'limit-differs',
  'window-differs',
  'algorithm-differs',
  'limiter-unknown',
  'admits-over-limit',
  'refused-below-limit',
  'other-users-of-key',
] as const;

/** Causes in how requests are limited. */
export const rateLimitCauses = {
  'limit-not-enforced': kind<{
    readonly admitted: number;
    readonly windowMs: number;
    readonly limit: number;
  }>({
    area: 'rate-limit',
    text: ({ admitted, limit, windowMs }) =>
      `The rate limit is not enforced: ${counted(admitted, 'request')} passed within ${seconds(windowMs)} and none was refused, with a limit of ${number(limit)}.`,
    example: { admitted: 160, windowMs: 6000, limit: 100 },
    behind: 'A limiter that is not mounted on these routes, or that fails open without its store.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [
      ...promiseChecks,
      ...studyChecks,
      ...headerChecks,
      'rate-limit.rejections',
      'rate-limit.retry-after',
    ],
    covers: ['limit-differs', 'admits-over-limit', ...headerSymptoms],
  }),
  'limit-differs': kind<{
    readonly least?: number;
    readonly most?: number;
    readonly promised: number;
    readonly windowMs: number;
  }>({
    area: 'rate-limit',
    text: ({ least, most, promised, windowMs }) =>
      `The limit is ${range(bounds(least, most))} per ${seconds(windowMs)}; the promise is ${number(promised)}.`,
    example: { least: 101, most: 101, promised: 100, windowMs: 6000 },
    behind: 'An off-by-one comparison, or the limit of another plan.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, 'rate-limit.limit', ...headerChecks],
    covers: ['admits-over-limit', 'refused-below-limit', 'other-users-of-key', ...headerSymptoms],
    contradictedBy: ['rate-limit.limit'],
  }),
  'window-differs': kind<{
    readonly leastMs?: number;
    readonly mostMs?: number;
    readonly promisedMs: number;
  }>({
    area: 'rate-limit',
    text: ({ leastMs, mostMs, promisedMs }) =>
      `The window is ${range(bounds(leastMs, mostMs), seconds)}; the promise is ${seconds(promisedMs)}.`,
    example: { leastMs: 5390, mostMs: 5410, promisedMs: 6000 },
    behind: 'A time-to-live that is set to another value, or in another unit.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, 'rate-limit.window', ...headerChecks],
    covers: [...likenesses, ...headerSymptoms],
    contradictedBy: ['rate-limit.window'],
  }),
  'rate-differs': kind<{
    readonly limit: number;
    readonly windowMs: number;
    readonly promised: number;
    readonly promisedMs: number;
  }>({
    area: 'rate-limit',
    text: ({ limit, promised, promisedMs, windowMs }) =>
      `The limit is ${number(limit)} per ${seconds(windowMs)}; the promise is ${number(promised)} per ${seconds(promisedMs)}.`,
    example: { limit: 10, windowMs: 1000, promised: 600, promisedMs: 60_000 },
    behind: 'The limit of another plan, or one that is spread over the window in smaller parts.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [...likenesses, 'retry-after-wrong', ...headerSymptoms],
    contradictedBy: ['rate-limit.limit', 'rate-limit.window'],
  }),
  'algorithm-differs': kind<{ readonly found: string; readonly promised: string }>({
    area: 'rate-limit',
    text: ({ found, promised }) => `The limiter is a ${found}; the promise is a ${promised}.`,
    example: { found: 'fixed window', promised: 'sliding-log' },
    behind: 'A limiter that was replaced, while its documentation was not.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [
      'limit-differs',
      'limiter-unknown',
      'admits-over-limit',
      'refused-below-limit',
      'retry-after-wrong',
      ...headerSymptoms,
    ],
    contradictedBy: ['rate-limit.algorithm'],
  }),
  'window-extended-by-rejections': kind<{ readonly windowMs: number }>({
    area: 'rate-limit',
    text: ({ windowMs }) =>
      `Rejected requests count: each one extends the window of ${seconds(windowMs)}, so a client that retries stays locked out.`,
    example: { windowMs: 6000 },
    behind: 'A counter that is incremented, or a time-to-live that is renewed, before the decision.',
    // The third is admitted where a window ends, and not where the rejections of the second began it anew.
    burst: ({ windowMs }) => ({ past: 'limit', factor: 1.2, pauseMs: windowMs * 0.6 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks, 'rate-limit.retry-after'],
    covers: [...likenesses, 'key-stays-refused', 'retry-after-wrong', ...headerSymptoms],
  }),
  'counters-per-node': kind<{ readonly nodes: number }>({
    area: 'rate-limit',
    text: ({ nodes }) =>
      `${nodes > 1 ? counted(nodes, 'node') : 'Several nodes'} of the service count requests, each by itself.`,
    example: { nodes: 2 },
    behind: 'A limiter in the memory of each process behind a load balancer, instead of one shared store.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks, 'rate-limit.retry-after'],
    covers: [...likenesses, 'retry-after-wrong', ...headerSymptoms],
  }),
  'count-starts-anew': kind<{ readonly times: number; readonly windowMs: number }>({
    area: 'rate-limit',
    text: ({ times: count, windowMs }) =>
      `The count of a key is lost and starts anew: ${times(count)} within ${seconds(windowMs)} nearly the whole limit remains again.`,
    example: { times: 4, windowMs: 6000 },
    behind: 'Counters in a cache that is too small: other keys, valid or not, push them out.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [...likenesses, 'limit-not-enforced', ...headerSymptoms],
  }),
  'requests-queued': kind<{ readonly perSecond?: number }>({
    area: 'rate-limit',
    text: ({ perSecond }) =>
      `Requests past the limit are not refused with 429: they wait in a queue${perSecond === undefined ? '' : ` of ${number(perSecond)} a second`}.`,
    example: { perSecond: 16.7 },
    behind: 'A proxy that delays instead of refusing (nginx limit_req with a burst and without nodelay).',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [...likenesses, 'limit-not-enforced', 'requests-unanswered', ...headerSymptoms],
  }),
  'limits-concurrency': kind<{ readonly atOnce?: number }>({
    area: 'rate-limit',
    text: ({ atOnce }) =>
      `The limit is on requests at the same time${atOnce === undefined ? '' : ` (about ${number(atOnce)})`}, not on requests per time.`,
    example: { atOnce: 10 },
    behind: 'A pool of workers or connections with a short queue, in place of a rate limiter.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [...likenesses, 'limit-not-enforced', ...headerSymptoms],
  }),
  'key-stays-refused': kind<{ readonly role: string }>({
    area: 'rate-limit',
    text: ({ role }) =>
      `The ${role} key is never admitted again, although every limiter of the promised window has forgotten its requests.`,
    example: { role: 'load' },
    behind: 'A block list, a penalty longer than the window, or a counter that lost its time-to-live.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks, ...headerChecks, 'rate-limit.retry-after'],
    covers: [...likenesses, 'retry-after-wrong', ...headerSymptoms],
  }),
  'limit-by-address': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () => 'The limit is kept by client address, not by key.',
    example: {},
    behind: 'The default key of most limiter libraries is the client’s address.',
    explains: ['rate-limit.scope', 'rate-limit.isolation', ...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [
      ...likenesses,
      'window-extended-by-rejections',
      'limit-shared-by-keys',
      'retry-after-wrong',
      ...headerSymptoms,
    ],
  }),
  'limit-shared-by-keys': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () => 'Several keys share one limit: the load of one key makes requests of another fail.',
    example: {},
    behind: 'A limit that is kept by account, by plan or for the whole service instead of by key.',
    explains: ['rate-limit.scope', 'rate-limit.isolation', ...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [...likenesses, 'window-extended-by-rejections', 'retry-after-wrong', ...headerSymptoms],
    contradictedBy: ['rate-limit.isolation'],
  }),
  'limit-per-endpoint': kind<{ readonly endpoints: readonly string[] }>({
    area: 'rate-limit',
    text: ({ endpoints }) =>
      endpoints.length === 0
        ? 'Each endpoint has a limit of its own.'
        : `Each endpoint has a limit of its own: ${listed(endpoints)} ${verb(endpoints.length, 'passes', 'pass')} while another is at its limit.`,
    example: { endpoints: ['analytics', 'read-session'] },
    behind: 'A counter whose key contains the route.',
    explains: ['rate-limit.scope', ...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [...likenesses, 'limit-not-enforced', 'endpoint-not-limited', ...headerSymptoms],
    contradictedBy: ['rate-limit.scope'],
  }),
  'endpoint-not-limited': kind<{ readonly endpoint: string }>({
    area: 'rate-limit',
    text: ({ endpoint }) => `${endpoint} does not count against the rate limit.`,
    example: { endpoint: 'analytics' },
    behind: 'A route that is registered outside the limiter.',
    explains: ['rate-limit.scope', ...promiseChecks, ...headerChecks],
    about: ({ endpoint }) => endpoint,
    covers: [...likenesses, 'limit-not-enforced', ...headerSymptoms],
  }),
  'forwarded-address-trusted': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () => 'A new X-Forwarded-For header gives a key a new limit.',
    example: {},
    behind: 'A trusted-proxy setting that believes the header of any client.',
    explains: ['rate-limit.scope', ...promiseChecks, ...headerChecks],
    covers: [...likenesses, ...headerSymptoms],
  }),
  'rejection-status-wrong': kind<{ readonly status: number; readonly refused: number }>({
    area: 'rate-limit',
    text: ({ refused, status }) =>
      `Requests past the limit get ${status} in place of 429, ${times(refused)}.`,
    example: { status: 503, refused: 40 },
    behind: 'The default status of the limiter (nginx limit_req uses 503).',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [
      ...promiseChecks,
      ...studyChecks,
      'rate-limit.rejections',
      'rate-limit.scope',
      'contract.availability',
      'contract.errors',
    ],
    covers: [...likenesses, 'limit-not-enforced', 'server-errors', ...headerSymptoms],
  }),
  'retry-after-wrong': kind<{ readonly how: string; readonly example: string }>({
    area: 'rate-limit',
    text: ({ example, how }) => `Retry-After is ${how}: ${example}.`,
    example: { how: 'in milliseconds', example: '4000 where two windows last 12 s' },
    behind: 'Milliseconds, or an instant, in place of seconds; or a wait that is rounded down.',
    explains: ['rate-limit.retry-after', 'rate-limit.rejections', 'rate-limit.headers'],
  }),
  'refusal-headers-missing': kind<{ readonly headers: readonly string[]; readonly refused: number }>({
    area: 'rate-limit',
    text: ({ headers, refused }) =>
      `${counted(refused, 'rejection')} ${verb(refused, 'lacks', 'lack')} a header that the profile promises: ${listed(headers)}.`,
    example: { headers: ['Retry-After'], refused: 40 },
    behind: 'An error handler or a proxy that answers 429 in place of the limiter.',
    explains: ['rate-limit.headers'],
  }),
  'stated-limit-wrong': kind<{ readonly states: string }>({
    area: 'rate-limit',
    text: ({ states }) => `Headers state another limit than the promised one: ${states}.`,
    example: { states: 'it states 90 per 6 s, not 100 per 6 s' },
    behind: 'A header with a constant, or with the limit of another plan.',
    explains: ['rate-limit.headers'],
  }),
  'limit-headers-frozen': kind<{ readonly remaining: number; readonly answers: number }>({
    area: 'rate-limit',
    text: ({ answers, remaining }) =>
      `The rate-limit headers never change: all ${counted(answers, 'answer')} say that ${number(remaining)} remain${remaining === 1 ? 's' : ''}.`,
    example: { remaining: 100, answers: 400 },
    behind: 'Headers that are made before the limiter is asked, or from the configuration.',
    explains: [...headerChecks, 'rate-limit.retry-after'],
    covers: ['remaining-wrong', 'reset-wrong'],
  }),
  'remaining-wrong': kind<{ readonly wrong: number; readonly of: number }>({
    area: 'rate-limit',
    text: ({ of, wrong }) =>
      `${number(wrong)} of ${counted(of, 'answer')} ${verb(wrong, 'says', 'say')} that something remains of the limit which does not, or the reverse.`,
    example: { wrong: 40, of: 400 },
    behind: 'A header that is made from another counter than the decision, or before it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-remaining'],
  }),
  'reset-wrong': kind<{ readonly wrong: number; readonly of: number }>({
    area: 'rate-limit',
    text: ({ of, wrong }) =>
      `${number(wrong)} of ${counted(of, 'answer')} ${verb(wrong, 'names', 'name')} a reset of the limit that cannot be true.`,
    example: { wrong: 40, of: 400 },
    behind: 'An epoch time in place of a delay, or the length of the window in place of what is left of it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-reset'],
  }),
  'rejections-have-effects': kind<{ readonly sessions: number; readonly status: number }>({
    area: 'rate-limit',
    text: ({ sessions, status }) =>
      `Rejected requests are carried out all the same: ${counted(sessions, 'session')} ${verb(sessions, 'exists', 'exist')} that ${verb(sessions, 'was', 'were')} refused with ${status}.`,
    example: { sessions: 2, status: 429 },
    behind: 'A limiter or a quota that is checked after the handler, or beside it.',
    explains: [
      'rate-limit.no-side-effect',
      'quota.no-side-effect',
      'analytics.total-sessions',
      'analytics.sessions',
    ],
    covers: ['refused-interaction-stored', 'sessions-counted-wrong'],
  }),
  // What is seen of a fault whose cause nothing shows: after all that would explain it.
  'admits-over-limit': kind<{ readonly admitted: number; readonly limit: number; readonly windowMs: number }>(
    {
      area: 'rate-limit',
      text: ({ admitted, limit, windowMs }) =>
        `${counted(admitted, 'request')} ${verb(admitted, 'is', 'are')} admitted within ${seconds(windowMs)}, more than the limit of ${number(limit)} allows.`,
      example: { admitted: 112, limit: 100, windowMs: 6000 },
      behind: 'A counter that is read and then written, so that requests at the same time pass together.',
      burst: () => ({ past: 'limit', factor: 1.2 }),
      explains: [...promiseChecks],
    },
  ),
  'refused-below-limit': kind<{
    readonly refused: number;
    readonly limit: number;
    readonly windowMs: number;
  }>({
    area: 'rate-limit',
    text: ({ limit, refused, windowMs }) =>
      `${counted(refused, 'request')} ${verb(refused, 'is', 'are')} refused although fewer than ${number(limit)} came within ${seconds(windowMs)}.`,
    example: { refused: 9, limit: 100, windowMs: 6000 },
    behind: 'A limiter that counts more than this client’s requests, or a lower limit in front of it.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: ['rate-limit.wrongful', 'rate-limit.recovery', 'rate-limit.enforced', 'rate-limit.isolation'],
  }),
  'limiter-unknown': kind<{ readonly limit: number; readonly windowMs: number }>({
    area: 'rate-limit',
    text: ({ limit, windowMs }) =>
      `No known kind of limiter of ${number(limit)} per ${seconds(windowMs)} explains the answers.`,
    example: { limit: 100, windowMs: 6000 },
    behind: 'Several limits at once, a limit that changes, or other requests that spend it.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...promiseChecks, ...studyChecks],
    covers: ['admits-over-limit', 'refused-below-limit'],
  }),
} as const;

/** A closed interval, of which an end may be missing. */
function bounds(min: number | undefined, max: number | undefined): Range {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}
