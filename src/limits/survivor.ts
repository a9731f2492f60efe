import type { Bounds } from '../vocabulary/bounds.ts';
import type { Cell } from './cells.ts';
import type { OpenBounds, Survivor } from './inference.ts';
import { type LimiterKind, windowNsOf } from './kinds/kind.ts';
import type { Settlement } from './settle.ts';
import type { Span } from './span.ts';

/**
 * A kind that some cells leave standing, with its estimates and no confidence yet. `block`: how long a block
 * started by a rejection can last.
 */
export function survivorOf(
  kind: LimiterKind,
  cells: readonly Cell[],
  { settled, mismatches }: Settlement,
  { block, isAligned }: { readonly block: Span; readonly isAligned: boolean },
): Survivor & { readonly degreesOfFreedom: number } {
  const { id, name, rejectsCount, degreesOfFreedom } = kind;
  const { limit, scaleNs } = settled;
  const limitBounds = boundsOf(cells.map(({ range }) => ({ min: range.min, max: range.max })));
  const windowMsBounds = boundsOf(
    cells.map(({ scale, range }) => ({
      min: windowNsOf(kind, range.min, scale.loNs) / 1e6,
      max: windowNsOf(kind, range.max, scale.hiNs) / 1e6,
    })),
  );
  return {
    algorithm: id,
    name,
    limit,
    windowMs: round(windowNsOf(kind, limit, scaleNs) / 1e6),
    burst: limit,
    refillPerS: kind.scale === 'token' ? round(1e9 / scaleNs) : null,
    phase: isAligned ? 'clock-aligned' : kind.phase,
    rejectsCount,
    limitBounds,
    windowMsBounds,
    ...(settled.blockNs === undefined
      ? {}
      : {
          blockMs: round(settled.blockNs / 1e6),
          blockMsBounds: boundsOf([{ min: block.loNs / 1e6, max: block.hiNs / 1e6 }]),
        }),
    mismatches,
    confidence: 0,
    settled,
    degreesOfFreedom: isAligned ? degreesOfFreedom - 1 : degreesOfFreedom,
  };
}

function boundsOf(all: readonly Bounds[]): OpenBounds {
  const min = Math.min(...all.map((each) => each.min));
  const max = Math.max(...all.map((each) => each.max));
  return { min: round(min), ...(Number.isFinite(max) ? { max: round(max) } : {}) };
}

function round(value: number): number {
  return Number(value.toPrecision(9));
}
