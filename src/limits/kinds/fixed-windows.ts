import { clockSlackNs } from '../slack.ts';
import type { Span } from '../span.ts';
import { anyTime, type Between, leftAfter, noneLeft, type State } from '../state.ts';
import type { View } from '../view.ts';
import { griddedWindows, type Windows } from '../windows.ts';
import { loadsInWindows, type PlacedRequest, statesInWindows } from './in-windows.ts';
import type { Box, Decide, LimiterKind, LoadListener } from './kind.ts';
import { narrowFixed } from './narrow-fixed.ts';

/** What all kinds have in common whose windows each begin with a count of zero. */
type OfFixedWindows = Pick<
  LimiterKind,
  'loads' | 'narrow' | 'remembersWindows' | 'scale' | 'startsAnew' | 'states'
>;

/** How rejections move the end of a window, if they do. */
interface Prolonged {
  /** The instants at which a place may become free after a rejection; the end of the window by default. */
  readonly free?: (place: PlacedRequest, window: Span) => Span;
}

export function inFixedWindows(
  windowsOf: (view: View, box: Box) => Windows,
  prolonged?: Prolonged,
): OfFixedWindows {
  return {
    scale: 'window',
    remembersWindows: 1,
    startsAnew: true,
    narrow: (view, box, range) => narrowFixed(view, windowsOf(view, box), range),
    loads: (view, box) =>
      loadsInWindows(view, view.admittedCounts, windowsOf(view, box), ({ current }) => current),
    states: (view, box) =>
      statesInWindows(view, view.admittedCounts, windowsOf(view, box), (place) =>
        stateIn(place, box.scale, box.limits, prolonged),
      ),
  };
}

function stateIn(
  place: PlacedRequest,
  window: Span,
  limits: Between,
  prolonged: Prolonged | undefined,
): State | undefined {
  const { begin, current, end, isRefused } = place;
  if (isRefused) {
    if (current.most < limits.least) return undefined;
    const free = prolonged?.free?.(place, window) ?? end;
    return { left: noneLeft, free, reset: free };
  }
  if (current.least >= limits.most) return undefined;
  // Later rejections may have postponed the end.
  const natural = {
    loNs: begin.loNs + window.loNs - clockSlackNs(window.loNs),
    hiNs: begin.hiNs + window.hiNs + clockSlackNs(window.hiNs),
  };
  return {
    left: leftAfter(limits, current),
    free: anyTime,
    reset: prolonged === undefined ? end : natural,
  };
}

/** Windows on a grid of the box's phase; without one, on the grid of the first request. */
export function windowsOnGrid(view: View, { scale, boundary }: Box): Windows {
  return griddedWindows(view.trace, scale, boundary ?? firstArrival(view));
}

/** When the first request that can have opened anything reached the limiter. */
export function firstArrival({ openers, admitted: passed }: View): Span {
  const loNs = openers.sentNs[0] ?? 0;
  return { loNs, hiNs: Math.max(loNs, passed.answeredNs[0] ?? loNs) };
}

/** Counts in windows on a grid, whose boundary follows from the first arrival. */
export function decideOnGrid(
  limit: number,
  windowNs: number,
  boundaryOf: (firstNs: number) => number,
  note?: LoadListener,
): Decide {
  let boundaryNs: number | undefined;
  let window = Number.NaN;
  let count = 0;
  return (atNs, passed) => {
    boundaryNs ??= boundaryOf(atNs);
    const current = Math.floor((atNs - boundaryNs) / windowNs);
    if (current !== window) {
      window = current;
      count = 0;
    }
    note?.(count);
    const passes = count < limit;
    if (passed ?? passes) count++;
    return passes;
  };
}

/** Counts in windows that each begin with a request; `prolonged`: when a window ends that got a rejection. */
export function decideSinceRequest(
  limit: number,
  windowNs: number,
  prolonged: (endsNs: number, atNs: number, isFirst: boolean) => number,
  note?: LoadListener,
): Decide {
  let endsNs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let hasRefused = false;
  let hasOne = false;
  /** When the window ends if the request without an answer that was taken to begin it never arrived. */
  let laterNs: number | undefined;
  const open = (atNs: number, isKnown: boolean): void => {
    endsNs = atNs + windowNs;
    count = 0;
    hasRefused = false;
    hasOne = false;
    laterNs = isKnown ? endsNs : undefined;
  };
  return (atNs, passed) => {
    const isOver = atNs >= endsNs;
    const mayLast = isOver && passed === false && (laterNs ?? endsNs) > atNs;
    // A rejection shows that a window is not over; an admission to a full one, that one was counted too much, and a second one
    // that it is over. So one lost request makes an answer or two wrong, and not all until the next silence.
    if (mayLast) endsNs = laterNs ?? endsNs;
    else if (isOver) open(atNs, passed !== undefined);
    else if (passed === true) laterNs ??= atNs + windowNs;
    const load = isOver ? 0 : count;
    note?.(load);
    const passes = load < limit;
    if (passed === true && !passes) {
      if (hasOne) open(atNs, true);
      else count = limit - 1;
      hasOne = true;
    }
    if (passed ?? passes) count++;
    else if (!mayLast) {
      endsNs = prolonged(endsNs, atNs, !hasRefused);
      hasRefused = true;
    }
    return passes;
  };
}
