import { counted, milliseconds, number, ordinal, seconds, times } from '../../amounts.ts';
import { requestsText, requestText } from '../reasons/words/requests.ts';
import { type Trait, traitText } from '../reasons/words/traits.ts';
import { kind } from './kind.ts';

/** Causes in how fast the target answers. */
export const latencyCauses = {
  'target-stood-still': kind<{ readonly forMs: number; readonly fromMs: number }>({
    text: ({ forMs, fromMs }) =>
      `The target stood still: nothing was answered for ${seconds(forMs)}, from ${seconds(fromMs)} after the start of the load.`,
    behind: 'A garbage collection, a lock, a deployment or a failover.',
    explains: ['latency.regular', 'latency.trend', 'contract.availability'],
    covers: [
      'does-not-keep-up',
      'slower-with-time',
      'slow-answers',
      'capacity-below-promise',
      'requests-unanswered',
      'outage',
    ],
  }),
  'target-stands-still': kind<{
    readonly pauses: number;
    readonly longestMs: number;
    /** Undefined: not at regular intervals. */
    readonly everyMs?: number;
  }>({
    text: ({ everyMs, longestMs, pauses }) =>
      `The target stands still ${times(pauses)}${everyMs === undefined ? '' : `, every ${seconds(everyMs)}`}: nothing is answered for up to ${seconds(longestMs)}.`,
    behind: 'A scheduled job, a checkpoint of the database, or garbage collection, while all requests wait.',
    explains: ['latency.regular', 'latency.trend', 'contract.availability'],
    covers: [
      'does-not-keep-up',
      'slower-with-time',
      'slow-answers',
      'single-requests-slow',
      'capacity-below-promise',
      'requests-unanswered',
      'outage',
    ],
  }),
  'does-not-keep-up': kind<{ readonly perSecond: number }>({
    text: ({ perSecond }) =>
      `The target does not keep up: it answers ${counted(perSecond, 'request')} per second, and the queue grows.`,
    behind: 'A single worker, a lock around every request, or a pool of connections that is too small.',
    explains: ['latency.regular', 'latency.trend', 'contract.availability'],
    covers: ['slow-answers', 'slower-with-time', 'capacity-below-promise', 'requests-unanswered', 'outage'],
  }),
  'slower-with-time': kind<{
    readonly endpoints: readonly string[];
    readonly beforeMs: number;
    readonly afterMs: number;
  }>({
    text: ({ afterMs, beforeMs, endpoints }) =>
      `The target gets slower at ${requestsText(endpoints)}: ${milliseconds(beforeMs)} ms at first, and ${milliseconds(afterMs)} ms later at the same load.`,
    behind: 'Work that grows with what is stored or with uptime: a missing index, a list in memory, a leak.',
    explains: ['latency.trend'],
  }),
  'periodically-slow': kind<{ readonly every: number; readonly of: string; readonly tookMs: number }>({
    text: ({ every, of, tookMs }) =>
      `Every ${ordinal(every)} ${of} is slow, independent of the load: it takes ${milliseconds(tookMs)} ms.`,
    behind:
      'A log that is flushed, a cache that is refilled, or a connection that is renewed, while a request waits.',
    explains: ['latency.regular'],
    covers: ['slow-answers', 'single-requests-slow'],
  }),
  'single-requests-slow': kind<{ readonly requests: number; readonly tookMs: number }>({
    text: ({ requests, tookMs }) =>
      `Single requests are slow: ${counted(requests, 'request')} took ${milliseconds(tookMs)} ms (median), while others at the same time took a fraction of that.`,
    behind:
      'Work that some requests do and others do not: a flush, a refill, a new connection or a row lock.',
    explains: ['latency.regular'],
    covers: ['slow-answers'],
  }),
  'slow-by-size': kind<{
    /** Undefined: the list does not say. */
    readonly items: number | undefined;
    readonly tookMs: number;
    readonly boundMs: number;
  }>({
    text: ({ boundMs, items, tookMs }) =>
      `A list of ${items === undefined ? 'the largest catalog' : counted(items, 'shade')} takes ${milliseconds(tookMs)} ms without any load; the bound is ${milliseconds(boundMs)} ms.`,
    behind: 'One query for each entry, or a quadratic step.',
    explains: ['latency.large-list', 'latency.outside-load'],
    covers: ['slow-answers', 'slow-by-value'],
  }),
  'endpoints-wait': kind<{
    readonly waiting: readonly string[];
    readonly working: readonly string[];
    readonly aloneMs: number;
    readonly besideMs: number;
  }>({
    text: ({ aloneMs, besideMs, waiting, working }) =>
      `${requestsText(waiting)} took ${milliseconds(aloneMs)} ms alone, ${milliseconds(besideMs)} ms while ${requestsText(working)} worked.`,
    behind: 'A lock that both take, a transaction that is held for long, or a single worker.',
    explains: ['latency.neighbours'],
    covers: ['slow-answers', 'single-requests-slow'],
  }),
  'new-connections-slow': kind<{
    readonly connections: number;
    readonly firstMs: number;
    readonly nextMs: number;
  }>({
    text: ({ connections, firstMs, nextMs }) =>
      `The first request of a new connection is slow: at least ${milliseconds(firstMs)} ms on each of ${number(connections)}, and at most ${milliseconds(nextMs)} ms for the next.`,
    behind:
      'Work for each connection: a handshake with a backend, a lookup of a name, or a session that is loaded.',
    explains: ['latency.connections'],
    covers: ['slow-answers', 'single-requests-slow'],
  }),
  'connections-open-slowly': kind<{
    readonly over: number;
    readonly connections: number;
    readonly boundMs: number;
  }>({
    text: ({ boundMs, connections, over }) =>
      `Connections open slowly: of ${counted(connections, 'connection')}, ${number(over)} took longer than ${milliseconds(boundMs)} ms.`,
    behind:
      'A full queue of connections that wait to be accepted, slow TLS, or a network that loses packets.',
    explains: ['latency.opening'],
  }),
  'some-connections-slow': kind<{
    readonly slow: number;
    readonly of: number;
    readonly slowMs: number;
    readonly quickMs: number;
  }>({
    text: ({ of, quickMs, slow, slowMs }) =>
      `Some connections are slow: ${number(slow)} of ${number(of)} take at least ${milliseconds(slowMs)} ms (median), others at most ${milliseconds(quickMs)} ms.`,
    behind: 'A slow process or node, behind a load balancer that distributes connections.',
    explains: ['latency.each-connection'],
    covers: ['slow-answers', 'single-requests-slow'],
  }),
  'slow-by-value': kind<{
    readonly slow: number;
    readonly others: number;
    readonly trait: Trait;
    readonly values: readonly string[];
  }>({
    text: ({ others, slow, trait, values }) =>
      `Requests with ${traitText(trait, values)} are slow: nearly all of ${number(slow)}, and hardly any of ${counted(others, 'other')}.`,
    behind: 'A shard, a customer or a product with more data, or a rule that concerns one value.',
    explains: ['latency.regular', 'latency.trend', 'latency.outside-load'],
    covers: ['slow-answers', 'single-requests-slow'],
  }),
  'first-list-slow': kind<{ readonly lists: number; readonly firstMs: number; readonly nextMs: number }>({
    text: ({ firstMs, lists, nextMs }) =>
      `The first list of a catalog is slow: at least ${milliseconds(firstMs)} ms for ${counted(lists, 'catalog')}, and at most ${milliseconds(nextMs)} ms for later lists.`,
    behind: 'A cache that the first shopper fills, or an index that is built then.',
    explains: ['latency.outside-load'],
    covers: ['slow-answers', 'single-requests-slow'],
  }),
  'slow-answers': kind<{
    readonly endpoint: string;
    /** Undefined: there was no answer. */
    readonly tookMs: number | undefined;
    readonly boundMs: number;
    readonly percentile: number;
  }>({
    text: ({ boundMs, endpoint, percentile, tookMs }) =>
      `${endpoint === '*' ? 'Answers' : `Answers of ${requestText(endpoint)}`} are slow: the ${percentile === 100 ? 'maximum' : `p${percentile}`} is ${tookMs === undefined ? 'a request without an answer' : `${milliseconds(tookMs)} ms`}; the bound is ${milliseconds(boundMs)} ms.`,
    behind: 'A missing index, or a resource that is shared with other requests.',
    explains: [],
    about: ({ endpoint }) => endpoint,
  }),
  'capacity-below-promise': kind<{
    /** Undefined: the promise was broken from the beginning. */
    readonly found: number | undefined;
    readonly promised: number;
  }>({
    area: 'capacity',
    text: ({ found, promised }) =>
      found === undefined
        ? `The target exceeds the bound on response time at the lowest load that was tried; the promise is ${counted(promised, 'request')} per second.`
        : `The target keeps the bound on response time up to ${counted(found, 'request')} per second; the promise is ${number(promised)}.`,
    behind: 'A resource that is spent: CPU, connections to the database, or a lock.',
    explains: ['capacity.rate'],
  }),
} as const;
