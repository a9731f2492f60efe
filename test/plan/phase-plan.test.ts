import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MinHeap } from '../../src/plan/heap.ts';
import type { PlannedRequest } from '../../src/plan/phase-plan.ts';
import { type Plan, shoppersPerPhase } from '../../src/plan/plan.ts';
import { dayCurve, exhaustQuota, idle, shoppers, steady, together } from '../../src/scenario/load.ts';
import { planOf } from '../drive/virtual.ts';

function spendsRate({ step }: PlannedRequest): boolean {
  return step.kind !== 'interact';
}

/** Requests by shopper, in order. */
function byShopper(requests: Iterable<PlannedRequest>): Map<number, PlannedRequest[]> {
  const visits = new Map<number, PlannedRequest[]>();
  for (const request of requests)
    visits.set(request.shopper, [...(visits.get(request.shopper) ?? []), request]);
  return visits;
}

describe('journeys in slots', () => {
  const requests = [...planOf([steady('900/min', '60s'), idle('60s')]).requests()];

  it('put exactly one request that spends the rate into each slot', () => {
    const paced = requests.filter(spendsRate).map((request) => request.atNs);
    expect(paced).toEqual(Array.from({ length: 900 }, (_, k) => Math.round((k * 60e9) / 900)));
  });

  it('come in order of their instants', () => {
    for (const [index, request] of requests.entries()) {
      expect(request.atNs).toBeGreaterThanOrEqual(requests[index - 1]?.atNs ?? 0);
    }
  });

  it('open each session before acting in it, and say which step is a shopper’s last', () => {
    let finished = 0;
    for (const visit of byShopper(requests).values()) {
      const opened = visit.findIndex(({ step }) => step.kind === 'create-session');
      const acted = visit.findIndex(({ step }) => step.kind === 'interact' || step.kind === 'read-session');
      if (acted >= 0) expect(opened).toBeGreaterThanOrEqual(0);
      if (acted >= 0) expect(acted).toBeGreaterThan(opened);
      expect(visit.slice(0, -1).every(({ last }) => !last)).toBe(true);
      if (visit.at(-1)?.last === true) finished++;
    }
    expect(finished).toBeGreaterThan(500);
  });
});

describe('interactions in a paced phase', () => {
  const interactionsOf = (all: readonly PlannedRequest[], phase: number): readonly PlannedRequest[] =>
    all.filter((each) => each.phase === phase && each.step.kind === 'interact');

  it('end where the next phase sends with the same key, so that it is as quiet as it says', () => {
    const load = [steady('900/min', '20s'), steady('40/min', '40s')];
    const first = interactionsOf([...planOf(load).requests()], 0);
    expect(first.length).toBeGreaterThan(100);
    expect(Math.max(...first.map(({ atNs }) => atNs))).toBeLessThan(20e9);
  });

  it('go on while nothing is sent with the key, or only with another', () => {
    const other = steady('40/min', '40s', { as: 'bystander', traffic: 'reads' });
    for (const next of [idle('40s'), other]) {
      const first = interactionsOf([...planOf([steady('900/min', '20s'), next]).requests()], 0);
      expect(Math.max(...first.map(({ atNs }) => atNs))).toBeGreaterThan(25e9);
    }
  });

  const limit = { requests: 1_000, windowMs: 60_000 };

  it('take slots like any other request where they are known to spend the limit that the phase keeps to', () => {
    const all = [...planOf([steady('900/min', '20s')], {}, 1, { interactionsSpend: limit }).requests()];
    expect(all.map(({ atNs }) => atNs)).toEqual(
      Array.from({ length: 300 }, (_, k) => Math.round((k * 60e9) / 900)),
    );
    expect(interactionsOf(all, 0).length).toBeGreaterThan(30);
  });

  it('take none from a phase past the limit, which would fall short without a session for events', () => {
    const load = [steady('4000/min', '20s')];
    const others = (plan: Plan): number =>
      [...plan.requests()].filter(({ step }) => step.kind !== 'interact').length;
    expect(others(planOf(load, {}, 1, { interactionsSpend: limit }))).toBe(others(planOf(load)));
  });
});

