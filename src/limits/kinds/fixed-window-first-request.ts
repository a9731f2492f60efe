import { narrowByTrailing } from './any-phase.ts';
import { decideSinceRequest, inFixedWindows } from './fixed-windows.ts';
import type { LimiterKind } from './kind.ts';
import { naturalEnd, openedWindows } from './opened-windows.ts';
import { mayRefuseInTrailing } from './trailing-counts.ts';

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
