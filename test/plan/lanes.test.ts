import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneCount } from '../../src/plan/lanes.ts';
import type { PlannedRequest } from '../../src/plan/phase-plan.ts';
import { exhaustQuota, type Phase, ramp, shoppers, steady, together } from '../../src/scenario/load.ts';
import { planOf } from '../drive/virtual.ts';

describe('how many lanes a phase has', () => {
  it.each<[string, Phase, number]>([
    ['one for journeys at a slow pace', steady('60/min', '10s'), 1],
    ['a few for journeys at a thousand a minute', steady('1000/min', '10s'), 4],
    ['as the pace where it is fastest allows', ramp('1/s', '40/s', '10s'), 10],
    ['no more for any faster one', steady('5000/s', '10s'), 48],
    ['all for sessions alone, however slow', steady('1/s', '10s', { traffic: 'sessions' }), 48],
    ['all for reads alone, however slow', steady('1/s', '10s', { traffic: 'reads' }), 48],
    ['all for shoppers who come at random', shoppers('1/s', '10s'), 48],
  ])('%s', (_what, phase, lanes) => {
    if (phase.kind !== 'open') throw new Error(`expected an open phase, got ${phase.kind}`);
    expect(laneCount(phase)).toBe(lanes);
  });
});

const load = [
  together(
    steady('1200/min', '8s'),
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
        for (const [lane, requests] of byLane(plan.requests(), plan.lanes))
          expect(requests.map(({ number }) => number)).toEqual(
            requests.map((_, nth) => nth * plan.lanes + lane),
          );
      }),
      { numRuns: 10 },
    );
  });

  it('each keep their shoppers from the first step to the last', () => {
    const plan = planOf(load, thinkTime);
    const lanes = new Map<number, Set<number>>();
    for (const { number, shopper } of plan.requests())
      lanes.set(shopper, (lanes.get(shopper) ?? new Set()).add(number % plan.lanes));
    expect(lanes.size).toBeGreaterThan(100);
    for (const those of lanes.values()) expect(those.size).toBe(1);
  });

  it('are made without the others, for any number of workers', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 2, max: 7 }), (seed, of) => {
        const plan = planOf(load, thinkTime, seed);
        const alone = byLane(plan.requests(), plan.lanes);
        for (let index = 0; index < of; index++) {
          const own = byLane(plan.requests({ index, of }), plan.lanes);
          for (const [lane, requests] of own) {
            expect(lane % of).toBe(index);
            expect(requests).toEqual(alone.get(lane));
            alone.delete(lane);
          }
        }
        // By then somebody has made each.
        expect([...alone.keys()]).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});
