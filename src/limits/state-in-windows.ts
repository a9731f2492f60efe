import type { Counts } from './counts.ts';
import { countsInWindows } from './load-bounds.ts';
import type { LastsFrom } from './opened-windows.ts';
import { clockSlackNs } from './slack.ts';
import type { Span } from './span.ts';
import {
  anyTime,
  type Between,
  eitherState,
  leftAfter,
  noneLeft,
  type State,
  type StateAfter,
} from './state.ts';
import { limited } from './trace.ts';
import type { View } from './view.ts';
import type { Windows } from './windows.ts';

/** What differs between the kinds of limiter that count in windows. */
export type WindowKind =
  | { readonly kind: 'fixed'; readonly lastsFrom: LastsFrom }
  /**
   * `countsRefused`: rejected requests are counted, too. `blocks`: after a rejection it rejects for the rest of the
   * window.
   */
  | { readonly kind: 'weighed'; readonly countsRefused: boolean; readonly blocks: boolean };

/** A limiter's windows: where they may lie, how long each is, and what is counted in them. */
export interface CountedWindows {
  readonly windows: Windows;
  readonly window: Span;
  readonly counts: Counts;
}

/** States of a limiter that counts in windows: each request may lie in several of them, and any may be the true one. */
export function stateInWindows(
  view: View,
  { counts, window, windows }: CountedWindows,
  kind: WindowKind,
  limits: Between,
): StateAfter {
  const { trace } = view;
  const { length, beginLo, endHi } = windows;
  const { surelySent, maybeAnswered, inside } = countsInWindows(counts, windows);
  const firstWindow = firstWindows(trace.sentNs, windows);
  return (i) => {
    const isRefused = trace.outcome[i] === limited;
    const [sentNs, answeredNs] = [trace.sentNs[i] as number, trace.answeredNs[i] as number];
    let state: State | undefined;
    for (let k = firstWindow[i] as number; k < length && (beginLo[k] as number) <= answeredNs; k++) {
      const current = {
        least: Math.max(0, (counts.surelyBefore[i] as number) - (surelySent[k] as number)),
        most: Math.max(0, (counts.maybeBefore[i] as number) - (maybeAnswered[k] as number)),
      };
      const place = { view, windows, window, limits, i, k, isRefused, sentNs, answeredNs, current };
      const own =
        kind.kind === 'fixed'
          ? inFixed(place, kind.lastsFrom)
          : inWeighed(place, kind, { least: inside.least[k - 1] ?? 0, most: inside.most[k - 1] ?? 0 });
      if (own !== undefined) state = state === undefined ? own : eitherState(state, own);
    }
    return state ?? { left: anyLeft, free: anyTime, reset: anyTime };
  };

  function firstWindows(sent: Float64Array, { length: count }: Windows): Int32Array {
    let earliest = 0;
    return Int32Array.from(sent, (ns) => {
      while (earliest + 1 < count && (endHi[earliest] as number) <= ns) earliest++;
      return earliest;
    });
  }
}

const anyLeft: Between = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

/** A request of the trace, taken to lie in window `k`. */
interface PlaceInWindow {
  readonly view: View;
  readonly windows: Windows;
  readonly window: Span;
  readonly limits: Between;
  readonly i: number;
  readonly k: number;
  readonly isRefused: boolean;
  readonly sentNs: number;
  readonly answeredNs: number;
  /** Counted in this window before it. */
  readonly current: Between;
}

