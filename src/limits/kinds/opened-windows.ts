import { countUpTo } from '../arrays.ts';
import type { Counted, SubsetOfRequests } from '../counts.ts';
import { clockSlackNs, exactly, type Span } from '../span.ts';
import type { View } from '../view.ts';
import type { Windows } from './windows.ts';

/** Windows that requests start. */

/** When a window ends that began between two instants. */
export type EndOf = (openLo: number, openHi: number) => Span;

/** More windows than this come only from a window too short to matter. */
const mostWindows = 20_000;

/** The end of a window that nothing prolongs. */
export function naturalEnd(window: Span): EndOf {
  const leastNs = window.loNs - clockSlackNs(window.loNs);
  const mostNs = window.hiNs + clockSlackNs(window.hiNs);
  return (openLo, openHi) => ({ loNs: openLo + leastNs, hiNs: openHi + mostNs });
}

/**
 * Windows that each start with the first request after the previous one was over. If that request is uncertain, the
 * interval reaches from the first that may have started it to the first that surely came after. After a silence in which
 * every window ends, the next request certainly starts one, however uncertain those before are.
 */
export function openedWindows({ openers, admitted }: View, endOf: EndOf): Windows {
  const beginLo: number[] = [];
  const beginHi: number[] = [];
  const endLo: number[] = [];
  const endHi: number[] = [];
  let openLo = openers.sentNs[0] ?? Number.POSITIVE_INFINITY;
  let openHi = Math.max(openLo, firstSureArrival(admitted, Number.NEGATIVE_INFINITY));
  const silences = silencesIn(openers).filter(({ fromNs, toNs }) => endOf(fromNs, fromNs).hiNs < toNs);
  for (const { fromNs, toNs } of [...silences, unending]) {
    while (openLo <= fromNs && openLo < Number.POSITIVE_INFINITY && beginLo.length < mostWindows) {
      // Whatever started before the silence started before its beginning.
      openHi = Math.min(openHi, fromNs);
      const end = endOf(openLo, openHi);
      beginLo.push(openLo);
      beginHi.push(openHi);
      endLo.push(end.loNs);
      endHi.push(end.hiNs);
      openLo = firstPossibleArrival(openers, end.loNs);
      openHi = Math.max(openLo, firstSureArrival(admitted, end.hiNs));
    }
    if (toNs === Number.POSITIVE_INFINITY) break;
    openLo = toNs;
    openHi = Math.max(toNs, firstSureArrival(admitted, fromNs));
  }
  // What comes later was rejected and starts no window: it meets a count of zero.
  if (openLo === Number.POSITIVE_INFINITY) {
    beginLo.push(endLo.at(-1) ?? Number.NEGATIVE_INFINITY);
    beginHi.push(endHi.at(-1) ?? Number.NEGATIVE_INFINITY);
    endLo.push(Number.POSITIVE_INFINITY);
    endHi.push(Number.POSITIVE_INFINITY);
  }
  return { length: beginLo.length, beginLo, beginHi, endLo, endHi };
}

/** Between the last answer to some requests and the sending of the next. */
interface Silence {
  readonly fromNs: number;
  readonly toNs: number;
}

const unending: Silence = { fromNs: Number.POSITIVE_INFINITY, toNs: Number.POSITIVE_INFINITY };
/** No window is shorter. */
const shortestSilenceNs = 0.1e9;
const silencesOf = new WeakMap<SubsetOfRequests, readonly Silence[]>();

/** Looked for once: boxes of windows are tried by the thousand. */
function silencesIn(openers: SubsetOfRequests): readonly Silence[] {
  const known = silencesOf.get(openers);
  if (known !== undefined) return known;
  const found: Silence[] = [];
  for (let at = 1; at < openers.length; at++) {
    const fromNs = openers.latestAnswerNs[at - 1] as number;
    const toNs = openers.sentNs[at] as number;
    if (toNs - fromNs > shortestSilenceNs) found.push({ fromNs, toNs });
  }
  silencesOf.set(openers, found);
  return found;
}

/** The earliest instant >= `afterNs` at which any of these may have arrived; infinite if none may. */
function firstPossibleArrival(requests: SubsetOfRequests, afterNs: number): number {
  // A request sent before `afterNs` may still have arrived at it; the running maximum tells without a search.
  const sentBefore = countUpTo(requests.sentNs, afterNs);
  if (sentBefore > 0 && (requests.latestAnswerNs[sentBefore - 1] as number) >= afterNs) return afterNs;
  return requests.sentNs[sentBefore] ?? Number.POSITIVE_INFINITY;
}

/** The earliest instant by which some request sent after `fromNs` had surely arrived; infinite if none had. */
function firstSureArrival(requests: SubsetOfRequests, fromNs: number): number {
  return requests.earliestAnswerNs[countUpTo(requests.sentNs, fromNs)] ?? Number.POSITIVE_INFINITY;
}

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
