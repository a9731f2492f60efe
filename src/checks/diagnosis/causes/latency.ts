import { milliseconds, number, seconds } from '../../../amounts.ts';
import { kind } from '../kind.ts';

/** Causes in how fast the target answers. */
export const latencyCauses = {
  'target-stood-still': kind<{ readonly forMs: number; readonly fromMs: number }>({
    area: 'latency',
    text: ({ forMs, fromMs }) =>
      `The target stood still: nothing was answered for ${seconds(forMs)}, from ${seconds(fromMs)} after the start of the load.`,
    example: { forMs: 5060, fromMs: 700 },
    behind: 'A garbage collection, a lock, a deployment or a failover.',
    explains: ['latency.regular', 'contract.availability', 'capacity.rate', 'capacity.knee'],
    covers: ['does-not-keep-up', 'slow-answers'],
  }),
  'does-not-keep-up': kind<{ readonly perSecond: number }>({
    area: 'latency',
    text: ({ perSecond }) =>
      `The target does not keep up: it answers ${number(perSecond)} requests a second, and the queue grows.`,
    example: { perSecond: 40 },
    behind: 'A single worker, a lock around every request, or a pool of connections that is too small.',
    explains: ['latency.regular', 'capacity.rate', 'capacity.knee', 'contract.availability'],
    covers: ['slow-answers'],
  }),
  'periodically-slow': kind<{ readonly every: string; readonly tookMs: number }>({
    area: 'latency',
    text: ({ every, tookMs }) => `${every} is slow by itself: it takes ${milliseconds(tookMs)} ms.`,
    example: { every: 'Every 100th request', tookMs: 300 },
    behind:
      'A log that is flushed, a cache that is refilled, or a connection that is renewed, in the way of a request.',
    explains: ['latency.regular'],
    covers: ['slow-answers'],
  }),
  'slow-by-size': kind<{ readonly items: number; readonly tookMs: number }>({
    area: 'latency',
    text: ({ items, tookMs }) => `A list of ${number(items)} shades takes ${milliseconds(tookMs)} ms.`,
    example: { items: 500, tookMs: 900 },
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
      `${endpoint === '*' ? 'Answers' : `Answers of ${endpoint}`} are slow: the ${percentile === 100 ? 'maximum' : `p${percentile}`} is ${tookMs === undefined ? 'a request without an answer' : `${milliseconds(tookMs)} ms`}; the bound is ${milliseconds(boundMs)} ms.`,
    example: { endpoint: 'list-shades', tookMs: 900, boundMs: 300, percentile: 95 },
    behind: 'A missing index, or a resource that is shared with other requests.',
    explains: [],
    about: ({ endpoint }) => endpoint,
  }),
  'capacity-below-promise': kind<{ readonly found: number; readonly promised: number }>({
    area: 'capacity',
    text: ({ found, promised }) =>
      `The target keeps up to ${number(found)} requests a second; ${number(promised)} are promised.`,
    example: { found: 12, promised: 16.7 },
    behind: 'A resource that is spent: CPU, connections to the database, or a lock.',
    explains: ['capacity.rate', 'capacity.knee', 'capacity.concurrency', 'capacity.scalability'],
  }),
} as const;
