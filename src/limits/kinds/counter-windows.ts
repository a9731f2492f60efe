import type { Counted } from '../counts.ts';
import { clockSlackNs } from '../slack.ts';
import type { Span } from '../span.ts';
import type { View } from '../view.ts';
import type { Windows } from '../windows.ts';
import { firstPossibleArrival, firstSureArrival } from './opened-windows.ts';

/** More windows than this come only from a window too short to matter. */
const mostWindows = 20_000;

/**
 * Windows of a sliding counter without a fixed grid (HAProxy's): the first counted request starts one. Others follow
 * without a gap as long as each counted something; after an empty window the next counted request starts a new one.
 * The empty window is the last before the gap, so that the next one has nothing to weigh.
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
  /** Windows since the chain's start; adding them one by one would add up the uncertainty. */
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
