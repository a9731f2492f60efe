import type { LimitRange } from '../limit-range.ts';
import { countBelow, countUpTo } from '../sorted.ts';
import type { View } from '../view.ts';
import type { Windows } from '../windows.ts';

/** How many requests before a boundary are examined as straddlers; leaving some out only weakens a bound. */
const straddlersSeen = 64;

/**
 * Fixed window: a request is rejected when its window has admitted L already. Whether rejected requests count makes
 * no difference: once L is reached the rest of the window is rejected either way. Narrows `range` to the limits that
 * explain the whole trace if the windows were these; stops once it is empty. O(windows × log n).
 */
export function narrowFixed(view: View, windows: Windows, range: LimitRange): void {
  const { sureAnsweredNs, sureSentNs, mayAnsweredNs, maybeBefore } = view.admittedCounts;
  const { refused, fewestBefore } = view;
  let refusedFrom = 0;
  for (let k = 0; k < windows.length && !range.isEmpty; k++) {
    const ended = countBelow(sureAnsweredNs, windows.endLo[k] as number);
    const begun = countBelow(sureSentNs, previousEndHi(windows, k));
    const inside = ended - begun + pushedPastBoundary(view, begun, windows, k);
    if (inside > range.min) range.atLeast(inside, lastAdmittedBefore(view, windows.endLo[k] as number));

    // A rejection near a boundary is judged in the earlier window, where more may have come before it.
    const refusedTo = countBelow(refused.sentNs, windows.endHi[k] as number);
    const hardest = fewestBefore.indexIn(refusedFrom, refusedTo);
    refusedFrom = Math.max(refusedFrom, refusedTo);
    if (hardest === undefined) continue;
    const i = refused.index[hardest] as number;
    const gone = countBelow(mayAnsweredNs, windows.beginLo[k] as number);
    range.atMost((maybeBefore[i] as number) - gone, i);
  }
}

/**
 * Of the admitted requests that straddle the start of window k: those that surely came before a rejection inside
 * window k − 1. That window admitted nothing more, so they belong to window k.
 */
function pushedPastBoundary(
  { admitted, longestTripNs, refusals }: View,
  begun: number,
  windows: Windows,
  k: number,
): number {
  if (k === 0) return 0;
  const previousBeginHi = previousEndHi(windows, k - 1);
  const beganNs = windows.beginLo[k] as number;
  const endsNs = windows.endLo[k] as number;
  let pushed = 0;
  for (let at = begun - 1; at >= Math.max(0, begun - straddlersSeen); at--) {
    if ((admitted.sentNs[at] as number) + longestTripNs < beganNs) break;
    const answeredNs = admitted.answeredNs[at] as number;
    const straddles = answeredNs >= beganNs && answeredNs < endsNs;
    const refusedBeforeNs = refusals.surelyBeforeNs[admitted.index[at] as number] as number;
    if (straddles && refusedBeforeNs >= previousBeginHi) pushed++;
  }
  return pushed;
}

function lastAdmittedBefore({ admitted }: View, endNs: number): number {
  for (let at = countUpTo(admitted.sentNs, endNs) - 1; at >= 0; at--)
    if ((admitted.answeredNs[at] as number) < endNs) return admitted.index[at] as number;
  return -1;
}

/**
 * What is sent after the window before is over belongs to window k or a later one, even if it is what opens window k.
 * Before window 0 there is nothing.
 */
function previousEndHi(windows: Windows, k: number): number {
  return windows.endHi[k - 1] ?? -Number.MAX_VALUE;
}
