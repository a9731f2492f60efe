import type { Counted } from '../counts.ts';
import { counterWindows } from './counter-windows.ts';
import type { LimiterKind } from './kind.ts';
import { type CounterGrid, decideWeighed, inWeighedWindows, mayRefuseWeighed } from './weighed-windows.ts';

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
