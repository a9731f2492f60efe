import type { Counts } from '../counts.ts';
import type { LimitRange } from '../limit-range.ts';
import type { Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import type { View } from '../view.ts';
import { leastInTrailingWindow, mostInTrailingWindow } from './trailing-counts.ts';

/**
 * Narrows `range` to the limits that are possible wherever windows begin. A trailing window overlaps two windows, each
 * of which admits at most L. What a rejection was counted against lies within `lookbackNs`: one trailing window, or
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
  const { trace, admittedCounts, critical } = view;
  for (let at = 0; at < critical.length && !range.isEmpty; at++) {
    const i = critical[at] as number;
    if (trace.outcome[i] === limited) range.atMost(mostInTrailingWindow(trace, counts, lookbackNs, i) + 1, i);
    else if (trace.outcome[i] === admitted && isImpossible?.(i)) range.refute(i);
    else if (trace.outcome[i] === admitted)
      range.atLeast(Math.ceil((leastInTrailingWindow(trace, admittedCounts, scale.loNs, i) + 1) / 2), i);
  }
}
