import { countUpTo } from '../arrays.ts';
import { type Counted, type Counts, leastInTrailingWindow, mostInTrailingWindow } from '../counts.ts';
import { clockSlackNs, type Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import { countsIn, type View } from '../view.ts';
import { byLoad, statesByLoad } from './by-load.ts';
import type { Decide, LimiterKind, LimitRange, LoadListener, Settled } from './kind.ts';
import { mayRefuseInTrailing } from './windows.ts';

/** A request is rejected when the log already holds L entries younger than the window. */
export const slidingLog: LimiterKind = {
  ...ofLog('admitted'),
  id: 'sliding-log',
  name: 'sliding window',
  algorithm: 'sliding-log',
  keeps: 'sliding-log',
  mayRefuse: mayRefuseInTrailing,
  coarser: inPieces('admitted', 'sliding-log-pieces', 'sliding window (moves in steps)'),
};

export const slidingLogAll: LimiterKind = {
  ...ofLog('all'),
  id: 'sliding-log-all',
  name: 'sliding window (rejections count)',
  algorithm: 'sliding-log',
  mayRefuse: mayRefuseInTrailing,
  coarser: inPieces('all', 'sliding-log-all-pieces', 'sliding window (moves in steps, rejections count)'),
};

/** Parts of the window that counts are kept in: tenths or quarters are common (rolling counters). */
function inPieces(counted: Counted, id: string, name: string): LimiterKind[] {
  return [0.1, 0.25].map((part) => ({ ...ofLog(counted, part), id, variant: `${part}`, name }));
}

/** `part`: of the window, that it is kept in pieces of; 0 where every request leaves it by itself. */
function ofLog(counted: Counted, part = 0): Omit<LimiterKind, 'id' | 'name'> {
  // For any position of its pieces, its count lies between a window without one of them and a whole one.
  const load = byLoad({
    loadOf: (view, { scale: { loNs, hiNs } }) => {
      const { trace } = view;
      const counts = countsIn(view, counted);
      const shortestNs = loNs * (1 - part);
      return {
        least: (i) => leastInTrailingWindow(trace, counts, shortestNs, i),
        most: (i) => mostInTrailingWindow(trace, counts, hiNs, i),
        passed: (i) => admittedTogether(view, shortestNs, i),
      };
    },
  });
  return {
    ...load,
    scale: 'window',
    rejectsCount: counted === 'all',
    degreesOfFreedom: part === 0 ? 2 : 4,
    phase: null,
    remembersWindows: 1,
    addsUp: part === 0,
    mostPerWindow: 1,
    decide: (settled, note) => decideByLog(settled, counted, part, note),
    states: statesByLoad(load.loads, (view, { limits, scale }) => {
      const { answeredNs } = view.trace;
      const counts = countsIn(view, counted);
      const slackNs = clockSlackNs(scale.hiNs);
      const own = counted === 'all' ? 1 : 0;
      return {
        forgottenNs: (i) => (answeredNs[i] as number) + scale.hiNs + slackNs,
        // The limit-th latest counted request has left: what was surely counted bounds that from below, what may have been
        // counted from above. Of those answered later, all that is known is that they came before this answer.
        free: (i) => {
          const surely = (counts.surelyBefore[i] as number) + own - limits.most;
          const maybe = (counts.maybeBefore[i] as number) + own - limits.least;
          const settledNs = answeredNs[i] as number;
          const isSettled = maybe < countUpTo(counts.mayAnsweredNs, settledNs);
          const oldestNs = counts.sureSentNs[surely] ?? Number.NEGATIVE_INFINITY;
          const latestNs = isSettled ? (counts.mayAnsweredNs[maybe] ?? settledNs) : settledNs;
          return {
            loNs: oldestNs + scale.loNs * (1 - part) - slackNs,
            hiNs: latestNs + scale.hiNs + slackNs,
          };
        },
      };
    }),
  };
}

/**
 * How many requests were surely admitted within one window that ended when request `i` was answered. The order of a
 * burst is unknown, but the last of them met the others in the log, so the limit is at least what passed.
 */
export function admittedTogether({ trace, admittedCounts }: View, windowNs: number, i: number): number {
  const answeredNs = trace.answeredNs[i] as number;
  const opensNs = answeredNs - windowNs + clockSlackNs(windowNs);
  const { sureAnsweredNs, sureSentNs } = admittedCounts;
  return countUpTo(sureAnsweredNs, answeredNs) - countUpTo(sureSentNs, opensNs);
}

function decideByLog(
  { limit, scaleNs }: Settled,
  counted: Counted,
  part: number,
  note?: LoadListener,
): Decide {
  const windowNs = scaleNs * (1 - part / 2);
  const log: number[] = [];
  let oldest = 0;
  return (atNs, passed) => {
    while (oldest < log.length && (log[oldest] as number) <= atNs - windowNs) oldest++;
    const load = log.length - oldest;
    note?.(load);
    const passes = load < limit;
    if ((passed ?? passes) || counted === 'all') log.push(atNs);
    return passes;
  };
}

/**
 * Narrows `range` to the limits that are possible wherever windows begin. A trailing span of m windows overlaps m + 1 of
 * them, each of which admits at most L: a burst rules out all windows that are much shorter than it. What a rejection was counted against lies within `lookbackNs`: one trailing window, or
 * two or three where earlier windows weigh and rejections linger. `isImpossible`: admissions that no limit explains.
 */
export function narrowByTrailing(
  view: View,
  {
    scale,
    counts,
    lookbackNs,
  }: { readonly scale: Span; readonly counts: Counts; readonly lookbackNs: number },
  range: LimitRange,
  isImpossible?: (index: number) => boolean,
): void {
  const { trace, critical } = view;
  for (let at = 0; at < critical.length && !range.isEmpty; at++) {
    const i = critical[at] as number;
    if (trace.outcome[i] === limited) range.atMost(mostInTrailingWindow(trace, counts, lookbackNs, i) + 1, i);
    else if (trace.outcome[i] === admitted && isImpossible?.(i)) range.refute(i);
    else if (trace.outcome[i] === admitted) range.atLeast(leastFor(view, scale.loNs, i, range.min), i);
  }
}

/** The least limit above `known`, by the admissions in spans of 1, 2, 4 … windows that end with request `i`. */
function leastFor({ trace, admittedCounts }: View, windowNs: number, i: number, known: number): number {
  const longestNs = (trace.sentNs[i] as number) - (trace.sentNs[0] as number);
  const most = (admittedCounts.surelyBefore[i] as number) + 1;
  let least = known;
  for (let windows = 1; windows === 1 || windows * windowNs <= longestNs; windows *= 2) {
    // More windows than this hold less than `least` each, whatever was admitted.
    if (most <= least * (windows + 1)) break;
    const count = leastInTrailingWindow(trace, admittedCounts, windows * windowNs, i) + 1;
    least = Math.max(least, Math.ceil(count / (windows + 1)));
  }
  return least;
}
