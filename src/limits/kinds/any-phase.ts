import type { Counts } from '../counts.ts';
import type { LimitRange } from '../limit-range.ts';
import type { Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import type { View } from '../view.ts';
import { leastInTrailingWindow, mostInTrailingWindow } from './trailing-counts.ts';

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
