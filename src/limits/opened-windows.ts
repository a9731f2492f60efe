import { clockSlackNs } from './slack.ts';
import { countBelow, countUpTo } from './sorted.ts';
import type { Span } from './span.ts';
import type { SubsetOfRequests } from './subset.ts';
import type { View } from './view.ts';
import type { Windows } from './windows.ts';

/**
 * From where a window started by the first request is measured: its start; its first rejection, plus a block's
 * length; or its last rejection, plus a window's length.
 */
export type LastsFrom = 'opening' | 'first-refusal' | 'last-refusal';

/** More windows than this come only from a window too short to matter. */
const mostWindows = 20_000;

/**
 * Windows that each start with the first request after the previous one was over. If that request is uncertain, the
 * interval reaches from the first that may have started it to the first that surely came after.
 */
export function openedWindows(view: View, window: Span, lastsFrom: LastsFrom): Windows {
  const { openers, admitted, refused } = view;
  const beginLo: number[] = [];
  const beginHi: number[] = [];
  const endLo: number[] = [];
  const endHi: number[] = [];
  const chains = lastsFrom === 'last-refusal' ? chainsOf(refused, window) : undefined;
  let openLo = openers.sentNs[0] ?? Number.POSITIVE_INFINITY;
  let openHi = Math.max(openLo, firstSureArrival(admitted, Number.NEGATIVE_INFINITY));
  while (openLo < Number.POSITIVE_INFINITY && beginLo.length < mostWindows) {
    const end =
      chains === undefined
        ? endOf(view, { loNs: openLo, hiNs: openHi }, window, lastsFrom)
        : endOfChain(refused, chains, { loNs: openLo, hiNs: openHi }, window);
    beginLo.push(openLo);
    beginHi.push(openHi);
    endLo.push(end.loNs);
    endHi.push(end.hiNs);
    openLo = firstPossibleArrival(openers, end.loNs);
    openHi = Math.max(openLo, firstSureArrival(admitted, end.hiNs));
  }
  return { length: beginLo.length, beginLo, beginHi, endLo, endHi };
}

function endOf({ refused, block }: View, opened: Span, window: Span, lastsFrom: LastsFrom): Span {
  const { loNs: openLo, hiNs: openHi } = opened;
  const leastNs = window.loNs - clockSlackNs(window.loNs);
  const mostNs = window.hiNs + clockSlackNs(window.hiNs);
  const natural = { loNs: openLo + leastNs, hiNs: openHi + mostNs };
  if (lastsFrom === 'opening') return natural;
  let firstLo = Number.POSITIVE_INFINITY;
  let firstHi = Number.POSITIVE_INFINITY;
  for (let j = countBelow(refused.latestAnswerNs, openLo); j < refused.length; j++) {
    const sentNs = refused.sentNs[j] as number;
    const answeredNs = refused.answeredNs[j] as number;
    if (sentNs > natural.hiNs || sentNs > firstHi) break;
    if (answeredNs < openLo) continue;
    firstLo = Math.min(firstLo, Math.max(sentNs, openLo));
    if (sentNs >= openHi && answeredNs < natural.loNs) firstHi = Math.min(firstHi, answeredNs);
  }
  if (firstLo === Number.POSITIVE_INFINITY) return natural;
  if (firstHi < Number.POSITIVE_INFINITY) return { loNs: firstLo + block.loNs, hiNs: firstHi + block.hiNs };
  return {
    loNs: Math.min(natural.loNs, firstLo + block.loNs),
    hiNs: Math.max(natural.hiNs, natural.hiNs + block.hiNs),
  };
}

/** For each refusal, the last one that it leads to when each keeps the window open until the next. */
interface Chains {
  /** Surely leads to it. */
  readonly sure: Int32Array;
  /** Leads to it at most. */
  readonly possible: Int32Array;
}

function chainsOf({ length, sentNs, answeredNs, latestAnswerNs }: SubsetOfRequests, window: Span): Chains {
  const leastNs = window.loNs - clockSlackNs(window.loNs);
  const mostNs = window.hiNs + clockSlackNs(window.hiNs);
  const sure = new Int32Array(length);
  const possible = new Int32Array(length);
  for (let j = length - 1; j >= 0; j--) {
    const isLast = j === length - 1;
    const surelyLeads = !isLast && (answeredNs[j + 1] as number) < (sentNs[j] as number) + leastNs;
    const mayLead = !isLast && (sentNs[j + 1] as number) <= (latestAnswerNs[j] as number) + mostNs;
    sure[j] = surelyLeads ? (sure[j + 1] as number) : j;
    possible[j] = mayLead ? (possible[j + 1] as number) : j;
  }
  return { sure, possible };
}

/** The end of a window extended by rejections. */
function endOfChain(
  refused: SubsetOfRequests,
  { sure, possible }: Chains,
  { loNs: openLo, hiNs: openHi }: Span,
  window: Span,
): Span {
  const leastNs = window.loNs - clockSlackNs(window.loNs);
  const mostNs = window.hiNs + clockSlackNs(window.hiNs);
  let loNs = openLo + leastNs;
  let hiNs = openHi + mostNs;
  const firstSure = countBelow(refused.sentNs, openHi);
  if (firstSure < refused.length && (refused.answeredNs[firstSure] as number) < loNs) {
    loNs = Math.max(loNs, (refused.sentNs[sure[firstSure] as number] as number) + leastNs);
  }
  // The last that may have come within the natural end leads on from there.
  const lastPossible = countUpTo(refused.sentNs, hiNs) - 1;
  if (lastPossible >= 0 && (refused.latestAnswerNs[lastPossible] as number) >= openLo) {
    const last = possible[lastPossible] as number;
    const lastNs =
      last === lastPossible
        ? Math.min(refused.latestAnswerNs[last] as number, hiNs)
        : (refused.latestAnswerNs[last] as number);
    hiNs = Math.max(hiNs, lastNs + mostNs);
  }
  return { loNs, hiNs };
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