/** Undefined where the answer shows that the request was not in this window. */
function inFixed(place: PlaceInWindow, lastsFrom: LastsFrom): State | undefined {
  const { windows, window, limits, k, isRefused, sentNs, answeredNs, current } = place;
  const end = { loNs: windows.endLo[k] as number, hiNs: windows.endHi[k] as number };
  if (!isRefused) {
    if (current.least >= limits.most) return undefined;
    // Later rejections may have postponed the end.
    const natural = {
      loNs: (windows.beginLo[k] as number) + window.loNs - clockSlackNs(window.loNs),
      hiNs: (windows.beginHi[k] as number) + window.hiNs + clockSlackNs(window.hiNs),
    };
    return {
      left: leftAfter(limits, current),
      free: anyTime,
      reset: lastsFrom === 'opening' ? end : natural,
    };
  }
  if (current.most < limits.least) return undefined;
  const slackNs = clockSlackNs(window.hiNs);
  const free =
    lastsFrom === 'last-refusal'
      ? { loNs: sentNs + window.loNs - slackNs, hiNs: answeredNs + window.hiNs + slackNs }
      : end;
  return { left: noneLeft, free, reset: free };
}

function inWeighed(
  place: PlaceInWindow,
  { countsRefused, blocks }: Extract<WindowKind, { readonly kind: 'weighed' }>,
  previous: Between,
): State | undefined {
  const { view, windows, window, limits, i, k, isRefused, sentNs, answeredNs, current } = place;
  const begin = { loNs: windows.beginLo[k] as number, hiNs: windows.beginHi[k] as number };
  const end = { loNs: windows.endLo[k] as number, hiNs: windows.endHi[k] as number };
  const load = {
    least: current.least + weight(answeredNs - begin.loNs, window.loNs) * previous.least,
    most: current.most + weight(sentNs - begin.hiNs, window.hiNs) * previous.most,
  };
  const forgotten = { loNs: Number.NEGATIVE_INFINITY, hiNs: end.hiNs + window.hiNs };
  if (!isRefused) {
    if (load.least >= limits.most) return undefined;
    return { left: leftAfter(limits, load), free: anyTime, reset: forgotten };
  }
  const mayBeBlocked = blocks && (view.refusals.maybeBeforeNs[i] as number) >= begin.loNs;
  if (load.most <= limits.least - 1 && !mayBeBlocked) return undefined;
  const own = countsRefused ? 1 : 0;
  const free = {
    loNs: blocks
      ? end.loNs + window.loNs * untilBelow(current.least, 0, limits.most)
      : fallsBelow(
          { beginNs: begin.loNs, endNs: end.loNs, lengthNs: window.loNs },
          current.least + own,
          previous.least,
          limits.most,
        ),
    // Some admit only what fits as a whole, so that a place is free once there is one less than the limit.
    hiNs: blocks
      ? end.hiNs + window.hiNs * untilBelow(current.most, 0, limits.least - 1)
      : fallsBelow(
          { beginNs: begin.hiNs, endNs: end.hiNs, lengthNs: window.hiNs },
          current.most + own,
          previous.most,
          limits.least - 1,
        ),
  };
  return {
    left: noneLeft,
    free: { loNs: free.loNs, hiNs: Math.max(free.hiNs, answeredNs) },
    // Some name the end of the window, although its count still has weight.
    reset: { loNs: Math.min(free.loNs, end.loNs), hiNs: forgotten.hiNs },
  };
}

/** The part of the window before that still counts. */
function weight(passedNs: number, windowNs: number): number {
  return Math.min(1, Math.max(0, 1 - passedNs / windowNs));
}

/** When a weighed count, to which nothing is added, falls to a threshold: in its window, or in the next. */
function fallsBelow(
  {
    beginNs,
    endNs,
    lengthNs,
  }: { readonly beginNs: number; readonly endNs: number; readonly lengthNs: number },
  current: number,
  previous: number,
  threshold: number,
): number {
  return current < threshold
    ? beginNs + lengthNs * untilBelow(previous, current, threshold)
    : endNs + lengthNs * untilBelow(current, 0, threshold);
}

/** The part of a window after which the rest of `fading` plus `staying` is down to the threshold. */
function untilBelow(fading: number, staying: number, threshold: number): number {
  if (fading <= 0) return 0;
  return Math.min(1, Math.max(0, 1 - (threshold - staying) / fading));
}
