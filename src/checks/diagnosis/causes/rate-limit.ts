import { counted, listed, number, seconds } from '../../../amounts.ts';
import { kind } from '../kind.ts';

const promiseChecks = [
  'rate-limit.enforced',
  'rate-limit.wrongful',
  'rate-limit.admitted',
  'rate-limit.recovery',
] as const;
const studyChecks = ['rate-limit.algorithm', 'rate-limit.limit', 'rate-limit.window'] as const;

/** Causes in how requests are limited. */
export const rateLimitCauses = {
  'limit-not-enforced': kind<{
    readonly admitted: number;
    readonly windowMs: number;
    readonly limit: number;
  }>({
    area: 'rate-limit',
    text: ({ admitted, limit, windowMs }) =>
      `The rate limit is not enforced: ${counted(admitted, 'request')} passed in ${seconds(windowMs * 1e6)}, and none was refused; the limit is ${number(limit)}.`,
    example: { admitted: 160, windowMs: 6000, limit: 100 },
    behind: 'A limiter that is not mounted on these routes, or that fails open without its store.',
    explains: [...promiseChecks, ...studyChecks, 'rate-limit.rejections', 'rate-limit.retry-after'],
    covers: ['limit-differs', 'admits-over-limit'],
  }),
  'limit-differs': kind<{ readonly found: number; readonly promised: number; readonly windowMs: number }>({
    area: 'rate-limit',
    text: ({ found, promised, windowMs }) =>
      `The limit is ${number(found)} per ${seconds(windowMs * 1e6)}; ${number(promised)} are promised.`,
    example: { found: 101, promised: 100, windowMs: 6000 },
    behind: 'An off-by-one comparison, or the limit of another plan.',
    explains: [...promiseChecks, 'rate-limit.limit', 'rate-limit.headers', 'rate-limit.headers-remaining'],
    covers: ['admits-over-limit', 'refused-below-limit'],
    contradictedBy: ['rate-limit.limit'],
  }),
  'window-differs': kind<{ readonly foundMs: number; readonly promisedMs: number }>({
    area: 'rate-limit',
    text: ({ foundMs, promisedMs }) =>
      `The window is ${seconds(foundMs * 1e6)}; ${seconds(promisedMs * 1e6)} are promised.`,
    example: { foundMs: 5400, promisedMs: 6000 },
    behind: 'A time-to-live that is set to another value, or in another unit.',
    explains: [...promiseChecks, 'rate-limit.window', 'rate-limit.headers-reset'],
    covers: ['admits-over-limit', 'refused-below-limit', 'limit-differs'],
    contradictedBy: ['rate-limit.window'],
  }),
  'algorithm-differs': kind<{ readonly found: string; readonly promised: string }>({
    area: 'rate-limit',
    text: ({ found, promised }) => `The limiter is a ${found}; a ${promised} is promised.`,
    example: { found: 'fixed window', promised: 'sliding log' },
    behind: 'A limiter that was replaced, while its documentation was not.',
    explains: [...promiseChecks, ...studyChecks],
    covers: ['admits-over-limit', 'refused-below-limit', 'limit-differs'],
    contradictedBy: ['rate-limit.algorithm'],
  }),
  'window-extended-by-rejections': kind<{ readonly windowMs: number }>({
    area: 'rate-limit',
    text: ({ windowMs }) =>
      `Rejected requests count: each one extends the window of ${seconds(windowMs * 1e6)}, so a client that retries stays locked out.`,
    example: { windowMs: 6000 },
    behind: 'A counter that is incremented, or a time-to-live that is renewed, before the decision.',
    explains: [...promiseChecks, ...studyChecks, 'rate-limit.retry-after'],
    covers: [
      'limit-differs',
      'window-differs',
      'algorithm-differs',
      'refused-below-limit',
      'key-stays-refused',
      'retry-after-wrong',
      'limiter-unknown',
    ],
  }),
  'counters-per-node': kind<{ readonly nodes: number }>({
    area: 'rate-limit',
    text: ({ nodes }) =>
      `Requests are counted by ${nodes > 1 ? `${number(nodes)} nodes` : 'several nodes'}, each by itself.`,
    example: { nodes: 2 },
    behind: 'A limiter in the memory of each process behind a load balancer, instead of one shared store.',
    explains: [...promiseChecks, ...studyChecks, 'rate-limit.headers', 'rate-limit.headers-remaining'],
    covers: [
      'limit-differs',
      'algorithm-differs',
      'admits-over-limit',
      'refused-below-limit',
      'remaining-wrong',
      'limiter-unknown',
    ],
  }),
  'requests-queued': kind<{ readonly perSecond: number }>({
    area: 'rate-limit',
    text: ({ perSecond }) =>
      `Requests past the limit are not refused with 429: they wait in a queue of ${number(perSecond)} a second.`,
    example: { perSecond: 16.7 },
    behind: 'A proxy that delays instead of refusing (nginx limit_req with a burst and without nodelay).',
    explains: [...promiseChecks, ...studyChecks],
    covers: ['limit-not-enforced', 'limit-differs', 'limiter-unknown'],
  }),
  'admits-over-limit': kind<{ readonly admitted: number; readonly limit: number; readonly windowMs: number }>(
    {
      area: 'rate-limit',
      text: ({ admitted, limit, windowMs }) =>
        `${number(admitted)} requests are admitted in ${seconds(windowMs * 1e6)}; no limiter of ${number(limit)} admits more than its limit.`,
      example: { admitted: 112, limit: 100, windowMs: 6000 },
      behind: 'A counter that is read and then written, so that requests at the same time pass together.',
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
      `${counted(refused, 'request')} ${refused === 1 ? 'is' : 'are'} refused although fewer than ${number(limit)} came in ${seconds(windowMs * 1e6)}.`,
    example: { refused: 9, limit: 100, windowMs: 6000 },
    behind: 'A limiter that counts more than this client’s requests, or a lower limit in front of it.',
    explains: ['rate-limit.wrongful', 'rate-limit.enforced', 'rate-limit.isolation'],
  }),
  'key-stays-refused': kind<{ readonly role: string }>({
    area: 'rate-limit',
    text: ({ role }) =>
      `The ${role} key is still refused when every limiter of the promised window has forgotten its requests.`,
    example: { role: 'load' },
    behind: 'A block list or a penalty that lasts longer than the window.',
    explains: ['rate-limit.recovery', 'rate-limit.wrongful', 'rate-limit.retry-after', ...studyChecks],
    covers: ['refused-below-limit', 'retry-after-wrong'],
  }),
  'limiter-unknown': kind<{ readonly limit: number; readonly windowMs: number }>({
    area: 'rate-limit',
    text: ({ limit, windowMs }) =>
      `No known kind of limiter of ${number(limit)} per ${seconds(windowMs * 1e6)} explains the answers.`,
    example: { limit: 100, windowMs: 6000 },
    behind: 'Several limits at once, a limit that changes, or other requests that spend it.',
    explains: [...promiseChecks, ...studyChecks],
  }),
  'limit-by-address': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () => 'The limit is kept by client address, not by key.',
    example: {},
    behind: 'The default key of most limiter libraries is the client’s address.',
    explains: ['rate-limit.scope', 'rate-limit.isolation', ...promiseChecks],
    covers: ['limit-shared-by-keys', 'refused-below-limit'],
  }),
  'limit-shared-by-keys': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () => 'Two keys share one limit: one key’s load makes the other’s requests fail.',
    example: {},
    behind: 'A limit that is kept by account, by plan or for the whole service instead of by key.',
    explains: ['rate-limit.scope', 'rate-limit.isolation', ...promiseChecks],
    covers: ['refused-below-limit'],
  }),
  'limit-per-endpoint': kind<{ readonly endpoints: readonly string[] }>({
    area: 'rate-limit',
    text: ({ endpoints }) =>
      `Each endpoint has a limit of its own: ${listed(endpoints)} ${endpoints.length === 1 ? 'passes' : 'pass'} while another is at its limit.`,
    example: { endpoints: ['analytics', 'read-session'] },
    behind: 'A counter whose key contains the route.',
    explains: ['rate-limit.scope', ...promiseChecks],
    covers: ['endpoint-not-limited', 'admits-over-limit'],
  }),
  'endpoint-not-limited': kind<{ readonly endpoint: string }>({
    area: 'rate-limit',
    text: ({ endpoint }) => `${endpoint} does not count against the rate limit.`,
    example: { endpoint: 'analytics' },
    behind: 'A route that is registered outside the limiter.',
    explains: ['rate-limit.scope', ...promiseChecks],
    about: ({ endpoint }) => endpoint,
    covers: ['admits-over-limit'],
  }),
  'forwarded-address-trusted': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () => 'A new X-Forwarded-For header gives a key a new limit.',
    example: {},
    behind: 'A trusted-proxy setting that believes the header of any client.',
    explains: ['rate-limit.scope', ...promiseChecks],
    covers: ['admits-over-limit'],
  }),
  'rejection-status-wrong': kind<{ readonly status: number; readonly refused: number }>({
    area: 'rate-limit',
    text: ({ refused, status }) =>
      `Requests past the limit get ${status} in place of 429: ${number(refused)} times.`,
    example: { status: 503, refused: 40 },
    behind: 'The default status of the limiter (nginx limit_req uses 503).',
    explains: [...promiseChecks, 'rate-limit.rejections', 'contract.availability', 'contract.errors'],
    covers: ['limit-not-enforced', 'server-errors'],
  }),
  'retry-after-wrong': kind<{ readonly how: string; readonly example: string }>({
    area: 'rate-limit',
    text: ({ example, how }) => `Retry-After is ${how}: ${example}.`,
    example: { how: 'too long', example: '4,000 s where 3 s were enough' },
    behind: 'Milliseconds, or an instant, in place of seconds; or a wait that is rounded down.',
    explains: ['rate-limit.retry-after', 'rate-limit.rejections', 'rate-limit.headers'],
    about: ({ how }) => how,
  }),
  'remaining-wrong': kind<{ readonly wrong: number; readonly of: number }>({
    area: 'rate-limit',
    text: ({ of, wrong }) =>
      `${number(wrong)} of ${number(of)} rate-limit headers say a remainder that the limiter does not have.`,
    example: { wrong: 40, of: 400 },
    behind: 'A header that is made from another counter than the decision, or before it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-remaining'],
  }),
  'reset-wrong': kind<{ readonly wrong: number; readonly of: number }>({
    area: 'rate-limit',
    text: ({ of, wrong }) =>
      `${number(wrong)} of ${number(of)} rate-limit headers say a reset that does not come true.`,
    example: { wrong: 40, of: 400 },
    behind: 'An epoch time in place of a delay, or the length of the window in place of what is left of it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-reset'],
  }),
  'rejections-have-effects': kind<{ readonly what: string }>({
    area: 'rate-limit',
    text: ({ what }) => `Rejected requests are carried out all the same: ${what}.`,
    example: { what: '2 sessions exist that were refused with 429' },
    behind: 'A limiter that runs after the handler, or beside it.',
    explains: ['rate-limit.no-side-effect', 'analytics.total-sessions', 'quota.no-side-effect'],
    covers: ['sessions-counted-wrong'],
  }),
} as const;