describe('shoppers arriving', () => {
  it('come at the mean rate, in order, and then go at their own pace', () => {
    const plan = planOf([shoppers('600/min', '60s'), idle('120s')]);
    const requests = [...plan.requests()];
    const visits = byShopper(requests);
    expect(visits.size).toBeGreaterThan(520);
    expect(visits.size).toBeLessThan(680);
    for (const [index, request] of requests.entries()) {
      expect(request.atNs).toBeGreaterThanOrEqual(requests[index - 1]?.atNs ?? 0);
      expect(request.atNs).toBeLessThan(plan.horizonNs);
    }
  });

  it('follow the day: the evening hour holds many times the night’s', () => {
    const arrivals = (fromHour: number): number =>
      byShopper(planOf([dayCurve(20_000, '1h', { fromHour })]).requests()).size;
    expect(arrivals(18)).toBeGreaterThan(4 * arrivals(1));
  });
});

describe('phases', () => {
  it('follow one another, or run side by side and wait for the longest', () => {
    const plan = planOf([
      together(
        [steady('1/s', '10s', { name: 'a' }), steady('1/s', '5s', { name: 'b' })],
        steady('1/s', '12s', { name: 'c' }),
      ),
      steady('1/s', '1s', { name: 'd' }),
    ]);
    expect(plan.phases.map(({ phase, startNs, endNs }) => [phase.name, startNs / 1e9, endNs / 1e9])).toEqual([
      ['a', 0, 10],
      ['b', 10, 15],
      ['c', 0, 12],
      ['d', 15, 16],
    ]);
    expect(plan.horizonNs).toBe(16e9);
  });

  it('number their shoppers apart, so that one phase does not change another’s', () => {
    const alone = [...planOf([steady('10/s', '5s')]).requests()].map(({ shopper }) => shopper);
    const beside = [
      ...planOf([together(steady('10/s', '5s'), steady('50/s', '5s', { traffic: 'reads' }))]).requests(),
    ];
    expect(beside.filter(({ phase }) => phase === 0).map(({ shopper }) => shopper)).toEqual(alone);
  });
});

describe('unusual shades that a target took', () => {
  const corners = { id: 'UNUSUAL', skus: ['007', 'null', '..'] };
  const load = [
    together(
      steady('900/min', '20s'),
      shoppers('300/min', '20s'),
      steady('300/min', '20s', { traffic: 'sessions' }),
      steady('300/min', '20s', { traffic: 'reads' }),
      exhaustQuota({ rate: '600/min', race: 6 }),
      steady('300/min', '20s', { as: 'bystander' }),
    ),
  ];
  const plan = planOf(load, { thinkTime: 0.1 });
  const usual = [...plan.requests()];
  const unusual = [...plan.requests(undefined, corners)];

  it('change neither the number of requests nor their instants', () => {
    const shape = ({ step, ...request }: PlannedRequest): unknown => [
      request,
      step.kind,
      step.kind === 'interact' ? step.events.length : 0,
    ];
    expect(unusual.map(shape)).toEqual(usual.map(shape));
  });

  it('are used by some of the shoppers with the load key, in each kind of traffic, and by no other key', () => {
    const changed = unusual.filter(({ step }, n) => JSON.stringify(step) !== JSON.stringify(usual[n]?.step));
    expect(new Set(changed.map(({ role }) => role))).toEqual(new Set(['load']));
    expect(new Set(changed.map(({ phase }) => phase)).size).toBe(4);
    const openings = unusual.filter(({ role, step }) => role === 'load' && step.kind === 'create-session');
    const share =
      openings.filter(({ step }) => 'catalogId' in step && step.catalogId === 'UNUSUAL').length /
      openings.length;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.2);
  });

  it('are a shopper’s in all steps of the visit', () => {
    for (const visit of byShopper(unusual).values()) {
      const catalogs = new Set(visit.flatMap(({ step }) => ('catalogId' in step ? [step.catalogId] : [])));
      expect(catalogs.size).toBeLessThanOrEqual(1);
      const skus = visit.flatMap(({ step }) =>
        step.kind === 'interact' ? step.events.map(({ sku }) => sku) : [],
      );
      if (catalogs.has('UNUSUAL')) expect(corners.skus).toEqual(expect.arrayContaining(skus));
    }
  });

  it('are the same for any number of workers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5 }), (of) => {
        const parts = Array.from({ length: of }, (_, index) => [...plan.requests({ index, of }, corners)]);
        const byNumber = (all: readonly PlannedRequest[]): readonly PlannedRequest[] =>
          all.toSorted((a, b) => a.number - b.number);
        expect(byNumber(parts.flat())).toEqual(byNumber(unusual));
      }),
      { numRuns: 4 },
    );
  });
});

