import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneCount } from '../../src/plan/lanes.ts';
import type { PlannedRequest } from '../../src/plan/phase-plan.ts';
import {
  exhaustQuota,
  type Phase,
  ramp,
  shoppers,
  spike,
  steady,
  together,
} from '../../src/scenario/load.ts';
import { createPopulation } from '../../src/shoppers/population.ts';
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
