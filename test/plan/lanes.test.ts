import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneCount, mostSlotsWithin, slotsNs } from '../../src/plan/lanes.ts';
import type { PlannedRequest } from '../../src/plan/phase-plan.ts';
import {
  exhaustQuota,
  type OpenPhase,
  type Phase,
  ramp,
  shoppers,
  spike,
  steady,
  steps,
  together,
} from '../../src/scenario/load.ts';
import { createPopulation } from '../../src/scenario/shoppers/population.ts';
import { parseRate } from '../../src/vocabulary/quantities.ts';
import { catalog, planOf } from '../drive/virtual.ts';

describe('how many lanes a phase has', () => {
  it.each<[string, Phase, number]>([
    ['one for journeys at a thousand a minute', steady('1000/min', '10s'), 1],
    ['two as soon as each has a slot as often as one lane at that pace', steady('34/s', '10s'), 2],
    ['some for journeys at a faster one', steady('200/s', '10s'), 12],
    ['no more than 48 at any', steady('5000/s', '10s'), 48],
    [
      'as few as for the slowest pace in it',
      spike({ base: '600/min', peak: '5000/s', lead: '10s', hold: '2s' }),
      1,
    ],
    ['one where the pace begins with nothing', ramp('0/s', '5000/s', '10s'), 1],
    ['one for sessions alone, which depend on no others', steady('500/s', '10s', { traffic: 'sessions' }), 1],
    ['one for reads alone, likewise', steady('500/s', '10s', { traffic: 'reads' }), 1],
    ['48 for shoppers who come at random', shoppers('1/s', '10s'), 48],
  ])('%s', (_what, phase, lanes) => {
    if (phase.kind !== 'open') throw new Error(`expected an open phase, got ${phase.kind}`);
    expect(laneCount(phase)).toBe(lanes);
  });
});

const load = [
  together(
    steady('1200/min', '8s'),
    steady('100/s', '3s'),
    shoppers('300/min', '8s'),
    exhaustQuota({ rate: '600/min', race: 6 }),
    steady('2/s', '8s', { traffic: 'reads' }),
  ),
  steady('3/s', '4s'),
];
const seeds = fc.nat({ max: 1_000 });
const thinkTime = { thinkTime: 0.1 };

/** What a lane holds, by its number, each in the order of the plan. */
function byLane(requests: Iterable<PlannedRequest>, lanes: number): Map<number, PlannedRequest[]> {
  const found = new Map<number, PlannedRequest[]>();
  for (const request of requests) {
    const lane = request.number % lanes;
    found.set(lane, [...(found.get(lane) ?? []), request]);
  }
  return found;
}

describe('the lanes of a plan', () => {
  it('number their requests from their own number on, in order, in steps of all lanes', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const plan = planOf(load, thinkTime, seed);
        for (const [lane, requests] of byLane(plan.requests(), plan.laneCount))
          expect(requests.map(({ number }) => number)).toEqual(
            requests.map((_, nth) => nth * plan.laneCount + lane),
          );
      }),
      { numRuns: 10 },
    );
  });

  it('each keep their shoppers from the first step to the last', () => {
    const plan = planOf(load, thinkTime);
    const lanes = new Map<number, Set<number>>();
    for (const { number, shopper } of plan.requests())
      lanes.set(shopper, (lanes.get(shopper) ?? new Set()).add(number % plan.laneCount));
    expect(lanes.size).toBeGreaterThan(100);
    for (const those of lanes.values()) expect(those.size).toBe(1);
  });

  it('are made by any number of workers as by one, all requests by one of them and each in its order', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 2, max: 13 }), (seed, of) => {
        const plan = planOf(load, thinkTime, seed);
        const shared = Array.from({ length: of }, (_, index) => [...plan.requests({ index, of })]);
        for (const own of shared) {
          const instants = own.map(({ atNs }) => atNs);
          expect(instants).toEqual(instants.toSorted((a, b) => a - b));
        }
        const byNumber = (a: PlannedRequest, b: PlannedRequest): number => a.number - b.number;
        expect(shared.flat().toSorted(byNumber)).toEqual([...plan.requests()].toSorted(byNumber));
      }),
      { numRuns: 20 },
    );
  });

  it('give every worker as many shoppers as any other, but for one', () => {
    const plan = planOf([steady('450/min', '60s')]);
    const newcomers = [0, 1, 2, 3, 4].map(
      (index) => new Set([...plan.requests({ index, of: 5 })].map(({ shopper }) => shopper)).size,
    );
    expect(Math.max(...newcomers) - Math.min(...newcomers)).toBeLessThanOrEqual(1);
  });

  const journeyOf = createPopulation({ seed: 1, catalog }).journey;
  it.each(['1000/min', '50/s', '200/s', '1000/s'])(
    'do not make a shopper wait for a slot at %s longer than one lane does at a thousand a minute',
    (pace) => {
      const plan = planOf([steady(pace, '20s')]);
      const waitsMs: number[] = [];
      const latest = new Map<number, { readonly nth: number; readonly atNs: number }>();
      for (const { atNs, shopper, step } of plan.requests()) {
        const before = latest.get(shopper);
        const nth = before === undefined ? 0 : before.nth + 1;
        const afterMs = journeyOf(shopper).steps[nth]?.afterMs ?? 0;
        if (before !== undefined && step.kind !== 'interact')
          waitsMs.push((atNs - before.atNs) / 1e6 - afterMs);
        latest.set(shopper, { nth, atNs });
      }
      expect(waitsMs.length).toBeGreaterThan(50);
      const inOrder = waitsMs.toSorted((a, b) => a - b);
      expect(inOrder[Math.floor(inOrder.length / 2)]).toBeLessThan(60);
    },
  );
});

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
