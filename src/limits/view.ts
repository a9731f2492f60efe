import { countBelow, countUpTo, floats, places, RangeMinimum } from './arrays.ts';
import {
  byAnswer,
  type Counted,
  type Counts,
  countsOf,
  lastSentOf,
  type SubsetOfRequests,
  subsetOf,
} from './counts.ts';
import { clockSlackNs, type Span } from './span.ts';
import { admitted, isDecided, limited, notRejected, type Trace } from './trace.ts';

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

/** The requests that a limiter counts. */
export function countsIn({ admittedCounts, allCounts }: View, counted: Counted): Counts {
  return counted === 'all' ? allCounts : admittedCounts;
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

/** Shorter blocks are not looked for, as shorter windows are not. */
const shortestNs = 0.2e9;

/**
 * How long a block can have lasted that each rejection after an admission starts, and during which nothing is
 * admitted. At most one block lies between two admissions, so its length follows from the order of answers alone.
 * Empty (lo > hi) if the answers contradict every such block. It assumes that requests without an answer did not fill
 * a window.
 */
function blockOf(passed: SubsetOfRequests, refused: SubsetOfRequests): Span {
  const loNs = longestRun(passed, refused);
  const hiNs = shortestRecovery(passed, refused);
  return {
    loNs: Math.max(shortestNs, loNs - clockSlackNs(loNs)),
    hiNs: hiNs === Number.POSITIVE_INFINITY ? hiNs : hiNs + clockSlackNs(hiNs),
  };
}

/** The longest time that surely lay between two rejections without an admission between them. */
function longestRun(passed: SubsetOfRequests, refused: SubsetOfRequests): number {
  let longestNs = 0;
  let earliestAnswerNs = Number.POSITIVE_INFINITY;
  let first = 0;
  let at = 0;
  for (let j = 0; j < refused.length; j++) {
    // Every admission that may have come before this rejection must have come before the run's first one.
    const before = countBelow(passed.sentNs, refused.answeredNs[j] as number);
    const lastAdmittedNs = passed.latestAnswerNs[before - 1] ?? Number.NEGATIVE_INFINITY;
    if (at <= first || (refused.sentNs[first] as number) <= lastAdmittedNs) {
      while (first < refused.length && (refused.sentNs[first] as number) <= lastAdmittedNs) first++;
      earliestAnswerNs = Number.POSITIVE_INFINITY;
      at = first;
    }
    for (; at <= j; at++) earliestAnswerNs = Math.min(earliestAnswerNs, refused.answeredNs[at] as number);
    longestNs = Math.max(longestNs, (refused.sentNs[j] as number) - earliestAnswerNs);
  }
  return longestNs;
}

/**
 * The shortest time in which a block can have ended: from the first rejection that can have started it to an
 * admission.
 */
function shortestRecovery(passed: SubsetOfRequests, refused: SubsetOfRequests): number {
  const admissions = byAnswer(passed);
  const refusals = byAnswer(refused);
  const leastSentFrom = refusals.sentNs.slice();
  for (let k = leastSentFrom.length - 2; k >= 0; k--) {
    leastSentFrom[k] = Math.min(leastSentFrom[k] as number, leastSentFrom[k + 1] as number);
  }
  let shortestNs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < passed.length; i++) {
    // A rejection that surely came before this admission, and the last admission that surely came before that
    // rejection.
    const last = lastSentOf(refusals, passed.sentNs[i] as number);
    if (last === Number.NEGATIVE_INFINITY) continue;
    const previousNs = lastSentOf(admissions, last);
    const firstPossible = leastSentFrom[countBelow(refusals.answeredNs, previousNs)] ?? last;
    const begunNs = Math.max(previousNs, firstPossible);
    shortestNs = Math.min(shortestNs, (passed.answeredNs[i] as number) - begunNs);
  }
  return shortestNs;
}

/** For each request of a trace: which rejections came before it. */
interface RefusalOrder {
  /** The latest answer to what may be a rejection, other than the request, that may have come before it; −∞ if none may. */
  readonly maybeBeforeNs: Float64Array;
  /** The last send time of a rejection that surely came before it; −∞ if none did. */
  readonly surelyBeforeNs: Float64Array;
}

/** `mayBeRefused`: the rejected requests, and those whose outcome is unknown. O(n log n). */
export function refusalOrderOf(
  trace: Trace,
  refused: SubsetOfRequests,
  mayBeRefused: SubsetOfRequests,
): RefusalOrder {
  const answers = byAnswer(refused);
  return {
    maybeBeforeNs: maybeBefore(trace, mayBeRefused),
    surelyBeforeNs: trace.sentNs.map((sentNs) => lastSentOf(answers, sentNs)),
  };
}

function maybeBefore(trace: Trace, mayBeRefused: SubsetOfRequests): Float64Array {
  const { sentNs, answeredNs, latestAnswerNs, index } = mayBeRefused;
  return floats(trace.length, (i) => {
    let upTo = countUpTo(sentNs, trace.answeredNs[i] as number);
    let latest = Number.NEGATIVE_INFINITY;
    // Requests that overlap this one, including itself, are examined one by one.
    while (upTo > 0 && (sentNs[upTo - 1] as number) >= (trace.sentNs[i] as number)) {
      upTo--;
      if (index[upTo] !== i) latest = Math.max(latest, answeredNs[upTo] as number);
    }
    return Math.max(latest, upTo > 0 ? (latestAnswerNs[upTo - 1] as number) : Number.NEGATIVE_INFINITY);
  });
}
