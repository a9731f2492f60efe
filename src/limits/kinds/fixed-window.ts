import { narrowByTrailing } from './any-phase.ts';
import { decideOnGrid, decideSinceRequest, inFixedWindows, windowsOnGrid } from './fixed-windows.ts';
import type { LimiterKind } from './kind.ts';
import { naturalEnd, openedWindows } from './opened-windows.ts';
import { mayRefuseInTrailing } from './trailing-counts.ts';

const secondNs = 1e9;

/** Windows on a grid. Whether rejected requests count makes no difference: a full window stays full. */
export const fixedWindow: LimiterKind = {
  ...inFixedWindows(windowsOnGrid),
  id: 'fixed-window',
  name: 'fixed window',
  algorithm: 'fixed-window',
  keeps: 'fixed-window',
  rejectsCount: null,
  degreesOfFreedom: 3,
  period: 'window',
  phase: 'unaligned',
  addsUp: true,
  mostPerWindow: 2,
  decide: ({ limit, scaleNs, boundaryNs }, note) => decideOnGrid(limit, scaleNs, () => boundaryNs, note),
  narrowAnyPhase: (view, scale, range) =>
    narrowByTrailing(view, { scale, counts: view.admittedCounts, lookbackNs: scale.hiNs }, range),
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
  rejectsCount: null,
  degreesOfFreedom: 2,
  phase: 'each-first-request',
  addsUp: true,
  mostPerWindow: 2,
  decide: ({ limit, scaleNs }, note) => decideSinceRequest(limit, scaleNs, (endsNs) => endsNs, note),
  narrowAnyPhase: (view, scale, range) =>
    narrowByTrailing(view, { scale, counts: view.admittedCounts, lookbackNs: scale.hiNs }, range),
  mayRefuse: mayRefuseInTrailing,
};
