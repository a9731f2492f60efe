import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalsOf, mismatches } from '../../../src/limits/arrivals.ts';
import { type Box, type LimiterKind, LimitRange } from '../../../src/limits/kinds/kind.ts';
import { deciderOf } from '../../../src/limits/kinds/table.ts';
import type { Span } from '../../../src/limits/span.ts';
import { admitted, isDecided, limited } from '../../../src/limits/trace.ts';
import { type View, viewOf } from '../../../src/limits/view.ts';
import { times } from '../../effort.ts';
import { allKinds, limit, observed, settledOf, windowNs } from './observed.ts';

const numRuns = times(15, 1_000);
const seeds = fc.nat(1_000_000);
const boundaries = fc.nat(2_000).map((ms) => ms * 1e6);

/** A span that holds a value, by up to a twentieth wider on either side. */
function around(ns: number, [below, above]: readonly [number, number], part: number): Span {
  return { loNs: ns - below * part, hiNs: ns + above * part };
}

const widths = fc.tuple(
  fc.double({ min: 0, max: 0.05, noNaN: true }),
  fc.double({ min: 0, max: 0.05, noNaN: true }),
);

function boxOf(kind: LimiterKind, boundaryNs: number, widths: readonly [number, number]): Box {
  const { scaleNs } = settledOf(kind, boundaryNs);
  return {
    scale: around(scaleNs, widths, scaleNs),
    boundary: kind.period === undefined ? undefined : around(boundaryNs, widths, windowNs),
  };
}

/** The limits that a box leaves. */
function narrowed(kind: LimiterKind, view: View, box: Box): LimitRange {
  const range = new LimitRange();
  kind.narrow(view, box, range, 'every');
  return range;
}

describe.each(allKinds)('%s', (_, kind) => {
  // A lost request may have filled a window, which the length of a block leaves out.
  const loss = kind.prolongedBy === 'first rejection' ? 0 : 0.05;
  const network = fc.constantFrom(
    { wayNs: 0 },
    { wayNs: 20e6 },
    { wayNs: 20e6, loss },
    { wayNs: 400e6, loss },
  );

  it('is not refuted by its own answers in a box that holds its parameters', () => {
    fc.assert(
      fc.property(seeds, boundaries, widths, network, (seed, boundaryNs, wide, way) => {
        const { trace } = observed(kind, settledOf(kind, boundaryNs), seed, way);
        expect(narrowed(kind, viewOf(trace), boxOf(kind, boundaryNs, wide)).includes(limit)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('keeps its limit wherever its windows may begin', () => {
    fc.assert(
      fc.property(seeds, boundaries, widths, network, (seed, boundaryNs, wide, way) => {
        const { trace } = observed(kind, settledOf(kind, boundaryNs), seed, way);
        const range = new LimitRange();
        kind.narrowAnyPhase?.(viewOf(trace), boxOf(kind, boundaryNs, wide).scale, range);
        expect(range.includes(limit)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('has counted what its bounds allow, whenever requests arrived', () => {
    fc.assert(
      fc.property(seeds, boundaries, widths, network, (seed, boundaryNs, wide, way) => {
        const { trace, loads } = observed(kind, settledOf(kind, boundaryNs), seed, way);
        const { least, most } = kind.loads(viewOf(trace), boxOf(kind, boundaryNs, wide));
        const outside = loads.flatMap((load, i) => {
          // A block is a load over any limit.
          const low =
            least[i] === Number.POSITIVE_INFINITY && trace.outcome[i] !== admitted ? 0 : (least[i] as number);
          return low <= load + 1e-6 && load <= (most[i] as number) + 1e-6 ? [] : [[i, low, load, most[i]]];
        });
        expect(outside).toEqual([]);
      }),
      { numRuns },
    );
  });

  it('explains each of its own answers, and not one that is turned around', () => {
    fc.assert(
      fc.property(seeds, boundaries, fc.nat(59), (seed, boundaryNs, turned) => {
        const settled = settledOf(kind, boundaryNs);
        const { trace } = observed(kind, settled, seed, { wayNs: 0 });
        const wrong = (): number => mismatches(arrivalsOf(trace), deciderOf(settled));
        expect(wrong()).toBe(0);
        trace.outcome[turned] = trace.outcome[turned] === admitted ? limited : admitted;
        expect(wrong()).toBeGreaterThan(0);
      }),
      { numRuns },
    );
  });

  it('narrows no further by the most telling requests than by all', () => {
    fc.assert(
      fc.property(seeds, boundaries, widths, (seed, boundaryNs, wide) => {
        const { trace } = observed(kind, settledOf(kind, boundaryNs), seed, { wayNs: 20e6, loss });
        const view = viewOf(trace);
        const few = new LimitRange();
        kind.narrow(view, boxOf(kind, boundaryNs, wide), few, 'critical');
        const all = narrowed(kind, view, boxOf(kind, boundaryNs, wide));
        expect([few.min <= all.min, all.max <= few.max]).toEqual([true, true]);
      }),
      { numRuns: times(10, 300) },
    );
  });
});

describe('a decided answer', () => {
  it('is one that the limiter surely gave', () => {
    expect([admitted, limited, 2, 3, undefined].map(isDecided)).toEqual([true, true, false, false, false]);
  });
});
