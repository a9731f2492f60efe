import { decideOnGrid, inFixedWindows, windowsOnGrid } from './fixed-windows.ts';
import type { LimiterKind } from './kind.ts';

/** Each refill fills the bucket, so that it counts in windows on the grid of the first request. */
export const windowRefill: LimiterKind = {
  ...inFixedWindows(windowsOnGrid),
  id: 'token-bucket-window-lumps',
  name: 'token bucket refilled once a window, counted from the first request',
  keeps: 'fixed-window',
  rejectsCount: null,
  degreesOfFreedom: 2.5,
  phase: 'first-request',
  mostPerWindow: 2,
  decide: ({ limit, scaleNs }, note) => decideOnGrid(limit, scaleNs, (firstNs) => firstNs, note),
};
