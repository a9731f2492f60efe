import { arrivalsOf } from './arrivals.ts';
import { searchBoxes } from './box-search.ts';
import { hypotheses } from './hypotheses.ts';
import type { Bounds, Refuted } from './inference.ts';
import { fitConcurrency, fitQueue } from './outside.ts';
import { type Contender, isPlausible } from './ranking.ts';
import { seqOf } from './refutation.ts';
import { settle } from './settle.ts';
import { isMixed, unmix } from './several-nodes.ts';
import type { Span } from './span.ts';
import { survivorOf } from './survivor.ts';
import { type View, viewsOf } from './view.ts';

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

/** What is no limiter of requests per time on one counter: none at all, a queue, a concurrency limit, several nodes. */
export function outsiders(views: readonly View[], isExplained: boolean, windows: Span): Outsiders {
  const refusals = views.flatMap((view) =>
    view.refused.length > 0 ? seqOf(views, view.base + (view.refused.index[0] as number)) : [],
  );
  if (refusals.length === 0) return withoutRefusals(views);
  const refuted: Refuted[] = [
    { algorithm: 'none', because: 'Requests were refused.', evidence: refusals.slice(0, 1) },
    { algorithm: 'queueing', because: 'Requests were refused, not delayed.', evidence: refusals.slice(0, 1) },
  ];
  const survivors: Contender[] = [];
  const concurrency = fitConcurrency(views);
  if (concurrency === undefined || concurrency.most < 1) {
    refuted.push({
      algorithm: 'concurrency',
      because: 'A request was refused when no other can have been in work.',
      evidence: concurrency === undefined ? [] : seqOf(views, concurrency.setBy),
    });
  } else {
    const { limit, most, mismatches } = concurrency;
    const name = 'limit on requests in work at once';
    survivors.push({
      ...blank,
      algorithm: 'concurrency',
      name,
      limit,
      limitBounds: { min: 1, max: most },
      mismatches,
      freedoms: 1,
    });
  }
  const isOneCounter =
    isExplained || survivors.some((each) => isPlausible(each.mismatches, requestsIn(views)));
  if (isOneCounter || !views.some(({ trace }) => isMixed(trace))) {
    refuted.push({
      algorithm: 'several-nodes',
      because: isOneCounter ? 'One counter explains every answer.' : 'Admissions and refusals do not mix.',
      evidence: [],
    });
  } else {
    const nodes = severalNodes(views, windows);
    if (nodes === undefined) {
      refuted.push({
        algorithm: 'several-nodes',
        because: 'No windows explain when all nodes were full.',
        evidence: [],
      });
    } else survivors.push(nodes);
  }
  return { survivors, refuted };
}

function requestsIn(views: readonly View[]): number {
  return views.reduce((sum, { trace }) => sum + trace.length, 0);
}

function withoutRefusals(views: readonly View[]): Outsiders {
  const queue = fitQueue(views);
  const none = { ...blank, algorithm: 'none', name: 'service without a limit', freedoms: 0 };
  if (queue === undefined) {
    return {
      survivors: views.length === 0 ? [] : [none],
      refuted: [
        { algorithm: 'queueing', because: 'Answers came as promptly under load as without.', evidence: [] },
      ],
    };
  }
  const name = 'queue that delays what exceeds its rate';
  const refillPerS = Number(queue.perS.toPrecision(4));
  return {
    survivors: [{ ...none, algorithm: 'queueing', name, refillPerS, freedoms: 1 }],
    refuted: [
      {
        algorithm: 'none',
        because: `Answers waited in turn for up to ${Math.round(queue.longestMs)} ms under load.`,
        evidence: [],
      },
    ],
  };
}

/** Widest that the limit of several nodes together may be left, as a part of itself: almost any trace fits a vague one. */
const vagueness = 0.05;

function isNarrow(bounds: Bounds | null): boolean {
  return bounds?.max !== undefined && bounds.max - bounds.min <= 2 + vagueness * bounds.max;
}

/** The windows of several nodes taken together: only what came when all were full is held against them. */
function severalNodes(views: readonly View[], windows: Span): Contender | undefined {
  const unmixed = viewsOf(views.map(({ trace }) => unmix(trace).trace));
  const arrivals = unmixed.map(({ trace }) => arrivalsOf(trace));
  const found = hypotheses
    .filter(
      ({ mechanism }) => mechanism.kind === 'grid' || mechanism.kind === 'opened' || mechanism.kind === 'log',
    )
    .flatMap((hypothesis) => {
      const { cells } = searchBoxes(unmixed, hypothesis, windows);
      return cells.length === 0
        ? []
        : [survivorOf(hypothesis, cells, settle(arrivals, hypothesis, cells), false)];
    })
    .toSorted((a, b) => a.mismatches - b.mismatches);
  const best = found.find(({ limitBounds }) => isNarrow(limitBounds));
  if (best === undefined) return undefined;
  const { settled: _settled, ...rest } = best;
  const name = `several nodes, together like a ${best.name}`;
  return { ...rest, algorithm: 'several-nodes', name, freedoms: best.freedoms + 1 };
}
