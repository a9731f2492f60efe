import { counted, milliseconds, number, ordinal, seconds } from '../../../amounts.ts';
import { kind } from '../kind.ts';
import { requestText } from '../requests.ts';

/** Causes in how fast the target answers. */
export const latencyCauses = {
  'target-stood-still': kind<{ readonly forMs: number; readonly fromMs: number }>({
    area: 'latency',
    text: ({ forMs, fromMs }) =>
      `The target stood still: nothing was answered for ${seconds(forMs)}, from ${seconds(fromMs)} after the start of the load.`,
    example: { forMs: 5060, fromMs: 700 },
    behind: 'A garbage collection, a lock, a deployment or a failover.',
    explains: ['latency.regular', 'contract.availability'],
    covers: ['does-not-keep-up', 'slow-answers', 'capacity-below-promise', 'requests-unanswered'],
  }),
  'does-not-keep-up': kind<{ readonly perSecond: number }>({
    area: 'latency',
    text: ({ perSecond }) =>
      `The target does not keep up: it answers ${counted(perSecond, 'request')} per second, and the queue grows.`,
    example: { perSecond: 40 },
    behind: 'A single worker, a lock around every request, or a pool of connections that is too small.',
    explains: ['latency.regular', 'contract.availability'],
    covers: ['slow-answers', 'capacity-below-promise', 'requests-unanswered'],
  }),
  'periodically-slow': kind<{ readonly every: number; readonly of: string; readonly tookMs: number }>({
    area: 'latency',
    text: ({ every, of, tookMs }) =>
      `Every ${ordinal(every)} ${of} is slow, independent of the load: it takes ${milliseconds(tookMs)} ms.`,
    example: { every: 100, of: 'accepted request', tookMs: 2_000 },
    behind:
      'A log that is flushed, a cache that is refilled, or a connection that is renewed, in the way of a request.',
    explains: ['latency.regular'],
    covers: ['slow-answers', 'single-requests-slow'],
  }),
  'single-requests-slow': kind<{ readonly requests: number; readonly tookMs: number }>({
    area: 'latency',
    text: ({ requests, tookMs }) =>
      `Single requests are slow: ${counted(requests, 'request')} took ${milliseconds(tookMs)} ms (median), while others at the same time took a fraction of that.`,
    example: { requests: 3, tookMs: 2_013 },
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
    area: 'latency',
    text: ({ boundMs, items, tookMs }) =>
      `A list of ${items === undefined ? 'the largest catalog' : counted(items, 'shade')} takes ${milliseconds(tookMs)} ms without any load; the bound is ${milliseconds(boundMs)} ms.`,
    example: { items: 500, tookMs: 900, boundMs: 300 },
    behind: 'One query for each entry, or a quadratic step.',
    explains: ['latency.large-list'],
    covers: ['slow-answers'],
  }),
  'slow-answers': kind<{
    readonly endpoint: string;
    /** Undefined: there was no answer. */
    readonly tookMs: number | undefined;
    readonly boundMs: number;
    readonly percentile: number;
  }>({
    area: 'latency',
    text: ({ boundMs, endpoint, percentile, tookMs }) =>
      `${endpoint === '*' ? 'Answers' : `Answers of ${requestText(endpoint)}`} are slow: the ${percentile === 100 ? 'maximum' : `p${percentile}`} is ${tookMs === undefined ? 'a request without an answer' : `${milliseconds(tookMs)} ms`}; the bound is ${milliseconds(boundMs)} ms.`,
    example: { endpoint: 'list-shades', tookMs: 900, boundMs: 300, percentile: 95 },
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
    example: { found: 12, promised: 16.7 },
    behind: 'A resource that is spent: CPU, connections to the database, or a lock.',
    explains: ['capacity.rate', 'capacity.knee'],
  }),
} as const;
