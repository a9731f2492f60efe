import { blockOf } from './block.ts';
import { type Counts, countsOf } from './counts.ts';
import { type RefusalOrder, refusalOrderOf } from './refusals.ts';
import { RangeMinimum } from './sorted.ts';
import type { Span } from './span.ts';
import { type SubsetOfRequests, subsetOf } from './subset.ts';
import { admitted, isDecided, limited, notRejected, type Trace } from './trace.ts';
import { floats, places } from './typed.ts';

/**
 * One key's trace, prepared for comparison with many models: all of it is independent of a model's parameters.
 */
export interface View {
  readonly trace: Trace;
  /** Where this trace's indexes begin when those of several traces are numbered through. */
  readonly base: number;
  readonly admittedCounts: Counts;
  readonly allCounts: Counts;
  readonly refused: SubsetOfRequests;
  /** Rejected ones, and those that may have been. */
  readonly mayBeRefused: SubsetOfRequests;
  readonly refusals: RefusalOrder;
  /** Where among the rejected ones the fewest admitted requests may have come before. */
  readonly fewestBefore: RangeMinimum;
  /**
   * Requests that can have started a window: those not rejected, since the first request of a window is admitted.
   */
  readonly openers: SubsetOfRequests;
  readonly admitted: SubsetOfRequests;
  /** The longest round trip of an admitted request. */
  readonly longestTripNs: number;
  /** All requests, and those that the limiter surely judged. */
  readonly requests: SubsetOfRequests;
  readonly judged: SubsetOfRequests;
  /** How long a block started by a rejection can have lasted; empty (lo > hi) if there can be none. */
  readonly block: Span;
  /** The requests that tell most: those at which the outcome changes, at most about `mostCritical`. Ascending. */
  readonly critical: Int32Array;
  /** All requests that bound anything. Ascending. */
  readonly every: Int32Array;
}

const mostCritical = 250;

/** Prepares the traces of one or several keys. O(n log n). */
export function viewsOf(traces: readonly Trace[]): View[] {
  let base = 0;
  const views = traces.map((trace) => {
    const view = viewOf(trace, base);
    base += trace.length;
    return view;
  });
  const block = jointBlock(views);
  return views.map((view) => ({ ...view, block }));
}

/** How long a block can have lasted, by all keys together. */
export function jointBlock(views: readonly View[]): Span {
  return {
    loNs: Math.max(0, ...views.map(({ block }) => block.loNs)),
    hiNs: Math.min(Number.POSITIVE_INFINITY, ...views.map(({ block }) => block.hiNs)),
  };
}

/** Prepares one trace; `base` is where its indexes begin. */
export function viewOf(trace: Trace, base = 0): View {
  const every = places(trace.length).filter((i) => isDecided(trace.outcome[i]));
  const refused = subsetOf(trace, (outcome) => outcome === limited);
  const mayBeRefused = subsetOf(trace, (outcome) => outcome !== admitted && outcome !== notRejected);
  const passed = subsetOf(trace, (outcome) => outcome === admitted);
  const admittedCounts = countsOf(trace, 'admitted');
  return {
    trace,
    base,
    admittedCounts,
    allCounts: countsOf(trace, 'all'),
    refused,
    mayBeRefused,
    refusals: refusalOrderOf(trace, refused, mayBeRefused),
    fewestBefore: new RangeMinimum(
      floats(refused.length, (at) => admittedCounts.maybeBefore[refused.index[at] as number] as number),
    ),
    openers: subsetOf(trace, (outcome) => outcome !== limited),
    admitted: passed,
    longestTripNs: passed.answeredNs.reduce(
      (most, ns, at) => Math.max(most, ns - (passed.sentNs[at] as number)),
      0,
    ),
    requests: subsetOf(trace, () => true),
    judged: subsetOf(trace, isDecided),
    block: blockOf(passed, refused),
    critical: criticalOf(trace, every),
    every,
  };
}

/** Both ends of each run of like outcomes; when there are too many runs, evenly chosen ones. */
function criticalOf(trace: Trace, every: Int32Array): Int32Array {
  const ends = every.filter(
    (i, at) =>
      at === 0 ||
      at === every.length - 1 ||
      trace.outcome[every[at - 1] as number] !== trace.outcome[i] ||
      trace.outcome[every[at + 1] as number] !== trace.outcome[i],
  );
  const stride = Math.max(1, ends.length / mostCritical);
  return ends.filter((_, at) => Math.floor(at / stride) !== Math.floor((at - 1) / stride));
}
