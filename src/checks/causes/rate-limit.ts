import { counted, listed, milliseconds, number, percent, range, seconds, times } from '../../amounts.ts';
import type { Interval } from '../../vocabulary/bounds.ts';
import { kindText } from '../reasons/words/limits.ts';
import { requestsText, requestText } from '../reasons/words/requests.ts';
import { kind } from './kind.ts';
import {
  headerChecks,
  headerSymptoms,
  limiterFault,
  promiseChecks,
  rejectionChecks,
  studyChecks,
} from './rate-limit-symptoms.ts';

/** A limit that was found, and the promised one. */
type BesidePromise = {
  readonly limit: number;
  readonly windowMs: number;
  readonly promised: number;
  readonly promisedMs: number;
};

/** Causes in the limiter itself: its limit, its window, and how it counts. */
export const rateLimitCauses = {
  'limit-not-enforced': kind<{
    readonly admitted: number;
    readonly windowMs: number;
    readonly limit: number;
    /** Nearly all requests were to this one. */
    readonly endpoint?: string;
  }>({
    text: ({ admitted, endpoint, limit, windowMs }) =>
      `The rate limit of ${number(limit)} per ${seconds(windowMs)} is not enforced${endpoint === undefined ? '' : ` on ${requestText(endpoint)}`}: ${counted(admitted, 'request')} passed within one window and none got 429.`,
    behind:
      'A limiter that is not mounted on these routes, fails open without its store, or counts requests of one instant once.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: ['rate-limit.enforced', 'rate-limit.admitted', ...studyChecks, ...headerChecks],
    covers: ['limit-differs', 'admits-over-limit', ...headerSymptoms],
  }),
  'limit-differs': kind<{
    readonly least?: number;
    readonly most?: number;
    readonly promised: number;
    readonly windowMs: number;
  }>({
    text: ({ least, most, promised, windowMs }, certainty) =>
      `The limit ${certainty === 'shown' ? 'is' : 'fits'} ${range(bounds(least, most))} per ${seconds(windowMs)}; the promise is ${number(promised)}.`,
    behind: 'An off-by-one comparison, or the limit of another pricing plan.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    restsOn: 'rate-limit.algorithm',
    explains: [...promiseChecks, 'rate-limit.limit', ...headerChecks],
    covers: ['admits-over-limit', 'refused-below-limit', 'other-users-of-key', ...headerSymptoms],
    contradictedBy: ['rate-limit.limit'],
  }),
  'limit-checked-before-counted': limiterFault<{
    readonly over: number;
    readonly limit: number;
    readonly windowMs: number;
  }>({
    text: ({ limit, over, windowMs }) =>
      `The target checks the rate limit, then counts the request: requests at the same time exceed ${number(limit)} per ${seconds(windowMs)} by ${number(over)}.`,
    behind: 'A read and a write in two steps, where one atomic step (INCR, a script) is needed.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
  }),
  'limit-counted-late': limiterFault<{
    readonly over: number;
    readonly limit: number;
    readonly windowMs: number;
    readonly lateMs: number;
  }>({
    text: ({ lateMs, limit, over, windowMs }) =>
      `The target counts a request up to ${seconds(lateMs)} after it admits it: requests in between exceed ${number(limit)} per ${seconds(windowMs)} by ${number(over)}.`,
    behind: 'Several nodes whose counts are merged late, or a counter that is written in the background.',
    burst: () => ({ past: 'limit', factor: 2.2 }),
    looksLike: ['counters-per-node'],
  }),
  'limit-drifts': limiterFault<{
    readonly isShrinking: boolean;
    readonly admittedAt: number;
    readonly rejectedAt: number;
  }>({
    text: ({ admittedAt, isShrinking, rejectedAt }) =>
      `The limit ${isShrinking ? 'shrinks' : 'grows'} with time: above ${number(Math.floor(admittedAt))} ${isShrinking ? 'at first, later' : 'in the end, at first'} at most ${number(Math.ceil(rejectedAt))}.`,
    behind: 'A limit that adapts to load, or counts that are not given back.',
    restsOn: 'rate-limit.algorithm',
    looksLike: ['rate-differs'],
  }),
  'rejections-count-in-part': limiterFault<{ readonly least: number; readonly most: number }>({
    text: ({ least, most }) =>
      `Some rejected requests count: ${percent(least)} to ${percent(most)} of them spend the limit.`,
    behind:
      'A count that is increased before the decision on some nodes, or in some versions, and after it on others.',
    restsOn: 'rate-limit.algorithm',
  }),
  'requests-count-twice': limiterFault<{
    readonly least: number;
    readonly most: number;
    /** Each so many-th request. */
    readonly every?: number;
  }>({
    text: ({ every, least, most }) =>
      every !== undefined
        ? `Of ${number(every)} admitted requests, one counts twice.`
        : `Some requests count twice: those that pass count for ${percent(1 + least)} to ${percent(1 + most)} of their number.`,
    behind:
      'A gateway that sends some requests again, or a counter that is increased again after a time-out.',
    restsOn: 'rate-limit.algorithm',
  }),
  'counts-forgotten': limiterFault<{ readonly limit: number }>({
    text: ({ limit }) =>
      `The limiter forgets its count at times: then ${counted(limit, 'request')} pass again before the window is over.`,
    behind: 'A restart, a failover or a deletion of the store that holds the counts.',
  }),
  'rejects-for-a-while': limiterFault<{
    readonly fromMs: number;
    readonly forMs: number;
    readonly rejected: number;
    readonly limit: number;
    readonly windowMs: number;
  }>({
    text: ({ forMs, fromMs, limit, rejected, windowMs }) =>
      `For ${seconds(forMs)}, ${seconds(fromMs)} after the start, the target rejects all requests (${number(rejected)}), although the limit is ${number(limit)} per ${seconds(windowMs)}.`,
    behind: 'A circuit breaker, a block list or a deployment that answers 429.',
    explains: [...rejectionChecks, ...studyChecks, ...headerChecks],
    looksLike: ['key-stays-refused'],
  }),
  'requests-count-more': limiterFault<{ readonly endpoints: readonly string[]; readonly places: number }>({
    text: ({ endpoints, places }) =>
      `A request to ${requestsText(endpoints)} counts as ${counted(places, 'request')}.`,
    behind: 'A limiter that is mounted twice on these routes, or a cost for each route.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...rejectionChecks, ...studyChecks, ...headerChecks],
    looksLike: ['window-extended-by-rejections', 'key-stays-refused', 'retry-after-wrong'],
    about: ({ endpoints }) => listed(endpoints),
  }),
  'window-differs': limiterFault<{
    readonly leastMs?: number;
    readonly mostMs?: number;
    readonly promisedMs: number;
  }>({
    text: ({ leastMs, mostMs, promisedMs }) =>
      `The window is ${range(bounds(leastMs, mostMs), seconds)}; the promise is ${seconds(promisedMs)}.`,
    behind: 'A time-to-live that is set to another value, or in another unit.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    restsOn: 'rate-limit.algorithm',
    explains: [...promiseChecks, 'rate-limit.window', ...headerChecks],
    contradictedBy: ['rate-limit.window'],
  }),
  'second-limit': limiterFault<BesidePromise & { readonly isOfAllKeys?: boolean }>({
    text: ({ isOfAllKeys = false, limit, promised, promisedMs, windowMs }) =>
      `Besides the limit of ${number(promised)} per ${seconds(promisedMs)}, there is another one, which is not promised: ${number(limit)} per ${seconds(windowMs)}${isOfAllKeys ? ' for all keys together' : ''}.`,
    behind: 'A gateway with a separate limit, or a plugin for bursts.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    restsOn: 'rate-limit.algorithm',
    explains: [...promiseChecks, 'rate-limit.isolation', ...studyChecks, ...headerChecks],
    looksLike: ['limit-drifts', 'limit-shared-by-keys', 'retry-after-wrong'],
  }),
  'rate-differs': limiterFault<BesidePromise>({
    text: ({ limit, promised, promisedMs, windowMs }) =>
      `The limit is ${number(limit)} per ${seconds(windowMs)}; the promise is ${number(promised)} per ${seconds(promisedMs)}.`,
    behind: 'The limit of another pricing plan, or one that is spread over the window in smaller parts.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    restsOn: 'rate-limit.algorithm',
    looksLike: ['retry-after-wrong'],
    contradictedBy: ['rate-limit.limit', 'rate-limit.window'],
  }),
  'algorithm-differs': kind<{ readonly found: string; readonly promised: string }>({
    text: ({ found, promised }) => `The limiter is a ${found}; the promise is a ${kindText(promised)}.`,
    behind: 'A limiter that was replaced, while its documentation was not.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    restsOn: 'rate-limit.algorithm',
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
  'window-extended-by-rejections': limiterFault<{ readonly windowMs: number; readonly byAll?: boolean }>({
    text: ({ byAll = false, windowMs }) =>
      byAll
        ? `Every request begins the window of ${seconds(windowMs)} again, admitted or rejected: it ends only after as long without any.`
        : `Rejected requests count: each one extends the window of ${seconds(windowMs)}, so a client that retries stays locked out.`,
    behind: 'A counter that is incremented, or a time-to-live that is renewed, before the decision.',
    // The third is admitted where a window ends, and not where the rejections of the second began it anew.
    burst: ({ windowMs }) => ({ past: 'limit', factor: 1.2, pauseMs: windowMs * 0.6 }),
    restsOn: 'rate-limit.algorithm',
    explains: [...rejectionChecks, ...studyChecks, ...headerChecks, 'rate-limit.retry-after'],
    looksLike: ['key-stays-refused', 'retry-after-wrong'],
  }),
  'counters-per-node': limiterFault<{ readonly nodes: number }>({
    text: ({ nodes }) =>
      `The target counts requests on ${nodes > 1 ? counted(nodes, 'node') : 'several nodes'}, on each separately.`,
    behind: 'A limiter in the memory of each process behind a load balancer, instead of one shared store.',
    orElse: 'A limiter that does not count some requests, such as the first ones of each burst.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    restsOn: 'rate-limit.algorithm',
    explains: [...promiseChecks, ...studyChecks, ...headerChecks, 'rate-limit.retry-after'],
    looksLike: ['retry-after-wrong'],
  }),
  'count-starts-anew': limiterFault<{ readonly times: number; readonly windowMs: number }>({
    text: ({ times: count, windowMs }) =>
      `The limiter loses its count of a key: ${times(count)} within ${seconds(windowMs)}, the remaining number rose to nearly the whole limit.`,
    behind: 'Counters in a cache that is too small: other keys, valid or not, push them out.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    looksLike: ['limit-not-enforced'],
    // No limiter with a count explains answers from which a count was lost.
    contradictedBy: ['rate-limit.algorithm'],
  }),
  'requests-queued': limiterFault<{
    readonly perSecond?: number;
    /** How long requests wait while others get 429: the queue rejects once it is full. */
    readonly waitMs?: number;
  }>({
    text: ({ perSecond, waitMs }) =>
      waitMs !== undefined
        ? `Requests wait for ${milliseconds(waitMs)} ms (median) while others with the same key get 429 at once: a queue before the limit, which rejects when it is full.`
        : `Requests over the limit do not get 429: they wait in a queue${perSecond === undefined ? '' : ` that lets ${counted(perSecond, 'request')} a second through`}.`,
    behind:
      'A proxy that delays requests instead of rejecting them (nginx limit_req with a burst and without nodelay).',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    looksLike: ['limit-not-enforced', 'requests-unanswered'],
  }),
  'limits-concurrency': limiterFault<{ readonly atOnce?: number }>({
    text: ({ atOnce }) =>
      `The limit is on requests at the same time${atOnce === undefined ? '' : ` (about ${number(atOnce)})`}, not on requests per time.`,
    behind: 'A pool of workers or connections with a short queue, in place of a rate limiter.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    restsOn: 'rate-limit.algorithm',
    looksLike: ['limit-not-enforced'],
  }),
  'key-stays-refused': limiterFault<{ readonly role: string }>({
    text: ({ role }) =>
      `${role === 'all keys' ? 'No key is ever' : `The ${role} key is never`} admitted again, although more time has passed than the promised window allows for.`,
    behind: 'A block list, a penalty longer than the window, or a counter that lost its time-to-live.',
    burst: () => ({ past: 'limit', factor: 1.2 }),
    explains: [...rejectionChecks, ...studyChecks, ...headerChecks, 'rate-limit.retry-after'],
    looksLike: ['limit-drifts', 'retry-after-wrong'],
  }),
} as const;

/** A closed interval, of which an end may be missing. */
function bounds(min: number | undefined, max: number | undefined): Interval {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}
