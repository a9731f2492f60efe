import type { Counted, Counts } from './counts.ts';
import type { LimitRange } from './limit-range.ts';
import { clockSlackNs } from './slack.ts';
import { countBelow, countUpTo } from './sorted.ts';
import type { Span } from './span.ts';
import { admitted, limited, type Trace } from './trace.ts';
import type { View } from './view.ts';

/**
 * Sliding log: a request is rejected when the log already holds L entries younger than the window. A 2xx needs L >
 * load and a 429 needs L <= load, each at the end of the load's interval that makes it easiest. Only the requests at
 * `indexes` are tested, until the model is refuted.
 */
export function narrowBySlidingLog(
  view: View,
  { counted, window }: { readonly counted: Counted; readonly window: Span },
  range: LimitRange,
  indexes: Int32Array,
): void {
  const { trace } = view;
  const counts = counted === 'all' ? view.allCounts : view.admittedCounts;
  for (let at = 0; at < indexes.length && !range.isEmpty; at++) {
    const i = indexes[at] as number;
    if (trace.outcome[i] === admitted) {
      range.atLeast(leastInTrailingWindow(trace, counts, window.loNs, i) + 1, i);
      range.atLeast(admittedTogether(view, window.loNs, i), i);
    } else if (trace.outcome[i] === limited)
      range.atMost(mostInTrailingWindow(trace, counts, window.hiNs, i), i);
  }
}

/**
 * How many requests were surely admitted within one window that ended when request `i` was answered. The order of a
 * burst is unknown, but the last of them met the others in the log, so the limit is at least what passed.
 */
function admittedTogether({ trace, admittedCounts }: View, windowNs: number, i: number): number {
  const answeredNs = trace.answeredNs[i] as number;
  const opensNs = answeredNs - windowNs + clockSlackNs(windowNs);
  const { sureAnsweredNs, sureSentNs } = admittedCounts;
  return countUpTo(sureAnsweredNs, answeredNs) - countUpTo(sureSentNs, opensNs);
}

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
