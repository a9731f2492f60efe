import { guessesOf } from '../arrivals.ts';
import { searchBoxes } from '../box-search.ts';
import type { OpenBounds, Refuted } from '../inference.ts';
import { kinds } from '../kinds/table.ts';
import { settle } from '../settle.ts';
import type { Span } from '../span.ts';
import { survivorOf } from '../survivor.ts';
import { isDecided, limited, type Trace } from '../trace.ts';
import { jointBlock, type View, viewsOf } from '../view.ts';
import { changesIn, mixesLikeNodes } from './mixing.ts';
import type { Estimate, Outsider } from './outsider.ts';

export const severalNodes: Outsider = {
  id: 'several-nodes',
  name: 'several nodes, each with a counter',
  explain: ({ isOneCounter, refusal, views, windows }) => {
    if (refusal === undefined) return undefined;
    if (isOneCounter) return { because: 'One counter explains every answer.', evidence: [] };
    if (!views.some(({ trace }) => isMixed(trace)))
      return { because: 'Admissions and rejections do not mix.', evidence: [] };
    const because = 'No windows explain the times when all nodes were full.';
    return asOneCounter(views, windows) ?? { because, evidence: [] };
  },
};

/** Widest that the limit of several nodes together may be left, as a part of itself: almost any trace fits a vague one. */
const vagueness = 0.05;

function isNarrow(bounds: OpenBounds | null): boolean {
  return bounds?.max !== undefined && bounds.max - bounds.min <= 2 + vagueness * bounds.max;
}

/** The windows of several nodes taken together: only answers from when all were full are compared with them. */
function asOneCounter(
  views: readonly View[],
  windows: Span,
): Estimate | Omit<Refuted, 'algorithm'> | undefined {
  const unmixed = viewsOf(views.map(({ trace }) => unmix(trace)));
  const guesses = guessesOf(unmixed.map(({ trace }) => trace));
  const block = jointBlock(unmixed);
  const found = kinds
    .filter(({ addsUp }) => addsUp)
    .flatMap((kind) => {
      const { cells } = searchBoxes(unmixed, kind, windows);
      return cells.length === 0
        ? []
        : [survivorOf(kind, cells, settle(guesses, kind, cells, block), { isAligned: false, block })];
    })
    .toSorted((a, b) => a.mismatches - b.mismatches);
  const best = found.find(({ limitBounds }) => isNarrow(limitBounds));
  if (best === undefined) return undefined;
  const { settled, algorithm: _algorithm, ...rest } = best;
  const traces = views.map(({ trace }) => trace);
  if (settled === undefined || !mixesLikeNodes(traces, settled))
    return { because: 'Equal nodes mix admissions and rejections more, or less.', evidence: [] };
  const name = `several nodes, together like a ${best.name}`;
  const left = traces.reduce((sum, { length }) => sum + length, 0);
  const kept = unmixed.reduce((sum, { trace }) => sum + trace.length, 0);
  // Of what nodes mix at random, half is predicted wrong.
  const mismatches = best.mismatches + Math.round((left - kept) / 2);
  return { ...rest, name, mismatches, degreesOfFreedom: best.degreesOfFreedom + 1 };
}

/**
 * After this many rejections in a row every node counts as full: among eight, a node with room would have been met.
 */
const allFullAfter = 40;

/**
 * Several nodes with separate counters behind a balancer: once the first is full, rejections and admissions mix until
 * the last is. Without the mixed rejections, the rest looks like one limiter with the sum of the limits.
 */
function unmix(trace: Trace): Trace {
  let inARow = 0;
  const isKept = Uint8Array.from(trace.outcome, (outcome) => {
    if (outcome === limited) inARow++;
    else if (isDecided(outcome)) inARow = 0;
    return outcome === limited && inARow <= allFullAfter ? 0 : 1;
  });
  const kept = (_value: number, i: number): boolean => isKept[i] === 1;
  const outcome = trace.outcome.filter(kept);
  return {
    length: outcome.length,
    outcome,
    sentNs: trace.sentNs.filter(kept),
    answeredNs: trace.answeredNs.filter(kept),
    seq: trace.seq.filter(kept),
  };
}

/** Whether admissions and rejections mixed as with several nodes: rejections between admissions, often. */
function isMixed({ outcome }: Trace): boolean {
  return changesIn(outcome) >= 10;
}
