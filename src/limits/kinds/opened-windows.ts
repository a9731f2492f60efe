import { clockSlackNs } from '../slack.ts';
import { countUpTo } from '../sorted.ts';
import type { Span } from '../span.ts';
import type { SubsetOfRequests } from '../subset.ts';
import type { View } from '../view.ts';
import type { Windows } from '../windows.ts';

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
 * interval reaches from the first that may have started it to the first that surely came after.
 */
export function openedWindows({ openers, admitted }: View, endOf: EndOf): Windows {
  const beginLo: number[] = [];
  const beginHi: number[] = [];
  const endLo: number[] = [];
  const endHi: number[] = [];
  let openLo = openers.sentNs[0] ?? Number.POSITIVE_INFINITY;
  let openHi = Math.max(openLo, firstSureArrival(admitted, Number.NEGATIVE_INFINITY));
  while (openLo < Number.POSITIVE_INFINITY && beginLo.length < mostWindows) {
    const end = endOf(openLo, openHi);
    beginLo.push(openLo);
    beginHi.push(openHi);
    endLo.push(end.loNs);
    endHi.push(end.hiNs);
    openLo = firstPossibleArrival(openers, end.loNs);
    openHi = Math.max(openLo, firstSureArrival(admitted, end.hiNs));
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

/** The earliest instant >= `afterNs` at which any of these may have arrived; infinite if none may. */
export function firstPossibleArrival(requests: SubsetOfRequests, afterNs: number): number {
  // A request sent before `afterNs` may still have arrived at it; the running maximum tells without a search.
  const sentBefore = countUpTo(requests.sentNs, afterNs);
  if (sentBefore > 0 && (requests.latestAnswerNs[sentBefore - 1] as number) >= afterNs) return afterNs;
  return requests.sentNs[sentBefore] ?? Number.POSITIVE_INFINITY;
}

/** The earliest instant by which some request sent after `fromNs` had surely arrived; infinite if none had. */
export function firstSureArrival(requests: SubsetOfRequests, fromNs: number): number {
  return requests.earliestAnswerNs[countUpTo(requests.sentNs, fromNs)] ?? Number.POSITIVE_INFINITY;
}
