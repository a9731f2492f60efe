import type { Counted } from './counts.ts';
import { firstPossibleArrival, firstSureArrival } from './opened-windows.ts';
import { clockSlackNs } from './slack.ts';
import type { Span } from './span.ts';
import type { View } from './view.ts';
import type { Windows } from './windows.ts';

/** More windows than this only come of a window too short to be of interest. */
const mostWindows = 20_000;

/**
 * Windows of a sliding counter that keeps no grid of its own (HAProxy's): the first counted request opens one, others
 * follow seamlessly as long as each has counted something, and after an empty one the next counted request opens again.
 * That empty window is the last before the gap, so that the one after it has nothing to weigh.
 */
export function counterWindows(view: View, window: Span, counted: Counted): Windows {
  const possible = counted === 'all' ? view.requests : view.openers;
  const sure = counted === 'all' ? view.judged : view.admitted;
  const begins: Span[] = [];
  const ends: Span[] = [];
  let chain: Span = {
    loNs: possible.sentNs[0] ?? Number.POSITIVE_INFINITY,
    hiNs: firstSureArrival(sure, Number.NEGATIVE_INFINITY),
  };
  /** Windows since the chain's beginning, of which reckoning them one by one would add up the doubt. */
  let steps = 0;
  let isOpened = true;
  let begin = chain;
  const lastNs = possible.latestAnswerNs[possible.length - 1] ?? Number.NEGATIVE_INFINITY;
  while (begin.loNs <= lastNs && begins.length < mostWindows) {
    steps++;
    const end = {
      loNs: chain.loNs + steps * window.loNs - clockSlackNs(steps * window.loNs),
      hiNs: chain.hiNs + steps * window.hiNs + clockSlackNs(steps * window.hiNs),
    };
    begins.push(begin);
    ends.push(end);
    const isFilled: boolean = isOpened || firstSureArrival(sure, begin.hiNs) < end.loNs;
    isOpened = !isFilled && firstPossibleArrival(possible, begin.loNs) > end.hiNs;
    if (isFilled) {
      begin = end;
      continue;
    }
    // In doubt the next window follows seamlessly or is opened later.
    const loNs = isOpened ? firstPossibleArrival(possible, end.loNs) : end.loNs;
    chain = { loNs, hiNs: Math.max(loNs, end.hiNs, firstSureArrival(sure, end.hiNs)) };
    steps = 0;
    begin = chain;
  }
  return {
    length: begins.length,
    beginLo: begins.map(({ loNs }) => loNs),
    beginHi: begins.map(({ hiNs }) => hiNs),
    endLo: ends.map(({ loNs }) => loNs),
    endHi: ends.map(({ hiNs }) => hiNs),
  };
}
