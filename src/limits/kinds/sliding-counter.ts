import { countBelow } from '../arrays.ts';
import type { Counted, Counts } from '../counts.ts';
import { clockSlackNs, type Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import type { View } from '../view.ts';
import { counterWindows } from './counter-windows.ts';
import { windowsOnGrid } from './fixed-window.ts';
import {
  anyTime,
  type Between,
  type Box,
  type Decide,
  type KnownBox,
  type LimiterKind,
  type LimitRange,
  type LoadBounds,
  type LoadListener,
  leftAfter,
  type MayRefuse,
  noneLeft,
  type Settled,
  type State,
} from './kind.ts';
import { narrowByTrailing } from './log.ts';
import {
  CountsPerWindow,
  loadsInWindows,
  type PlacedRequest,
  statesInWindows,
  type Windows,
} from './windows.ts';

/** Phases tried for a rejection: a part of the window is a second for a minute. */
const phaseParts = 60;

/** If rejected requests count, and by the phase with the highest load. */
const mayRefuseWeighed: MayRefuse =
  ({ trace, allCounts }, { requests, windowNs }) =>
  (i) => {
    const sentNs = trace.sentNs[i] as number;
    const before = allCounts.maybeBefore[i] as number;
    const slackNs = clockSlackNs(windowNs);
    for (let part = 0; part < phaseParts; part++) {
      const beginHi = sentNs - (part / phaseParts) * windowNs + slackNs;
      const beginLo = sentNs - ((part + 1) / phaseParts) * windowNs - slackNs;
      const earlier = countBelow(allCounts.mayAnsweredNs, beginLo);
      const previous = earlier - countBelow(allCounts.mayAnsweredNs, beginLo - windowNs - slackNs);
      // Each request is in one of the two windows: in this one, if it may be, where it has its whole weight.
      const load = before - earlier + weight(sentNs - beginHi, windowNs) * previous;
      if (load > requests - 1) return true;
    }
    return false;
  };

/** Clocks that tick once a second, against a window of a minute: this part of the window. */
const coarseClockPart = 1 / 60;

export const slidingCounter: LimiterKind = {
  ...onGrid('admitted', 'sliding counter'),
  id: 'sliding-counter',
  algorithm: 'sliding-counter',
  mayRefuse: mayRefuseWeighed,
};

export const slidingCounterAll: LimiterKind = {
  ...onGrid('all', 'sliding counter (rejections count)'),
  id: 'sliding-counter-all',
  algorithm: 'sliding-counter',
  mayRefuse: mayRefuseWeighed,
};

const blocking = onGrid('admitted', 'sliding counter (rejects until the window ends)', true);

/** With a cache of blocked keys. */
export const blockCache: LimiterKind = {
  ...blocking,
  id: 'sliding-counter-block-cache',
  runsFree: true,
  likenesses: (promised, block) => [
    { name: blocking.name, scaleNs: promised.windowNs, limits: [promised.requests] },
    ...(blocking.likenesses?.(promised, block) ?? []),
  ],
};

/** Windows on a grid. */
function onGrid(counted: Counted, name: string, blocks = false): Omit<LimiterKind, 'id'> {
  return {
    ...inWeighedWindows({ counted, blocks, windowsOf: windowsOnGrid }),
    name,
    keeps: 'sliding-counter',
    degreesOfFreedom: 3,
    period: 'window',
    phase: 'unaligned',
    decide: (settled, note) => {
      const { scaleNs, boundaryNs } = settled;
      const grid = { at: (atNs: number) => (atNs - boundaryNs) / scaleNs, counted: () => {} };
      return decideWeighed(settled, grid, { counted, blocks }, note);
    },
    likenesses: ({ requests, windowNs }) => [
      {
        name: `${name}, by a coarse clock`,
        scaleNs: windowNs,
        limits: [requests],
        clockTickNs: windowNs * coarseClockPart,
      },
    ],
  };
}

export const slidingCounterFirstRequest: LimiterKind = {
  ...sinceRequest('admitted'),
  id: 'sliding-counter-first-request',
  name: 'sliding counter (windows started by a request)',
};

export const slidingCounterAllFirstRequest: LimiterKind = {
  ...sinceRequest('all'),
  id: 'sliding-counter-all-first-request',
  name: 'sliding counter (windows started by a request, rejections count)',
};

/** HAProxy's windows: a counted request starts one, and the next ones follow directly until one is empty. */
function sinceRequest(counted: Counted): Omit<LimiterKind, 'id' | 'name'> {
  return {
    ...inWeighedWindows({ counted, windowsOf: (view, { scale }) => counterWindows(view, scale, counted) }),
    algorithm: 'sliding-counter',
    degreesOfFreedom: 2,
    phase: 'each-first-request',
    decide: (settled, note) => decideWeighed(settled, openedGrid(settled.scaleNs), { counted }, note),
    mayRefuse: mayRefuseWeighed,
  };
}

/** A counted request starts a window, and ends the earlier grid once a whole window was empty. */
function openedGrid(windowNs: number): CounterGrid {
  let openNs = Number.NEGATIVE_INFINITY;
  let window = 0;
  return {
    at: (atNs) => window + Math.min(2, (atNs - openNs) / windowNs),
    counted: (atNs) => {
      const passed = (atNs - openNs) / windowNs;
      if (passed < 1) return;
      window += passed < 2 ? 1 : 2;
      openNs = passed < 2 ? openNs + windowNs : atNs;
    },
  };
}

/** Floating-point noise of the target's own weighting, in requests. There is none where the window before is empty. */
const weighingNoise = 1e-6;

/** What differs between sliding counters. */
interface Weighed {
  readonly counted: Counted;
  readonly windowsOf: (view: View, box: Box) => Windows;
  /** After a rejection it rejects for the rest of the window (a block cache). */
  readonly blocks?: boolean;
}

/**
 * Sliding counter: the load is the current window's count plus the previous window's, weighed by how much of it a
 * trailing window still covers. Deployed ones differ in the last step: reject at load >= L or load + 1 > L, round the
 * weighed part down or not. So a 2xx only shows load < L and a 429 only load > L − 1.
 */
function inWeighedWindows(
  weighed: Weighed,
): Omit<LimiterKind, 'decide' | 'degreesOfFreedom' | 'id' | 'name' | 'phase'> {
  const { counted, windowsOf, blocks = false } = weighed;
  const countsOf = (view: View): Counts => (counted === 'all' ? view.allCounts : view.admittedCounts);
  const loads = (view: View, box: Box): LoadBounds =>
    loadsInWindows(view, countsOf(view), windowsOf(view, box), (place) => {
      const { least, most } = loadIn(place, box.scale);
      return {
        least: blocks && isSurelyBlocked(view, place) ? Number.POSITIVE_INFINITY : least,
        most: blocks && mayBeBlocked(view, place) ? Number.POSITIVE_INFINITY : most,
      };
    });
  return {
    scale: 'window',
    rejectsCount: counted === 'all',
    remembersWindows: 2,
    maybeStrict: true,
    mostPerWindow: 2,
    narrow: (view, box, range, thoroughness) =>
      narrowWeighed(
        view,
        { blocks, counts: countsOf(view), windows: windowsOf(view, box), window: box.scale },
        range,
        view[thoroughness],
      ),
    narrowAnyPhase: (view, scale, range) => {
      const lookbackNs = (blocks ? 3 : 2) * scale.hiNs;
      narrowByTrailing(view, { scale, counts: countsOf(view), lookbackNs }, range);
    },
    loads,
    states: (view, box) => {
      const highest = highestAdmitted(view, box, loads(view, box));
      return statesInWindows(view, countsOf(view), windowsOf(view, box), (place) =>
        stateIn(place, view, { ...box, highest }, weighed),
      );
    },
  };
}

/**
 * The highest load that is admitted. Deployed ones differ in the last step, so that the limit leaves a whole request open;
 * the loads of all answers leave less.
 */
function highestAdmitted({ trace }: View, { limits }: KnownBox, { least, most }: LoadBounds): Between {
  let [lowest, highest] = [limits.least - 1, limits.most];
  for (let i = 0; i < trace.length; i++) {
    if (trace.outcome[i] === admitted) lowest = Math.max(lowest, least[i] as number);
    else if (trace.outcome[i] === limited) highest = Math.min(highest, most[i] as number);
  }
  return lowest <= highest + weighingNoise
    ? { least: lowest - weighingNoise, most: highest + weighingNoise }
    : { least: limits.least - 1, most: limits.most };
}

/** The windows of a sliding counter, where they may lie, and what is counted in them. */
interface WeighedWindows {
  readonly blocks: boolean;
  readonly counts: Counts;
  readonly windows: Windows;
  readonly window: Span;
}

/** Narrows `range` to the limits that explain the requests at `indexes` (ascending); stops once it is empty. */
function narrowWeighed(
  view: View,
  { blocks, counts, windows, window }: WeighedWindows,
  range: LimitRange,
  indexes: Int32Array,
): void {
  const { loNs, hiNs } = window;
  const { sentNs, answeredNs, outcome } = view.trace;
  const { maybeBeforeNs, surelyBeforeNs } = view.refusals;
  const { surelyBefore, maybeBefore } = counts;
  const inside = new CountsPerWindow(counts, windows, true);
  const { beginLo, beginHi, endHi, length } = windows;
  let earliest = 0;
  for (let at = 0; at < indexes.length && !range.isEmpty; at++) {
    const i = indexes[at] as number;
    const sent = sentNs[i] as number;
    const answered = answeredNs[i] as number;
    while (earliest + 1 < length && (endHi[earliest] as number) <= sent) earliest++;
    let latest = earliest;
    while (
      latest < length &&
      (beginLo[latest] as number) <= answered &&
      latest - earliest <= mostWindowsPossible
    )
      latest++;
    if (latest - earliest > mostWindowsPossible) continue;
    if (outcome[i] === admitted) {
      let least = Number.POSITIVE_INFINITY;
      for (let k = earliest; k < latest; k++) {
        if (blocks && (surelyBeforeNs[i] as number) >= (beginHi[k] as number)) continue;
        const current = Math.max(0, (surelyBefore[i] as number) - inside.surelySent(k));
        const weight = Math.max(0, 1 - (answered - (beginLo[k] as number)) / loNs);
        const fading = weight * inside.previousLeast(k);
        least = Math.min(least, current + Math.max(0, fading - weighingNoise));
      }
      // Admitted in a window that had surely rejected already: no limit explains that.
      if (least === Number.POSITIVE_INFINITY) range.refute(i);
      else if (least >= range.min) range.atLeast(Math.floor(least) + 1, i);
    } else {
      let most = 0;
      for (let k = earliest; k < latest && most < range.max; k++) {
        if (blocks && (maybeBeforeNs[i] as number) >= (beginLo[k] as number)) {
          most = Number.POSITIVE_INFINITY;
          break;
        }
        const current = Math.max(0, (maybeBefore[i] as number) - inside.maybeAnswered(k));
        const weight = Math.min(1, Math.max(0, 1 - (sent - (beginHi[k] as number)) / hiNs));
        const fading = weight * inside.previousMost(k);
        most = Math.max(most, fading > 0 ? current + fading + weighingNoise : current);
      }
      if (most < range.max) range.atMost(Math.ceil(most), i);
    }
  }
}

/** A request that may lie in more windows than this tells next to nothing, and would cost as many steps. */
const mostWindowsPossible = 4;

function loadIn({ answeredNs, begin, current, previous, sentNs }: PlacedRequest, window: Span): Between {
  return {
    least: current.least + weight(answeredNs - begin.loNs, window.loNs) * previous.least,
    most: current.most + weight(sentNs - begin.hiNs, window.hiNs) * previous.most,
  };
}

function isSurelyBlocked({ refusals }: View, { begin, i }: PlacedRequest): boolean {
  return (refusals.surelyBeforeNs[i] as number) >= begin.hiNs;
}

function mayBeBlocked({ refusals }: View, { begin, i }: PlacedRequest): boolean {
  return (refusals.maybeBeforeNs[i] as number) >= begin.loNs;
}

function stateIn(
  place: PlacedRequest,
  view: View,
  { scale: window, limits, highest }: KnownBox & { readonly highest: Between },
  { counted, blocks = false }: Weighed,
): State | undefined {
  const { isRefused, answeredNs, begin, end, current, previous, sentNs } = place;
  const load = loadIn(place, window);
  const forgotten = { loNs: Number.NEGATIVE_INFINITY, hiNs: end.hiNs + window.hiNs };
  if (!isRefused) {
    if (load.least >= limits.most) return undefined;
    return { left: leftAfter(limits, load), free: anyTime, reset: forgotten };
  }
  if (load.most <= limits.least - 1 && !(blocks && mayBeBlocked(view, place))) return undefined;
  const own = counted === 'all' ? 1 : 0;
  const [few, many] = [highest.most, highest.least];
  const free = {
    loNs: blocks
      ? end.loNs + window.loNs * untilBelow(current.least, 0, few)
      : fallsBelow(
          { beginNs: begin.loNs, endNs: end.loNs, lengthNs: window.loNs },
          current.least + own,
          previous.least,
          few,
        ),
    hiNs: blocks
      ? end.hiNs + window.hiNs * untilBelow(current.most, 0, many)
      : fallsBelow(
          { beginNs: begin.hiNs, endNs: end.hiNs, lengthNs: window.hiNs },
          current.most + own,
          previous.most,
          many,
        ),
  };
  // What was rejected without the window before stays rejected until this one is over.
  const earliestNs = previous.most === 0 ? end.loNs : sentNs;
  const loNs = Math.max(free.loNs, earliestNs);
  return {
    left: noneLeft,
    free: { loNs, hiNs: Math.max(free.hiNs, answeredNs) },
    // Some name the end of the window, although its count still has weight.
    reset: { loNs: Math.min(loNs, end.loNs), hiNs: forgotten.hiNs },
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

/** Where a sliding counter's windows lie, as numbers of windows from any start; it is told what was counted. */
interface CounterGrid {
  /** In windows, with the elapsed part of the current one. */
  readonly at: (atNs: number) => number;
  readonly counted: (atNs: number) => void;
}

function decideWeighed(
  { limit, isStrict = false }: Settled,
  grid: CounterGrid,
  { counted, blocks = false }: Pick<Weighed, 'blocks' | 'counted'>,
  note?: LoadListener,
): Decide {
  let window = Number.NaN;
  let current = 0;
  let previous = 0;
  let isBlocked = false;
  return (atNs, passed) => {
    const at = grid.at(atNs);
    const now = Math.floor(at);
    if (now !== window) {
      previous = now === window + 1 ? current : 0;
      current = 0;
      window = now;
      isBlocked = false;
    }
    const load = current + previous * (1 - (at - now));
    note?.(isBlocked ? Math.max(limit, load) : load);
    const passes = !isBlocked && (isStrict ? load + 1 <= limit : load < limit);
    const isAdmitted = passed ?? passes;
    if (counted === 'all' || isAdmitted) {
      grid.counted(atNs);
      current++;
    }
    isBlocked = blocks && (isBlocked || !isAdmitted);
    return passes;
  };
}
