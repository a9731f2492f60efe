import type { Counted } from '../counts.ts';
import { counterWindows } from './counter-windows.ts';
import { windowsOnGrid } from './fixed-windows.ts';
import type { LimiterKind } from './kind.ts';
import { mayRefuseWeighed } from './may-refuse-weighed.ts';
import { type CounterGrid, decideWeighed, inWeighedWindows } from './weighed-windows.ts';

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
