import { number } from '../amounts.ts';
import { guessesOf } from './arrivals.ts';
import { searchBoxes } from './box-search.ts';
import type { Bounds, Refuted } from './inference.ts';
import { kinds } from './kinds/table.ts';
import { type ConcurrencyFit, fitConcurrency, fitQueue, type QueueFit } from './outside.ts';
import { type Contender, isPlausible } from './ranking.ts';
import { seqOf } from './refutation.ts';
import { settle } from './settle.ts';
import { isMixed, unmix } from './several-nodes.ts';
import type { Span } from './span.ts';
import { survivorOf } from './survivor.ts';
import { ambiguous, type Trace } from './trace.ts';
import { jointBlock, type View, viewsOf } from './view.ts';

const blank = {
  limit: null,
  windowMs: null,
  burst: null,
  refillPerS: null,
  phase: null,
  rejectsCount: null,
  limitBounds: null,
  windowMsBounds: null,
  mismatches: 0,
  confidence: 0,
} as const;

interface Outsiders {
  readonly survivors: readonly Contender[];
  readonly refuted: readonly Refuted[];
}

/**
 * Explanations other than a limiter of requests per time on one counter: none at all, a queue, a concurrency limit,
 * several nodes. `isExplained`: such a limiter may be the truth. `bounded`: the queue that rejects, if there is one.
 */
export function outsiders(
  views: readonly View[],
  isExplained: boolean,
  windows: Span,
  bounded: Contender | undefined,
): Outsiders {
  const refusals = views.flatMap((view) =>
    view.refused.length > 0 ? seqOf(views, view.base + (view.refused.index[0] as number)) : [],
  );
  if (refusals.length === 0) return withoutRefusals(views);
  const refuted: Refuted[] = [
    { algorithm: 'none', because: 'Requests were rejected.', evidence: refusals.slice(0, 1) },
  ];
  const survivors: Contender[] = [];
  const queue = fitQueue(views);
  if (queue === undefined) {
    const because = 'Requests were rejected, not delayed.';
    refuted.push({ algorithm: 'queueing', because, evidence: refusals.slice(0, 1) });
  } else {
    // Without a bucket that fits, all rejections are unexplained.
    survivors.push(bounded ?? { ...queueing(queue), mismatches: refusedIn(views), degreesOfFreedom: 5 });
  }
  if (queue !== undefined && bounded !== undefined) {
    // The queue limits what is in work at once, too; but that does not say why requests wait.
    refuted.push({ algorithm: 'concurrency', because: waitedInTurn(queue), evidence: [] });
  } else {
    const concurrency = fitConcurrency(views);
    if (concurrency === undefined || concurrency.most < 1) {
      refuted.push({
        algorithm: 'concurrency',
        because: 'A request was rejected when no other was in progress.',
        evidence: concurrency === undefined ? [] : seqOf(views, concurrency.setBy),
      });
    } else survivors.push(concurrencyLimit(concurrency));
  }
  const isOneCounter =
    isExplained || survivors.some((each) => isPlausible(each.mismatches, requestsIn(views)));
  if (isOneCounter || !views.some(({ trace }) => isMixed(trace))) {
    refuted.push({
      algorithm: 'several-nodes',
      because: isOneCounter ? 'One counter explains every answer.' : 'Admissions and rejections do not mix.',
      evidence: [],
    });
  } else {
    const nodes = severalNodes(views, windows);
    if (nodes === undefined) {
      refuted.push({
        algorithm: 'several-nodes',
        because: 'No windows explain the times when all nodes were full.',
        evidence: [],
      });
    } else survivors.push(nodes);
  }
  return { survivors, refuted };
}

/** Part of the answers that differ from a limit on requests in work, as they are guessed, for which the guess is to blame. */
const guessesAmiss = 2 / 3;

/**
 * It has one parameter, and is charged as much as the plainest limiter. On a busy machine answers tell little, and
 * fewer parameters would decide alone.
 */
const fewestDegrees = Math.min(...kinds.map(({ degreesOfFreedom }) => degreesOfFreedom));

