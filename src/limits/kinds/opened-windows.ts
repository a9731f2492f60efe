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
