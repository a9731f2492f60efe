import { countUpTo } from '../arrays.ts';
import type { Counted, SubsetOfRequests } from '../counts.ts';
import { clockSlackNs, exactly, type Span } from '../span.ts';
import type { View } from '../view.ts';
import { firstPossibleArrival, firstSureArrival, type Windows } from './windows.ts';

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
  let firstOfChain = 0;
  const { requests } = view;
  const lastNs = requests.latestAnswerNs[requests.length - 1] ?? Number.NEGATIVE_INFINITY;
  while (begin.loNs <= lastNs && begins.length < mostWindows) {
    const silence = silenceAt(possible, begin.loNs, window);
    if (silence !== undefined) {
      endChain(begins, ends, firstOfChain, { window, endNs: silence.loNs });
      // Empty, so that the window after it has nothing to weigh.
      begins.push({ loNs: begin.loNs, hiNs: Math.min(silence.hiNs, overAfter(silence.loNs, window)) });
      ends.push({ loNs: begin.loNs, hiNs: silence.hiNs });
      chain = { loNs: silence.hiNs, hiNs: firstSureArrival(sure, silence.loNs) };
      begin = chain;
      steps = 0;
      isOpened = true;
      firstOfChain = begins.length;
    }
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
  // What comes later was rejected and starts no window: it meets a count of zero.
  if (begin.loNs === Number.POSITIVE_INFINITY) {
    const never = Number.POSITIVE_INFINITY;
    begins.push(ends.at(-1) ?? exactly(-never));
    ends.push(exactly(never));
  }
  return {
    length: begins.length,
    beginLo: begins.map(({ loNs }) => loNs),
    beginHi: begins.map(({ hiNs }) => hiNs),
    endLo: ends.map(({ loNs }) => loNs),
    endHi: ends.map(({ hiNs }) => hiNs),
  };
}

/**
 * A silence around an instant in which the last window is over and a whole one empty, wherever they began: from the last
 * arrival before it to the first after it. Undefined where there is none.
 */
function silenceAt(possible: SubsetOfRequests, ns: number, { hiNs }: Span): Span | undefined {
  const sentBefore = countUpTo(possible.sentNs, ns);
  const silence = {
    loNs: possible.latestAnswerNs[sentBefore - 1] ?? Number.POSITIVE_INFINITY,
    hiNs: possible.sentNs[sentBefore] ?? Number.NEGATIVE_INFINITY,
  };
  const isSilent = silence.loNs < ns && silence.hiNs - silence.loNs > 2 * hiNs + clockSlackNs(2 * hiNs);
  return isSilent ? silence : undefined;
}

/** Windows with requests begin before the last of them, and end within a window's length of it. */
function endChain(
  begins: Span[],
  ends: Span[],
  from: number,
  { endNs, window }: { readonly window: Span; readonly endNs: number },
): void {
  const overNs = overAfter(endNs, window);
  for (let k = from; k < begins.length; k++) {
    const [begin, end] = [begins[k] as Span, ends[k] as Span];
    begins[k] = { loNs: begin.loNs, hiNs: Math.min(begin.hiNs, endNs) };
    ends[k] = { loNs: end.loNs, hiNs: Math.min(end.hiNs, overNs) };
  }
}

/** By when a window is over in which something was counted at an instant. */
function overAfter(ns: number, { hiNs }: Span): number {
  return ns + hiNs + clockSlackNs(hiNs);
}
