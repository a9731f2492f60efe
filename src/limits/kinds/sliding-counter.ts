import type { Counted } from '../counts.ts';
import { admitted, limited } from '../trace.ts';
import { countsIn, type View } from '../view.ts';
import { byLoad } from './by-load.ts';
import {
  anyTime,
  type Between,
  type Box,
  type Decide,
  type KnownBox,
  type LimiterKind,
  type LoadBounds,
  type LoadListener,
  leftAfter,
  noneLeft,
  type Settled,
  type State,
} from './kind.ts';
import { narrowByTrailing } from './log.ts';
import { counterWindows } from './opened-windows.ts';
import {
  loadInWindows,
  mayRefuseWeighed,
  type PlacedRequest,
  statesInWindows,
  type Windows,
  weighingNoise,
  weight,
  windowsOnGrid,
} from './windows.ts';

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
 * weighed part down or not.
 */
function inWeighedWindows(
  weighed: Weighed,
): Omit<LimiterKind, 'decide' | 'degreesOfFreedom' | 'id' | 'name' | 'phase'> {
  const { counted, windowsOf, blocks = false } = weighed;
  const load = byLoad({
    isWeighed: true,
    loadOf: (view, box) =>
      loadInWindows(view, countsIn(view, counted), windowsOf(view, box), { window: box.scale, blocks }),
  });
  return {
    ...load,
    scale: 'window',
    rejectsCount: counted === 'all',
    remembersWindows: 2,
    maybeStrict: true,
    mostPerWindow: 2,
    narrowAnyPhase: (view, scale, range) => {
      const lookbackNs = (blocks ? 3 : 2) * scale.hiNs;
      narrowByTrailing(view, { scale, counts: countsIn(view, counted), lookbackNs }, range);
    },
    states: (view, box) => {
      const highest = highestAdmitted(view, box, load.loads(view, box));
      return statesInWindows(view, countsIn(view, counted), windowsOf(view, box), (place) =>
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

function stateIn(
  place: PlacedRequest,
  view: View,
  { scale: window, limits, highest }: KnownBox & { readonly highest: Between },
  { counted, blocks = false }: Weighed,
): State | undefined {
  const { answeredNs, begin, current, end, i, isRefused, previous, sentNs } = place;
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
    // What it would have admitted blocks nothing: else each rejection would excuse the next ones.
    isBlocked = blocks && passed !== true && (isBlocked || !passes);
    return passes;
  };
}
