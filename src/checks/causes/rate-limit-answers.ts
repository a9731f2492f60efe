import { counted, listed, number, seconds, span, times, verb } from '../../amounts.ts';
import { requestText } from '../reasons/words/requests.ts';
import { relations } from './explained.ts';
import { kind } from './kind.ts';
import {
  headerChecks,
  limiterFault,
  promiseChecks,
  rejectionChecks,
  studyChecks,
} from './rate-limit-symptoms.ts';

/** Causes around the limiter: whose requests and which endpoints it counts together, and what a rejection says and does. */
export const rateLimitAnswerCauses = {
  'limit-by-address': limiterFault<{ readonly keys?: 'together' | 'apart' | 'limited-too' }>({
    text: ({ keys = 'together' }) =>
      ({
        together: 'The limit is kept by client address, not by key.',
        apart: 'Each key has a separate limit at each client address.',
        'limited-too': 'Each client address has a limit, in addition to that of each key.',
      })[keys],
    behind: 'A limiter library that counts by client address, as most do by default.',
    explains: ['rate-limit.scope', 'rate-limit.isolation', ...promiseChecks, ...studyChecks, ...headerChecks],
    looksLike: [
      // From several addresses, limits of each add up as those of nodes do, and as many as are in use at the time.
      'window-extended-by-rejections',
      'counters-per-node',
      'limit-drifts',
      'limit-shared-by-keys',
      'retry-after-wrong',
    ],
  }),
  'limit-shared-by-keys': limiterFault({
    text: 'Several keys share one limit: the load of one key makes requests of another fail.',
    behind: 'A limit that is kept by account, by pricing plan or for the whole service instead of by key.',
    explains: [
      'rate-limit.scope',
      'rate-limit.isolation',
      ...rejectionChecks,
      ...studyChecks,
      ...headerChecks,
    ],
    looksLike: ['limit-drifts', 'window-extended-by-rejections', 'retry-after-wrong'],
    contradictedBy: ['rate-limit.isolation'],
  }),
  'limit-per-endpoint': limiterFault<{ readonly endpoints: readonly string[] }>({
    text: ({ endpoints }) =>
      endpoints.length === 0
        ? 'Each endpoint has a separate limit.'
        : `Each endpoint has a separate limit: ${listed(endpoints.map(requestText), 4)} ${verb(endpoints.length, 'passes', 'pass')} while another is at its limit.`,
    behind: 'A counter whose key contains the route.',
    explains: ['rate-limit.scope', ...promiseChecks, ...studyChecks, ...headerChecks],
    looksLike: ['limit-not-enforced', 'endpoint-not-limited'],
    contradictedBy: ['rate-limit.scope'],
  }),
  'limit-per-url': limiterFault({
    text: 'Each URL has a separate limit: lists of one catalog are rejected while lists of others pass.',
    behind: 'A counter whose key contains the whole URL, with its parameters.',
    orElse: 'A limit per endpoint, where requests with other parameters are no part of the load.',
    explains: ['rate-limit.scope', ...promiseChecks, ...studyChecks, ...headerChecks],
    looksLike: ['limit-not-enforced', 'limit-per-endpoint', 'endpoint-not-limited'],
  }),
  'bursts-not-counted': limiterFault<{ readonly free: number; readonly pauseMs: number }>({
    text: ({ free, pauseMs }) =>
      `The first ${counted(free, 'request')} of each burst do not count against the rate limit, that is, after a pause of ${span(pauseMs)} or less.`,
    behind: 'A limiter that fails open while it connects to its store, or opens an entry in the background.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: ['rate-limit.scope', ...promiseChecks, ...studyChecks, ...headerChecks],
    looksLike: ['limit-not-enforced'],
  }),
  'repeats-not-counted': limiterFault<{ readonly withinMs: number }>({
    text: ({ withinMs }) =>
      `A GET that is repeated within ${seconds(withinMs)} does not count against the rate limit.`,
    behind: 'A cache in front of the limiter, which answers equal requests by itself.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: ['rate-limit.scope', ...promiseChecks, ...studyChecks, ...headerChecks],
    looksLike: ['limit-not-enforced', 'endpoint-not-limited'],
  }),
  'forgets-keys': limiterFault<{ readonly others: number }>({
    text: ({ others }) =>
      `The limiter loses its count of a key once ${counted(others, 'other key')} ${verb(others, 'was', 'were')} used since.`,
    behind: 'Counters in a cache of fixed size: the keys used least recently are dropped from it.',
    explains: [
      'rate-limit.scope',
      ...promiseChecks,
      ...studyChecks,
      ...headerChecks,
      'rate-limit.retry-after',
    ],
    looksLike: ['window-differs', 'limit-not-enforced', 'count-starts-anew', 'retry-after-wrong'],
  }),
  'some-endpoints-limited': limiterFault<{
    readonly rejected: string;
    readonly passing: readonly string[];
    readonly passed: number;
  }>({
    text: ({ passed, passing, rejected }) =>
      `While ${requestText(rejected)} is rejected, ${counted(passed, 'request')} to ${listed(passing.map(requestText), 2)} ${verb(passed, 'passes', 'pass')}.`,
    behind: 'A limit of some routes or methods alone, or routes that the limiter does not count.',
    explains: ['rate-limit.scope', ...promiseChecks, ...headerChecks],
  }),
  'endpoint-not-limited': limiterFault<{ readonly endpoint: string }>({
    text: ({ endpoint }) => `Requests to ${requestText(endpoint)} do not count against the rate limit.`,
    behind: 'A route that is registered outside the limiter.',
    explains: ['rate-limit.scope', ...promiseChecks, ...headerChecks],
    about: ({ endpoint }) => endpoint,
    looksLike: ['limit-not-enforced'],
  }),
  'forwarded-address-trusted': limiterFault({
    text: 'A new X-Forwarded-For header, or one like it, gives a key a new limit.',
    behind: 'A trusted-proxy setting that believes the header of any client.',
    explains: ['rate-limit.scope', ...promiseChecks, ...headerChecks],
  }),
  'limit-by-spelling': limiterFault<Record<never, never>>({
    text: () => 'A key at its limit is admitted at the same path with a slash at its end.',
    behind: 'A limiter that takes the path as it is sent, before the router normalises it.',
    explains: ['rate-limit.scope', ...promiseChecks, ...headerChecks],
  }),
  'limit-by-connection': limiterFault<{
    /** New connections that admitted the key at its limit; without `of`, connections that reject by a limit of their own. */
    readonly connections?: number;
    /** How many new connections were tried. */
    readonly of?: number;
    /** Nodes that get connections in turn, and that reject by a limit of their own. */
    readonly nodes?: number;
    /** Addresses of the target that reject by a limit of their own. */
    readonly addresses?: number;
  }>({
    text: ({ addresses, connections = 0, nodes, of }) =>
      addresses !== undefined
        ? `Each of ${counted(addresses, 'address', 'addresses')} of the target has a separate limit: this explains every rejection.`
        : nodes !== undefined
          ? `Each of ${counted(nodes, 'node')} counts the requests over its own connections: this explains every rejection, if connections go to the nodes in turn.`
          : of === undefined
            ? `Each connection has a separate limit: this explains the rejections over ${counted(connections, 'connection')}.`
            : `A key at its limit is admitted over a new connection: ${number(connections)} of ${number(of)}.`,
    behind:
      'A counter of each connection, or of each node behind a load balancer that distributes connections.',
    explains: ['rate-limit.scope', ...promiseChecks, ...studyChecks, ...headerChecks],
    looksLike: ['counters-per-node', 'limit-drifts', 'limit-shared-by-keys'],
  }),
  'rejection-status-wrong': limiterFault<{ readonly status: number; readonly refused: number }>({
    text: ({ refused, status }) =>
      `Requests over the limit get ${status} in place of 429, ${times(refused)}.`,
    behind: 'The default status of the limiter (nginx limit_req uses 503).',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [
      ...promiseChecks,
      ...studyChecks,
      'rate-limit.rejections',
      'rate-limit.scope',
      'contract.errors',
    ],
    looksLike: ['limit-not-enforced', 'server-errors', 'outage'],
  }),
  'retry-after-wrong': kind<{ readonly how: string; readonly example: string }>({
    text: ({ example, how }) => `Retry-After is wrong (${how}): ${example}.`,
    behind:
      'Milliseconds, an instant, or a date in local time in place of GMT; or a wait that is rounded down.',
    explains: ['rate-limit.retry-after', 'rate-limit.rejections', 'rate-limit.headers'],
  }),
  'refusal-headers-missing': kind<{ readonly headers: readonly string[]; readonly refused: number }>({
    text: ({ headers, refused }) =>
      `A header that the profile promises is missing in ${counted(refused, 'rejection')}: ${listed(headers)}.`,
    behind: 'An error handler or a proxy that answers 429 in place of the limiter.',
    explains: ['rate-limit.headers'],
  }),
  'stated-limit-wrong': kind<{ readonly states: string }>({
    text: ({ states }) => `Headers state another limit than the promised one (${states}).`,
    behind: 'A header with a constant, or with the limit of another pricing plan.',
    explains: ['rate-limit.headers'],
  }),
  'limit-headers-frozen': kind<{ readonly remaining: number; readonly answers: number }>({
    text: ({ answers, remaining }) =>
      `The rate-limit headers never change: in each of ${counted(answers, 'answer')} the remaining number is ${number(remaining)}.`,
    behind: 'Headers that are made before the limiter decides, or from the configuration.',
    explains: [...headerChecks, 'rate-limit.retry-after'],
    covers: ['remaining-wrong', 'reset-wrong'],
  }),
  'remaining-wrong': kind<{ readonly wrong: number; readonly of: number }>({
    text: ({ of, wrong }) =>
      `The remaining number in the headers is wrong in ${number(wrong)} of ${counted(of, 'answer')}.`,
    behind: 'A header that is made from another counter than the decision, or before it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-remaining'],
  }),
  'reset-wrong': kind<{ readonly wrong: number; readonly of: number; readonly how?: string }>({
    text: ({ how, of, wrong }) =>
      `The reset in the headers cannot be true in ${number(wrong)} of ${counted(of, 'answer')}${how === undefined ? '' : ` (${how})`}.`,
    behind: 'An epoch time in place of a delay, or the length of the window in place of what is left of it.',
    explains: ['rate-limit.headers', 'rate-limit.headers-reset'],
  }),
  'rejections-have-effects': kind<{ readonly sessions: number; readonly status: number }>({
    text: ({ sessions, status }) =>
      `Rejected requests have effects: ${counted(sessions, 'session')} ${verb(sessions, 'exists', 'exist')} although ${verb(sessions, 'its', 'their')} creation got ${status}.`,
    behind: 'A limiter or a quota that is checked after the handler, or at the same time.',
    explains: [
      'rate-limit.no-side-effect',
      'quota.no-side-effect',
      'analytics.total-sessions',
      'analytics.avg-shades',
      'analytics.cart-intent',
      'analytics.sessions',
      ...relations,
    ],
    covers: ['refused-interaction-stored', 'sessions-counted-wrong'],
  }),
} as const;
