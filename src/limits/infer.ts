import { countBelow, countUpTo } from './arrays.ts';
import { guessesOf } from './arrivals.ts';
import { type BoxSearch, searchBoxes } from './box-search.ts';
import { timeCovered, usualRequests } from './cells.ts';
import {
  type Contender,
  isNear,
  type LimiterInference,
  type Refuted,
  refutationOf,
  withConfidence,
} from './inference.ts';
import type { LimiterKind, PromisedLimit } from './kinds/kind.ts';
import { kinds } from './kinds/table.ts';
import { boundedQueue } from './outside/queueing.ts';
import { explainOutside, fitConcurrency } from './outside/table.ts';
import { alignedCells, settle, survivorOf, type Unsettled } from './settle.ts';
import type { Span } from './span.ts';
import { withStandingClock } from './standing-clock.ts';
import { admitted, countOutcome, limited, type Trace } from './trace.ts';
import { jointBlock, type View, viewsOf } from './view.ts';

/** Hints in addition to the traces. They are tried, not believed. */
export interface InferenceHints {
  /** What the target's clock showed at zero of the traces' clock, nanoseconds since 1970. */
  readonly clockOffset?: Span | undefined;
  /** The limit that is promised; another one may stand beside it. */
  readonly promised?: PromisedLimit | undefined;
}

/** Windows shorter than this are not looked for. */
const shortestWindowNs = 0.2e9;
/** Free parameters that other kinds are charged for where a queue explains as much, and the waits too. */
const waitsUnexplained = 2;
/** Where a queue explains the waits, other kinds are settled by so few cells. */
const cellsBesideQueue = 6;
/**
 * Each further search has `furtherEffort` times the steps of the one before, up to `mostEffort` times those of the
 * first.
 */
const furtherEffort = 4;
const mostEffort = 16;
/**
 * A search that measures a vague limit or window has this number of times the steps. Weighing costs most of all; with 64 times
 * the steps its bounds were the same.
 */
const measuringEffort = { counting: 64, weighing: 8 };
/** While more kinds than this explain the answers, probes tell more than steps. */
const mostMeasured = 2;
/** A limit or window whose bounds are further apart than this ratio was measured no further only because the steps ran out. */
const vagueFrom = 1.02;
/** What windows by the clock may get wrong beyond what windows of any phase do. */
const chanceMismatches = 4;
/** And at most this many of them in one trace. */
const mostWindows = 2_500;

/**
 * Infers kind, limit and window of a limiter from the traces of one or several keys. The keys share the limiter, each
 * with a separate count. Pure: plain data comes out.
 */
export function inferLimiter(traces: readonly Trace[], hints: InferenceHints = {}): LimiterInference {
  const told = traces.filter((trace) => trace.length > 0);
  const views = viewsOf(told);
  const doubted = viewsOf(withStandingClock(told));
  const queue = boundedQueue(views, intervalsOf(views));
  const guesses = guessesOf(queue?.prompt ?? told);
  const total = (outcome: typeof admitted | typeof limited): number =>
    told.reduce((sum, trace) => sum + countOutcome(trace, outcome), 0);
  const requests = told.reduce((sum, trace) => sum + trace.length, 0);
  // A request that waited may have arrived at any time: then every kind stays possible, and the queue explains most
  // by far.
  const cellsTried = queue === undefined ? undefined : cellsBesideQueue;
  const judge = (kind: LimiterKind, effort: number, isThorough = false): JudgedKind => {
    const scales = scalesOf(views, kind, hints);
    const search = searchBoxes(doubted, kind, scales, { effort, isThorough });
    return search.cells.length === 0
      ? { kind, refuted: refutationOf(doubted, kind, search) }
      : { kind, search, fit: fitOf(kind, doubted, { guesses, cells: search.cells, cellsTried }, hints) };
  };
  // Each step costs a pass over all requests.
  const effort =
    queue === undefined ? Math.min(1, usualRequests / (requests + 1)) : Math.min(0.1, 1_500 / (requests + 1));
  const first = total(limited) > 0 ? kinds.map((kind) => judge(kind, effort)) : [];
  const concurrency = fitConcurrency(views)?.mismatches ?? Number.POSITIVE_INFINITY;
  const exact =
    queue === undefined
      ? measured(confirmed(first, concurrency, requests, judge), requests, (each) =>
          judge(each, measuringEffort[each.remembersWindows > 1 ? 'weighing' : 'counting'] * effort, true),
        )
      : first;
  const isClose = (mismatches: number): boolean => isNear(mismatches, requests);
  const isExplained =
    queue !== undefined ||
    isClose(concurrency) ||
    exact.some((each) => 'fit' in each && isClose(each.fit.mismatches));
  const judged = isExplained ? exact : [...exact, ...coarser(exact, (each) => judge(each, effort))];
  const survivors = judged.flatMap((each) => ('fit' in each ? [each.fit] : []));
  const refuted = judged.flatMap((each) => ('refuted' in each ? [each.refuted] : []));
  const crowd = crowdIn(views);
  const outside = explainOutside(views, Math.min(...survivors.map((each) => each.mismatches)), {
    windows: windowsOf(views, hints),
    intervals: intervalsOf(views),
    promised: hints.promised,
    bounded: queue?.contender,
  });
  // No other kind says why requests wait, and for as long as a bucket of that rate takes to drain.
  const inside =
    queue === undefined
      ? survivors
      : survivors.map((each) => ({ ...each, degreesOfFreedom: each.degreesOfFreedom + waitsUnexplained }));
  return {
    requests,
    admitted: total(admitted),
    limited: total(limited),
    survivors: withConfidence([...inside, ...outside.survivors], requests, crowd),
    refuted: [...refuted, ...outside.refuted],
  };
}

