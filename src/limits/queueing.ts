import { guessesOf } from './arrivals.ts';
import { type Cell, searchBoxes } from './box-search.ts';
import { tokenBucket } from './kinds/token-bucket.ts';
import { fitQueue, type QueueFit } from './outside.ts';
import type { Contender } from './ranking.ts';
import { settle } from './settle.ts';
import type { Span } from './span.ts';
import { survivorOf } from './survivor.ts';
import { ambiguous, limited, type Trace } from './trace.ts';
import { jointBlock, type View, viewsOf } from './view.ts';

/**
 * A rejection that took longer than this part of the longest wait waited too: then the cause is a slow network, not a
 * queue that rejects.
 */
const promptPart = 4;
/** Requests are assumed to have arrived within this many times the slowest rejection's time. */
const promptness = [1, 2, 4, 8];

/** A queue that rejects when full, and the traces as they would be without waits. */
export interface BoundedQueue {
  readonly contender: Contender;
  readonly prompt: readonly Trace[];
}

/**
 * A queue that rejects when it is full (nginx's `limit_req` without `nodelay`): a bucket whose admissions are
 * answered late. An admission's answer says nothing about its time, so every request is assumed to have arrived about
 * as promptly as rejected ones, which did not wait. Undefined if no such bucket explains the rejections. `intervals`:
 * between two requests that leave the queue.
 */
export function boundedQueue(views: readonly View[], intervals: Span): BoundedQueue | undefined {
  const refusalNs = longestRefusalNs(views);
  const queue = fitQueue(views);
  if (queue === undefined || refusalNs === 0 || refusalNs > (queue.longestMs * 1e6) / promptPart)
    return undefined;
  for (const times of promptness) {
    const prompt = views.map(({ trace }) => asIfPrompt(trace, times * refusalNs));
    const contender = asBucket(viewsOf(prompt), intervals);
    if (contender !== undefined) return keepsWaiting(queue, contender) ? { contender, prompt } : undefined;
  }
  return undefined;
}

/** A queue's waits and its bucket describe the same thing, so they may differ by at most these factors. */
const apart = { rate: 1.5, wait: 2 };

/**
 * Whether requests waited as the bucket predicts: one leaves per token, and a request that met a nearly full queue
 * waited for nearly all of it. A bucket before a service that is slow at times shows neither.
 */
function keepsWaiting({ perS, longestMs }: QueueFit, { limit, refillPerS }: Contender): boolean {
  if (limit === null || refillPerS === null) return false;
  const isAsFast = perS <= refillPerS * apart.rate && perS >= refillPerS / apart.rate;
  return isAsFast && longestMs * apart.wait >= ((limit - 1) * 1e3) / refillPerS;
}

function asBucket(views: readonly View[], intervals: Span): Contender | undefined {
  let cells: readonly Cell[] = [];
  for (const each of [tokenBucket, ...(tokenBucket.coarser ?? [])])
    if (cells.length === 0) cells = searchBoxes(views, each, intervals).cells;
  if (cells.length === 0) return undefined;
  const guesses = guessesOf(views.map(({ trace }) => trace));
  const block = jointBlock(views);
  const survivor = survivorOf(tokenBucket, cells, settle(guesses, tokenBucket, cells, block), false, block);
  const { settled: _settled, ...rest } = survivor;
  // How promptly requests arrive is supposed, so that bounds would claim too much.
  const unproven = { limitBounds: null, windowMsBounds: null };
  return { ...rest, ...unproven, algorithm: 'queueing', name: 'queue that rejects when full' };
}

function longestRefusalNs(views: readonly View[]): number {
  let longestNs = 0;
  for (const { refused } of views) {
    for (let i = 0; i < refused.length; i++) {
      longestNs = Math.max(longestNs, (refused.answeredNs[i] as number) - (refused.sentNs[i] as number));
    }
  }
  return longestNs;
}

function asIfPrompt(trace: Trace, promptNs: number): Trace {
  const answeredNs = trace.answeredNs.map((ns, i) => {
    const isKept = trace.outcome[i] === limited || trace.outcome[i] === ambiguous;
    return isKept ? ns : Math.min(ns, (trace.sentNs[i] as number) + promptNs);
  });
  return { ...trace, answeredNs };
}
