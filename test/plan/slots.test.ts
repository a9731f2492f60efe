import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mostSlotsWithin, slotsNs } from '../../src/plan/lanes.ts';
import { type OpenPhase, type Phase, ramp, spike, steady, steps } from '../../src/scenario/load.ts';
import { parseRate } from '../../src/vocabulary/quantities.ts';

function segments(phase: Phase): OpenPhase['segments'] {
  if (phase.kind !== 'open') throw new Error('not an open phase');
  return phase.segments;
}

describe('slots', () => {
  const counts: readonly [what: string, phase: Phase, count: number, lastNs: number][] = [
    [
      '900 a minute for a minute is 900, the last a slot before its end',
      steady('900/min', '60s'),
      900,
      59_933_333_333,
    ],
    ['1 a second for a second is one, at once', steady('1/s', '1s'), 1, 0],
    [
      '7 a minute for a minute is 7, though a slot is no whole number of ns',
      steady('7/min', '60s'),
      7,
      51_428_571_429,
    ],
    ['no rate is no slot', steady('0/s', '60s'), 0, Number.NaN],
    [
      'a ramp from 0 to 100/s in 10 s is half of 100/s throughout',
      ramp('0/s', '100/s', '10s'),
      500,
      9_989_994_995,
    ],
    ['a ramp down is a ramp up in reverse', ramp('100/s', '0/s', '10s'), 500, 9_552_786_405],
    ['steps add up', steps(['60/min', '120/min'], '10s'), 30, 19_500_000_000],
    [
      'a spike is base, peak and base',
      spike({ base: '60/min', peak: '600/min', lead: '10s', hold: '1s' }),
      30,
      20_000_000_000,
    ],
  ];
  it.each(counts)('%s', (_what, phase, count, lastNs) => {
    const slots = [...slotsNs(segments(phase))];
    expect(slots).toHaveLength(count);
    expect(slots.at(-1) ?? Number.NaN).toBe(lastNs);
  });

  // Of longer ones a number has no room for nanoseconds.
  const tenDaysMs = 10 * 86_400_000;

  it('of a steady rate are within a nanosecond of the exact k × span / count, for as long as ten days', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom('s', 'min', 'h'),
        fc.integer({ min: 1, max: 4_000 }),
        (count, unit, most) => {
          const { perMs } = parseRate(`1/${unit}`);
          const hops = Math.min(most, Math.floor((tenDaysMs * count) / perMs));
          const shape = segments(steady(`${count}/${unit}`, perMs * Math.max(1, Math.ceil(hops / count))));
          let k = 0n;
          for (const slot of slotsNs(shape)) {
            const exactTwice = (2n * k * BigInt(perMs) * 1_000_000n) / BigInt(count);
            expect(Math.abs(slot * 2 - Number(exactTwice))).toBeLessThanOrEqual(3);
            k++;
            if (k > BigInt(hops)) break;
          }
        },
      ),
    );
  });

  const crowded: readonly [what: string, phase: Phase, windowMs: number, most: number][] = [
    ['a steady rate fills each window alike', steady('900/min', '5m'), 60_000, 900],
    [
      'a short peak counts with the quiet around it',
      spike({ base: '120/min', peak: '1600/min', lead: '35s', hold: '30s' }),
      60_000,
      860,
    ],
    ['a phase shorter than the window counts as it is', steady('4000/min', '15s'), 60_000, 1_000],
  ];
  it.each(crowded)('in the fullest window: %s', (_what, phase, windowMs, most) => {
    expect(mostSlotsWithin(segments(phase), windowMs)).toBe(most);
  });

  it('at once: each group comes with its first, and the rate stays', () => {
    const eight = steady('480/min', '2s', { atOnce: 8 });
    expect([...slotsNs(segments(eight), 8)]).toEqual([0, 1e9].flatMap((at) => Array(8).fill(at)));
  });

  const rate = fc.integer({ min: 0, max: 300 });
  const shapes = fc.array(
    fc.record({ durationMs: fc.integer({ min: 1, max: 5_000 }), from: rate, to: rate }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  it('of any shape never fall, stay inside it, and number the integral of the rate', () => {
    fc.assert(
      fc.property(shapes, (drawn) => {
        const shape = drawn.map(({ durationMs, from, to }) => ({
          durationMs,
          fromPerMs: from / 1e3,
          toPerMs: to / 1e3,
        }));
        const slots = [...slotsNs(shape)];
        const integral =
          drawn.reduce((sum, { durationMs, from, to }) => sum + ((from + to) / 2) * durationMs, 0) / 1e3;
        // Of nothing there are none: 0, and not the −0 that rounds up to it.
        expect(slots.length).toBe(Math.max(0, Math.ceil(integral - 5e-7)));
        const endNs = drawn.reduce((sum, { durationMs }) => sum + durationMs, 0) * 1e6;
        for (const [index, slot] of slots.entries()) {
          expect(slot).toBeGreaterThanOrEqual(slots[index - 1] ?? 0);
          expect(slot).toBeLessThanOrEqual(endNs);
        }
      }),
      { examples: [[[{ durationMs: 1, from: 0, to: 0 }]]] },
    );
  });
});