/** What became of a kind. */
type JudgedKind =
  | { readonly kind: LimiterKind; readonly refuted: Refuted }
  | { readonly kind: LimiterKind; readonly search: BoxSearch; readonly fit: Contender };

/**
 * Searches further with the kind that comes nearest, while it gets much wrong and was kept only because the search
 * ran out of steps. Such a kind is more often refuted than true. `outside`: what a limit on concurrent requests gets
 * wrong; kinds that get more wrong need no further search.
 */
function confirmed(
  first: readonly JudgedKind[],
  outside: number,
  requests: number,
  judge: (kind: LimiterKind, effort: number) => JudgedKind,
): JudgedKind[] {
  const judged = [...first];
  const efforts = new Map<JudgedKind, number>();
  for (;;) {
    const standing = judged.flatMap((each) => ('fit' in each ? [each] : []));
    const [nearest] = standing.toSorted((a, b) => a.fit.mismatches - b.fit.mismatches);
    if (nearest === undefined || isNear(nearest.fit.mismatches, requests)) return judged;
    if (outside < nearest.fit.mismatches) return judged;
    const effort = (efforts.get(nearest) ?? 1) * furtherEffort;
    if (!nearest.search.isCutShort || effort > mostEffort) return judged;
    const again = judge(nearest.kind, effort);
    efforts.set(again, effort);
    judged[judged.indexOf(nearest)] = again;
  }
}

/**
 * Searches further with each kind that explains the answers, if its limit or window is vague because the steps ran out. It
 * may refute a kind, too.
 */
function measured(
  judged: readonly JudgedKind[],
  requests: number,
  judge: (kind: LimiterKind) => JudgedKind,
): JudgedKind[] {
  const explaining = judged.filter((each) => 'fit' in each && isNear(each.fit.mismatches, requests));
  if (explaining.length > mostMeasured) return [...judged];
  return judged.map((each) =>
    'fit' in each && explaining.includes(each) && each.search.isCutShort && isVague(each.fit)
      ? judge(each.kind)
      : each,
  );
}

function isVague({ limitBounds, windowMsBounds }: Contender): boolean {
  return [limitBounds, windowMsBounds].some(
    (bounds) => bounds !== null && (bounds.max ?? Number.POSITIVE_INFINITY) > vagueFrom * bounds.min,
  );
}

/** Of kinds that are refuted, the first coarser one each that is not. */
function coarser(exact: readonly JudgedKind[], judge: (kind: LimiterKind) => JudgedKind): JudgedKind[] {
  return exact.flatMap((each) => {
    for (const kind of 'fit' in each ? [] : (each.kind.coarser ?? [])) {
      const again = judge(kind);
      if ('fit' in again) return [again];
    }
    return [];
  });
}

/**
 * How many other requests were sent, on average, during a rejected one. Rejections take no work, so this is the
 * network only.
 */
function crowdIn(views: readonly View[]): number {
  let others = 0;
  let refusals = 0;
  for (const { refused, requests } of views) {
    for (let i = 0; i < refused.length; i++) {
      const upTo = countUpTo(requests.sentNs, refused.answeredNs[i] as number);
      others += upTo - countBelow(requests.sentNs, refused.sentNs[i] as number) - 1;
    }
    refusals += refused.length;
  }
  return refusals > 0 ? others / refusals : 0;
}

/** Settles a kind that a search left standing; windows that begin by the clock where that is possible. */
function fitOf(
  kind: LimiterKind,
  views: readonly View[],
  open: Omit<Unsettled, 'block'>,
  { clockOffset }: InferenceHints,
): Contender {
  const { cells } = open;
  const aligned =
    kind.period === 'window' && clockOffset !== undefined
      ? alignedCells(views, kind, cells, clockOffset)
      : [];
  const block = jointBlock(views);
  const free = settle(kind, { ...open, block });
  const byClock = aligned.length > 0 ? settle(kind, { ...open, cells: aligned, block }) : undefined;
  // Some round window or other fits the clock by chance: it has to explain about as much.
  const isAligned = byClock !== undefined && byClock.mismatches <= free.mismatches + chanceMismatches;
  return survivorOf(kind, cells, isAligned ? byClock : free, { isAligned, block });
}

/** What the first dimension of a search covers. */
function scalesOf(views: readonly View[], { scale }: LimiterKind, hints: InferenceHints): Span {
  return scale === 'token' ? intervalsOf(views) : windowsOf(views, hints);
}

/** Between one token and the next. */
function intervalsOf(views: readonly View[]): Span {
  const requests = views.reduce((sum, { trace }) => sum + trace.length, 0);
  const lengthNs = lengthOf(views);
  return { loNs: lengthNs / requests / 20, hiNs: lengthNs };
}

function windowsOf(views: readonly View[], { promised }: InferenceHints): Span {
  const lengthNs = lengthOf(views);
  return {
    loNs: Math.max(shortestWindowNs, lengthNs / mostWindows),
    hiNs: Math.max(lengthNs, promised?.windowNs ?? 0) * 1.01,
  };
}

/** At least a second, so that ratios make sense. Nanoseconds. */
function lengthOf(views: readonly View[]): number {
  const { loNs, hiNs } = timeCovered(views);
  return Math.max(1e9, hiNs - loNs);
}
