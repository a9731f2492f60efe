import type { Counted, Counts } from './counts.ts';
import type { LimitRange } from './limit-range.ts';
import { clockSlackNs } from './slack.ts';
import { countBelow, countUpTo } from './sorted.ts';
import type { Span } from './span.ts';
import { admitted, limited, type Trace } from './trace.ts';
import type { View } from './view.ts';

/**
 * Sliding log: a request is refused when the log already holds L entries younger than the window.
 * A 2xx needs L > load, a 429 needs L <= load, each at the end of the load's interval that makes it easiest.
 * Only the requests at `indexes` are held against the model, and only until it is refuted.
 */
export function narrowBySlidingLog(
  view: View,
  counted: Counted,
  window: Span,
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
 * How many requests were surely admitted within one window that ended when request `i` was answered. Whichever of them came
 * last, the log held the others: of a burst nobody knows the order, yet the limit is no less than what passed of it.
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
