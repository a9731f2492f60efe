import type { Counted } from '../counts.ts';
import { windowsOnGrid } from './fixed-windows.ts';
import type { LimiterKind } from './kind.ts';
import { decideWeighed, inWeighedWindows, mayRefuseWeighed } from './weighed-windows.ts';

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
