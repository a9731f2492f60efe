import { countBelow, countUpTo } from '../arrays.ts';
import { clockSlackNs, type Span } from '../span.ts';
import type { View } from '../view.ts';
import { byLoad } from './by-load.ts';
import {
  anyTime,
  type Between,
  type Box,
  type Decide,
  type LimiterKind,
  type LimitRange,
  type LoadListener,
  leftAfter,
  noneLeft,
  type State,
} from './kind.ts';
import { narrowByTrailing } from './log.ts';
import { naturalEnd, openedWindows } from './opened-windows.ts';
import {
  loadInWindows,
  mayRefuseInTrailing,
  type PlacedRequest,
  statesInWindows,
  type Windows,
  windowsOnGrid,
} from './windows.ts';

const secondNs = 1e9;

/** Windows on a grid. Whether rejected requests count makes no difference: a full window stays full. */
export const fixedWindow: LimiterKind = {
  ...inFixedWindows(windowsOnGrid),
  id: 'fixed-window',
  name: 'fixed window',
  algorithm: 'fixed-window',
  keeps: 'fixed-window',
  degreesOfFreedom: 3,
  period: 'window',
  phase: 'unaligned',
  addsUp: true,
  decide: ({ limit, scaleNs, boundaryNs }, note) => decideOnGrid(limit, scaleNs, () => boundaryNs, note),
  mayRefuse: mayRefuseInTrailing,
  /** One second's part of the limit, as a separate window. */
  likenesses: ({ requests, windowNs }) => {
    const perSecond = (requests * secondNs) / windowNs;
    const limits = [Math.floor(perSecond), Math.ceil(perSecond)];
    return windowNs > secondNs
      ? [{ name: `${fixedWindow.name} of a second`, scaleNs: secondNs, limits }]
      : [];
  },
};

/** A window starts with the first request after the previous one was over. */
export const fixedWindowFirstRequest: LimiterKind = {
  ...inFixedWindows((view, { scale }) => openedWindows(view, naturalEnd(scale))),
  id: 'fixed-window-first-request',
  name: 'fixed window (started by the first request)',
  algorithm: 'fixed-window',
  keeps: 'fixed-window',
  degreesOfFreedom: 2,
  phase: 'each-first-request',
  addsUp: true,
  decide: ({ limit, scaleNs }, note) => decideSinceRequest(limit, scaleNs, (endsNs) => endsNs, note),
  mayRefuse: mayRefuseInTrailing,
};

/** What all kinds have in common whose windows each begin with a count of zero. */
type OfFixedWindows = Pick<
  LimiterKind,
  | 'loads'
  | 'mostPerWindow'
  | 'narrow'
  | 'narrowAnyPhase'
  | 'rejectsCount'
  | 'remembersWindows'
  | 'scale'
  | 'startsAnew'
  | 'states'
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
    // A full window stays full, whether or not rejected requests count.
    rejectsCount: null,
    mostPerWindow: 2,
    narrow: (view, box, range) => narrowFixed(view, windowsOf(view, box), range),
    narrowAnyPhase: (view, scale, range) =>
      narrowByTrailing(view, { scale, counts: view.admittedCounts, lookbackNs: scale.hiNs }, range),
    loads: byLoad({ loadOf: (view, box) => loadInWindows(view, view.admittedCounts, windowsOf(view, box)) })
      .loads,
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
    // Only what it rejects itself prolongs the window: else each rejection would excuse the next ones.
    else if (!mayLast && !passes) {
      endsNs = prolonged(endsNs, atNs, !hasRefused);
      hasRefused = true;
    }
    return passes;
  };
}

/** How many requests before a boundary are examined as straddlers; leaving some out only weakens a bound. */
const straddlersSeen = 64;

/**
 * Fixed window: a request is rejected when its window has admitted L already. Whether rejected requests count makes
 * no difference: once L is reached the rest of the window is rejected either way. Narrows `range` to the limits that
 * explain the whole trace if the windows were these; stops once it is empty. O(windows × log n).
 */
function narrowFixed(view: View, windows: Windows, range: LimitRange): void {
  const { sureAnsweredNs, sureSentNs, mayAnsweredNs, maybeBefore } = view.admittedCounts;
  const { refused, fewestBefore } = view;
  let refusedFrom = 0;
  for (let k = 0; k < windows.length && !range.isEmpty; k++) {
    const ended = countBelow(sureAnsweredNs, windows.endLo[k] as number);
    const begun = countBelow(sureSentNs, previousEndHi(windows, k));
    const inside = ended - begun + pushedPastBoundary(view, begun, windows, k);
    if (inside > range.min) range.atLeast(inside, lastAdmittedBefore(view, windows.endLo[k] as number));

    // A rejection near a boundary is judged in the earlier window, where more may have come before it.
    const refusedTo = countBelow(refused.sentNs, windows.endHi[k] as number);
    const hardest = fewestBefore.indexIn(refusedFrom, refusedTo);
    refusedFrom = Math.max(refusedFrom, refusedTo);
    if (hardest === undefined) continue;
    const i = refused.index[hardest] as number;
    const gone = countBelow(mayAnsweredNs, windows.beginLo[k] as number);
    range.atMost((maybeBefore[i] as number) - gone, i);
  }
}

/**
 * Of the admitted requests that straddle the start of window k: those that surely came before a rejection inside
 * window k − 1. That window admitted nothing more, so they belong to window k.
 */
function pushedPastBoundary(
  { admitted, longestTripNs, refusals }: View,
  begun: number,
  windows: Windows,
  k: number,
): number {
  if (k === 0) return 0;
  const previousBeginHi = previousEndHi(windows, k - 1);
  const beganNs = windows.beginLo[k] as number;
  const endsNs = windows.endLo[k] as number;
  let pushed = 0;
  for (let at = begun - 1; at >= Math.max(0, begun - straddlersSeen); at--) {
    if ((admitted.sentNs[at] as number) + longestTripNs < beganNs) break;
    const answeredNs = admitted.answeredNs[at] as number;
    const straddles = answeredNs >= beganNs && answeredNs < endsNs;
    const refusedBeforeNs = refusals.surelyBeforeNs[admitted.index[at] as number] as number;
    if (straddles && refusedBeforeNs >= previousBeginHi) pushed++;
  }
  return pushed;
}

function lastAdmittedBefore({ admitted }: View, endNs: number): number {
  for (let at = countUpTo(admitted.sentNs, endNs) - 1; at >= 0; at--)
    if ((admitted.answeredNs[at] as number) < endNs) return admitted.index[at] as number;
  return -1;
}

/**
 * What is sent after the window before is over belongs to window k or a later one, even if it is what opens window k.
 * Before window 0 there is nothing.
 */
function previousEndHi(windows: Windows, k: number): number {
  return windows.endHi[k - 1] ?? -Number.MAX_VALUE;
}
