import type { Counts } from '../counts.ts';
import { clockSlackNs } from '../slack.ts';
import { countBelow, countUpTo } from '../sorted.ts';
import type { Trace } from '../trace.ts';
import type { MayRefuse } from './kind.ts';

/** How many counted requests were surely in the window that ended when request `i` arrived, itself left out. */
export function leastInTrailingWindow(trace: Trace, counts: Counts, windowNs: number, i: number): number {
  const opensNs = (trace.answeredNs[i] as number) - windowNs + clockSlackNs(windowNs);
  return Math.max(0, (counts.surelyBefore[i] as number) - countUpTo(counts.sureSentNs, opensNs));
}

/** How many counted requests may have been in the window that ended when request `i` arrived, itself left out. */
export function mostInTrailingWindow(trace: Trace, counts: Counts, windowNs: number, i: number): number {
  const opensNs = (trace.sentNs[i] as number) - windowNs - clockSlackNs(windowNs);
  return (counts.maybeBefore[i] as number) - countBelow(counts.mayAnsweredNs, opensNs);
}

/** If rejected requests count. A fixed window of any phase lies within the trailing window, so this covers it as well. */
export const mayRefuseInTrailing: MayRefuse =
  ({ trace, allCounts }, { requests, windowNs }) =>
  (i) =>
    mostInTrailingWindow(trace, allCounts, windowNs, i) >= requests;
