import { type Cell, narrowInBox, timeCovered } from './cells.ts';
import type { LimiterKind } from './kinds/kind.ts';
import { LimitRange } from './limit-range.ts';
import { exactly, type Span } from './span.ts';
import type { View } from './view.ts';

/** Lengths of windows that a clock can be divided into, milliseconds, coarse to fine. */
const unitsMs = [60_000, 1_000, 100, 10] as const;
const mostTried = 64;

/**
 * The cells of a search in which the windows begin at multiples of their length on the target's clock. Only round
 * lengths are tried: a grid since 1970 tells them apart to the nanosecond.
 */
export function alignedCells(
  views: readonly View[],
  kind: LimiterKind,
  cells: readonly Cell[],
  clockOffset: Span,
): Cell[] {
  const loMs = Math.min(...cells.map(({ scale }) => scale.loNs)) / 1e6;
  const hiMs = Math.max(...cells.map(({ scale }) => scale.hiNs)) / 1e6;
  for (const unitMs of unitsMs) {
    const first = Math.ceil(loMs / unitMs);
    const last = Math.floor(hiMs / unitMs);
    if (last - first >= mostTried) return [];
    for (let k = first; k <= last; k++) {
      const found = judgeAligned(views, kind, k * unitMs * 1e6, clockOffset);
      if (found !== undefined) return [found];
    }
  }
  return [];
}

function judgeAligned(
  views: readonly View[],
  kind: LimiterKind,
  windowNs: number,
  clockOffset: Span,
): Cell | undefined {
  const { loNs, hiNs } = timeCovered(views);
  const middleNs = (loNs + hiNs) / 2;
  const nextEpochNs = Math.ceil((middleNs + clockOffset.loNs) / windowNs) * windowNs;
  const boundary = { loNs: nextEpochNs - clockOffset.hiNs, hiNs: nextEpochNs - clockOffset.loNs };
  const range = new LimitRange();
  const scale = exactly(windowNs);
  const cell = { scale, boundary, range };
  narrowInBox(views, kind, cell, 'every');
  return range.isEmpty ? undefined : cell;
}
