import type { Bounds } from '../vocabulary/bounds.ts';
import type { Cell } from './box.ts';
import type { Hypothesis } from './hypotheses.ts';
import type { OpenBounds, Survivor, WindowPhase } from './inference.ts';
import type { Settlement } from './settle.ts';
import type { Span } from './span.ts';

/**
 * A hypothesis that some cells leave standing, with its estimates and no confidence yet. `block`: how long a block
 * started by a rejection can last.
 */
export function survivorOf(
  hypothesis: Hypothesis,
  cells: readonly Cell[],
  { settled, mismatches }: Settlement,
  { block, isAligned }: { readonly block: Span; readonly isAligned: boolean },
): Survivor & { readonly degreesOfFreedom: number } {
  const { mechanism, id, name, rejectsCount, degreesOfFreedom } = hypothesis;
  const isBucket = mechanism.kind === 'bucket' || mechanism.kind === 'lumps';
  const { limit, scaleNs } = settled;
  const limitBounds = boundsOf(cells.map(({ range }) => ({ min: range.min, max: range.max })));
  const windowMsBounds = boundsOf(
    cells.map(({ scale, range }) => ({
      min: (scale.loNs * (isBucket ? range.min : 1)) / 1e6,
      max: (scale.hiNs * (isBucket ? range.max : 1)) / 1e6,
    })),
  );
  return {
    algorithm: id,
    name,
    limit,
    windowMs: round((scaleNs * (isBucket ? limit : 1)) / 1e6),
    burst: limit,
    refillPerS: isBucket ? round(1e9 / scaleNs) : null,
    phase: phaseOf(hypothesis, isAligned),
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

function phaseOf({ mechanism }: Hypothesis, isAligned: boolean): WindowPhase | null {
  switch (mechanism.kind) {
    case 'grid':
    case 'counter':
    case 'lumps':
      return isAligned ? 'clock-aligned' : 'unaligned';
    case 'first-grid':
      return 'first-request';
    case 'opened':
    case 'opened-counter':
      return 'each-first-request';
    case 'log':
    case 'bucket':
      return null;
  }
}

function boundsOf(all: readonly Bounds[]): OpenBounds {
  const min = Math.min(...all.map((each) => each.min));
  const max = Math.max(...all.map((each) => each.max));
  return { min: round(min), ...(Number.isFinite(max) ? { max: round(max) } : {}) };
}

function round(value: number): number {
  return Number(value.toPrecision(9));
}