describe('the heap', () => {
  it('gives keys back in order, the earliest pushed first among equals', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (keys) => {
        const heap = new MinHeap<{ key: number; order: number }>();
        for (const [order, key] of keys.entries()) heap.push(key, { key, order });
        const popped = keys.map(() => heap.pop());
        const sorted = keys
          .map((key, order) => ({ key, order }))
          .sort((a, b) => a.key - b.key || a.order - b.order);
        expect(popped).toEqual(sorted);
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });
});

describe('a race for the last of the quota', () => {
  it('sends as many at once as told, half of them before the edge, and the rest at its pace', () => {
    const requests = [...planOf([exhaustQuota({ rate: '600/min', beyond: 20, race: 8 })]).requests()];
    const seconds = requests.map(({ atNs }) => atNs / 1e9);
    expect(requests).toHaveLength(30);
    // The quota of these plans is 10: six at their pace, eight at once, and sixteen at their pace again.
    expect(seconds.slice(0, 6)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
    for (const second of seconds.slice(6, 14)) {
      expect(second).toBeGreaterThanOrEqual(0.6);
      expect(second).toBeLessThan(0.601);
    }
    expect(seconds[14]).toBeCloseTo(0.601);
    expect(seconds.at(-1)).toBeCloseTo(0.601 + 1.5);
  });

  it('always has enough attempts to fill the race past the edge', () => {
    expect([...planOf([exhaustQuota({ rate: '600/min', beyond: 0, race: 8 })]).requests()]).toHaveLength(14);
  });
});

describe('a part of a plan', () => {
  const load = [
    steady('900/min', '10s'),
    steady('600/min', '10s', { name: 'second' }),
    shoppers('2/s', '10s'),
  ];
  const whole = planOf(load);
  const all = [...whole.requests()];
  const phases = whole.phases.map(({ phase }) => phase.name);

  it('has the same shoppers with the same steps at the same distance as in the whole plan', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 }),
        fc.option(fc.uniqueArray(fc.nat(60), { minLength: 1 }), { nil: undefined }),
        (index, some) => {
          const first = index * shoppersPerPhase;
          const chosen = some && new Set(some.map((nth) => first + nth));
          const [phase] = load.slice(index);
          const part = planOf(phase === undefined ? [] : [phase], {}, 1, {
            excerpt: { phases, shoppers: chosen },
          });
          const shape = (from: Iterable<PlannedRequest>, startNs = 0) =>
            [...from].map(({ atNs, shopper, step }) => ({ atNs: atNs - startNs, shopper, step }));
          const inWhole = all.filter(
            ({ phase: at, shopper }) => at === index && (chosen?.has(shopper) ?? true),
          );
          // The last phase of a plan goes on to its end, and so does a part: what is cut off differs there only.
          const untilNs = whole.phases[index]?.startNs ?? 0;
          const expected = shape(inWhole, untilNs).filter(({ atNs }) => atNs < 10e9);
          expect(shape(part.requests()).filter(({ atNs }) => atNs < 10e9)).toEqual(expected);
        },
      ),
    );
  });
});
