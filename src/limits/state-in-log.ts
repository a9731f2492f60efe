import type { Counted } from './counts.ts';
import { clockSlackNs } from './slack.ts';
import { leastInTrailingWindow, mostInTrailingWindow } from './sliding-log.ts';
import { countUpTo } from './sorted.ts';
import type { Span } from './span.ts';
import { anyTime, type Between, leftAfter, noneLeft, type StateAfter } from './state.ts';
import { limited } from './trace.ts';
import type { View } from './view.ts';

/**
 * States of a sliding log: a place is free once the limit-th latest counted request has left. What was surely counted
 * bounds that instant from below, what may have been counted from above. `part`: the part of the window by which it
 * moves.
 */
export function stateInLog(
  view: View,
  { counted, window, part }: { readonly counted: Counted; readonly window: Span; readonly part: number },
  limits: Between,
): StateAfter {
  const { trace } = view;
  const counts = counted === 'all' ? view.allCounts : view.admittedCounts;
  const shortestNs = window.loNs * (1 - part);
  const slackNs = clockSlackNs(window.hiNs);
  return (i) => {
    const answeredNs = trace.answeredNs[i] as number;
    const forgottenNs = answeredNs + window.hiNs + slackNs;
    if (trace.outcome[i] !== limited) {
      const load = {
        least: leastInTrailingWindow(trace, counts, shortestNs, i),
        most: mostInTrailingWindow(trace, counts, window.hiNs, i),
      };
      return {
        left: leftAfter(limits, load),
        free: anyTime,
        reset: { loNs: Number.NEGATIVE_INFINITY, hiNs: forgottenNs },
      };
    }
    const own = counted === 'all' ? 1 : 0;
    const surely = (counts.surelyBefore[i] as number) + own - limits.most;
    const maybe = (counts.maybeBefore[i] as number) + own - limits.least;
    // Of those answered later than this request, all that is known is that they came before its answer.
    const settled = countUpTo(counts.mayAnsweredNs, answeredNs);
    const oldest = {
      loNs: counts.sureSentNs[surely] ?? Number.NEGATIVE_INFINITY,
      hiNs: maybe < settled ? (counts.mayAnsweredNs[maybe] ?? answeredNs) : answeredNs,
    };
    const loNs = oldest.loNs + shortestNs - slackNs;
    return {
      left: noneLeft,
      free: { loNs, hiNs: oldest.hiNs + window.hiNs + slackNs },
      reset: { loNs, hiNs: forgottenNs },
    };
  };
}
