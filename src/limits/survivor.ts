import type { Bounds } from '../vocabulary/bounds.ts';
import { guessesOf } from './arrivals.ts';
import { searchBoxes } from './box-search.ts';
import type { Cell } from './cells.ts';
import type { OpenBounds } from './inference.ts';
import { type LimiterKind, windowNsOf } from './kinds/kind.ts';
import type { Contender } from './ranking.ts';
import { type Settlement, settle } from './settle.ts';
import type { Span } from './span.ts';
import { jointBlock, type View } from './view.ts';

/**
 * A kind that some cells leave standing, with its estimates and no confidence yet. `block`: how long a block
 * started by a rejection can last.
 */
export function survivorOf(
  kind: LimiterKind,
  cells: readonly Cell[],
  { settled, mismatches }: Settlement,
  { block, isAligned }: { readonly block: Span; readonly isAligned: boolean },
): Contender {
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

/** A kind that explains some traces, with its estimates; undefined if it is refuted. `scales`: the scales that are possible. */
export function fittedTo(views: readonly View[], kind: LimiterKind, scales: Span): Contender | undefined {
  const { cells } = searchBoxes(views, kind, scales);
  if (cells.length === 0) return undefined;
  const block = jointBlock(views);
  const guesses = guessesOf(views.map(({ trace }) => trace));
  return survivorOf(kind, cells, settle(kind, { guesses, cells, block }), { isAligned: false, block });
}
