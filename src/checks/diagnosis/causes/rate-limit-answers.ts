import { counted, listed, number, times, verb } from '../../../amounts.ts';
import { kind } from '../kind.ts';
import { requestText } from '../requests.ts';
import {
  headerChecks,
  headerSymptoms,
  likenesses,
  promiseChecks,
  rejectionChecks,
  studyChecks,
} from './rate-limit-symptoms.ts';

/** Causes around the limiter: whose requests and which endpoints it counts together, and what a rejection says and does. */
export const rateLimitAnswerCauses = {
  'limit-by-address': kind<Record<never, never>>({
    area: 'rate-limit',
    text: () => 'The limit is kept by client address, not by key.',
    example: {},
    behind: 'A limiter library that counts by client address, as most do by default.',
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
    behind: 'A limit that is kept by account, by pricing plan or for the whole service instead of by key.',
    explains: [
      'rate-limit.scope',
      'rate-limit.isolation',
      ...rejectionChecks,
      ...studyChecks,
      ...headerChecks,
    ],
    covers: [...likenesses, 'window-extended-by-rejections', 'retry-after-wrong', ...headerSymptoms],
    contradictedBy: ['rate-limit.isolation'],
  }),
  'limit-per-endpoint': kind<{ readonly endpoints: readonly string[] }>({
    area: 'rate-limit',
    text: ({ endpoints }) =>
      endpoints.length === 0
        ? 'Each endpoint has a separate limit.'
        : `Each endpoint has a separate limit: ${listed(endpoints.map(requestText), 4)} ${verb(endpoints.length, 'passes', 'pass')} while another is at its limit.`,
    example: { endpoints: ['analytics', 'read-session'] },
    behind: 'A counter whose key contains the route.',
    explains: ['rate-limit.scope', ...promiseChecks, ...studyChecks, ...headerChecks],
    covers: [...likenesses, 'limit-not-enforced', 'endpoint-not-limited', ...headerSymptoms],
    contradictedBy: ['rate-limit.scope'],
  }),
  'endpoint-not-limited': kind<{ readonly endpoint: string }>({
    area: 'rate-limit',
    text: ({ endpoint }) => `Requests to ${requestText(endpoint)} do not count against the rate limit.`,
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
      `Requests over the limit get ${status} in place of 429, ${times(refused)}.`,
    example: { status: 503, refused: 40 },
    behind: 'The default status of the limiter (nginx limit_req uses 503).',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [
      ...promiseChecks,
      ...studyChecks,
      'rate-limit.rejections',
      'rate-limit.scope',
      'contract.errors',
    ],
    covers: [...likenesses, 'limit-not-enforced', 'server-errors', ...headerSymptoms],
  }),
  'retry-after-wrong': kind<{ readonly how: string; readonly example: string }>({
    area: 'rate-limit',
    text: ({ example, how }) => `Retry-After is wrong (${how}). Example: ${example}.`,
    example: { how: 'in milliseconds', example: '4000, but two windows last only 12 s' },
    behind: 'Milliseconds, or an instant, in place of seconds; or a wait that is rounded down.',
    explains: ['rate-limit.retry-after', 'rate-limit.rejections', 'rate-limit.headers'],
  }),
  'refusal-headers-missing': kind<{ readonly headers: readonly string[]; readonly refused: number }>({
    area: 'rate-limit',
    text: ({ headers, refused }) =>
      `A header that the profile promises is missing in ${counted(refused, 'rejection')}: ${listed(headers)}.`,
    example: { headers: ['Retry-After'], refused: 40 },
    behind: 'An error handler or a proxy that answers 429 in place of the limiter.',
    explains: ['rate-limit.headers'],
  }),
  'stated-limit-wrong': kind<{ readonly states: string }>({
    area: 'rate-limit',
    text: ({ states }) => `Headers state another limit than the promised one (${states}).`,
    example: { states: 'draft-6: 90 per 6 s, not 100 per 6 s' },
    behind: 'A header with a constant, or with the limit of another pricing plan.',
    explains: ['rate-limit.headers'],
  }),
  'limit-headers-frozen': kind<{ readonly remaining: number; readonly answers: number }>({
    area: 'rate-limit',
    text: ({ answers, remaining }) =>
      `The rate-limit headers never change: in each of ${counted(answers, 'answer')} the remaining number is ${number(remaining)}.`,
    example: { remaining: 100, answers: 400 },
    behind: 'Headers that are made before the limiter decides, or from the configuration.',
    explains: [...headerChecks, 'rate-limit.retry-after'],
    covers: ['remaining-wrong', 'reset-wrong'],
  }),
  'remaining-wrong': kind<{ readonly wrong: number; readonly of: number }>({
    area: 'rate-limit',
    text: ({ of, wrong }) =>
      `The remaining number in the headers is wrong in ${number(wrong)} of ${counted(of, 'answer')}.`,
    example: { wrong: 40, of: 400 },
    behind: 'A header that is made from another counter than the decision, or before it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-remaining'],
  }),
  'reset-wrong': kind<{ readonly wrong: number; readonly of: number }>({
    area: 'rate-limit',
    text: ({ of, wrong }) =>
      `The reset in the headers cannot be true in ${number(wrong)} of ${counted(of, 'answer')}.`,
    example: { wrong: 40, of: 400 },
    behind: 'An epoch time in place of a delay, or the length of the window in place of what is left of it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-reset'],
  }),
  'rejections-have-effects': kind<{ readonly sessions: number; readonly status: number }>({
    area: 'rate-limit',
    text: ({ sessions, status }) =>
      `Rejected requests have effects: ${counted(sessions, 'session')} ${verb(sessions, 'exists', 'exist')} although ${verb(sessions, 'its', 'their')} creation got ${status}.`,
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
} as const;