/**
 * If round trips are long compared with the gaps between requests, concurrent requests excuse almost every answer:
 * then the guess has to fit, too.
 */
function concurrencyLimit({ guessedMismatches, limit, mismatches, most }: ConcurrencyFit): Contender {
  return {
    ...blank,
    algorithm: 'concurrency',
    name: 'limit on requests in work at once',
    limit,
    limitBounds: { min: 1, max: most },
    mismatches: Math.max(mismatches, Math.round((1 - guessesAmiss) * guessedMismatches)),
    degreesOfFreedom: fewestDegrees,
  };
}

function queueing({ perS }: QueueFit): Contender {
  const refillPerS = Number(perS.toPrecision(4));
  return {
    ...blank,
    algorithm: 'queueing',
    name: 'queue that delays what exceeds its rate',
    refillPerS,
    degreesOfFreedom: 1,
  };
}

function refusedIn(views: readonly View[]): number {
  return views.reduce((sum, { refused }) => sum + refused.length, 0);
}

function requestsIn(views: readonly View[]): number {
  return views.reduce((sum, { trace }) => sum + trace.length, 0);
}

/**
 * The part of requests without a clear answer (possibly rejections of an unknown kind) that is lost by chance.
 */
const mostUntold = 0.05;

/** Requests with an answer that does not tell, or given up on, before so long a time. */
function answeredSooner(trace: Trace, ns: number): number {
  let count = 0;
  for (let i = 0; i < trace.length; i++) {
    const tookNs = (trace.answeredNs[i] as number) - (trace.sentNs[i] as number);
    if (trace.outcome[i] === ambiguous && tookNs < ns) count++;
  }
  return count;
}

function withoutRefusals(views: readonly View[]): Outsiders {
  const queue = fitQueue(views);
  // A request given up after as long a wait as any may have been in the queue.
  const longestNs = (queue?.longestMs ?? Number.POSITIVE_INFINITY) * 1e6;
  const untold = views.reduce((sum, { trace }) => sum + answeredSooner(trace, longestNs), 0);
  const isTold = views.length > 0 && untold <= mostUntold * requestsIn(views);
  if (queue === undefined) {
    const none = { ...blank, algorithm: 'none', name: 'service without a limit', degreesOfFreedom: 0 };
    const because = 'Answers came as promptly under load as without.';
    return {
      survivors: isTold ? [none] : [],
      refuted: [{ algorithm: 'queueing', because, evidence: [] }],
    };
  }
  return {
    survivors: isTold ? [queueing(queue)] : [],
    refuted: [{ algorithm: 'none', because: waitedInTurn(queue), evidence: [] }],
  };
}

function waitedInTurn({ longestMs }: QueueFit): string {
  return `Answers waited in a queue for up to ${number(Math.round(longestMs))} ms under load.`;
}

/** Widest that the limit of several nodes together may be left, as a part of itself: almost any trace fits a vague one. */
const vagueness = 0.05;

function isNarrow(bounds: Bounds | null): boolean {
  return bounds?.max !== undefined && bounds.max - bounds.min <= 2 + vagueness * bounds.max;
}

/** The windows of several nodes taken together: only answers from when all were full are compared with them. */
function severalNodes(views: readonly View[], windows: Span): Contender | undefined {
  const unmixed = viewsOf(views.map(({ trace }) => unmix(trace)));
  const guesses = guessesOf(unmixed.map(({ trace }) => trace));
  const block = jointBlock(unmixed);
  const found = kinds
    .filter(({ addsUp }) => addsUp)
    .flatMap((kind) => {
      const { cells } = searchBoxes(unmixed, kind, windows);
      return cells.length === 0
        ? []
        : [survivorOf(kind, cells, settle(guesses, kind, cells, block), false, block)];
    })
    .toSorted((a, b) => a.mismatches - b.mismatches);
  const best = found.find(({ limitBounds }) => isNarrow(limitBounds));
  if (best === undefined) return undefined;
  const { settled: _settled, ...rest } = best;
  const name = `several nodes, together like a ${best.name}`;
  return { ...rest, algorithm: 'several-nodes', name, degreesOfFreedom: best.degreesOfFreedom + 1 };
}
