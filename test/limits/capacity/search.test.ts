import { describe, expect, it } from 'vitest';
import {
  certainlyKeeps,
  climbFrom,
  connectionLattice,
  kneeConfidence,
  kneeInterval,
  nextTrial,
  rateLattice,
  type SearchRules,
  type Trial,
} from '../../../src/limits/capacity/search.ts';
import { judgeStep, poissonArrivals, type StepOutcome } from '../../../src/limits/capacity/step.ts';
import { randomStream } from '../../../src/random.ts';
import { times } from '../../effort.ts';
import { kneePerSecond, type Mdc, responsesMs, shareWithin, simulatedShareWithin } from './md-c.ts';

/** Searches to the end with steps that show what `outcomeAt` says. */
function search(rules: SearchRules, outcomeAt: (trial: Pick<Trial, 'place' | 'purpose'>) => StepOutcome) {
  const done: Trial[] = [];
  for (let next = nextTrial(done, rules); next !== undefined; next = nextTrial(done, rules)) {
    done.push({ ...next, outcome: outcomeAt(next) });
    if (done.length > 200) throw new Error('a search without an end');
  }
  return done;
}

const lattice = rateLattice(10, 1_000, 2);
const rules: SearchRules = { lattice, factor: 2, mostRepeats: 20 };
const places = (done: readonly Trial[], purpose: Trial['purpose']): number[] =>
  done.filter((trial) => trial.purpose === purpose).map(({ place }) => place);

describe('the loads of a search', () => {
  it('are rates in equal ratios, eight to each step of a climb', () => {
    expect(lattice.slice(0, 9)).toEqual([10, 10.91, 11.89, 12.97, 14.14, 15.42, 16.82, 18.34, 20]);
    expect(lattice.at(-1)).toBeLessThanOrEqual(1_000);
    expect(climbFrom(lattice, 0, 2)).toBe(8);
    expect(climbFrom(lattice, lattice.length - 2, 2)).toBe(lattice.length - 1);
  });

  it('are whole numbers of connections, each once', () => {
    const connections = connectionLattice(16, 2);
    expect(connections).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16]);
    expect(connections.map((_, place) => connections[climbFrom(connections, place, 2)]).slice(0, 4)).toEqual([
      2, 4, 6, 8,
    ]);
  });
});

describe('a search', () => {
  const sharpAt =
    (knee: number) =>
    ({ place }: Pick<Trial, 'place'>): StepOutcome =>
      place <= knee ? 'good' : 'bad';

  it('climbs, asks a broken step again, bisects, and repeats on either side until both are certain', () => {
    const done = search(rules, sharpAt(21));
    expect(places(done, 'climb')).toEqual([0, 8, 16, 24, 24, 24]);
    expect(places(done, 'bisect')).toEqual([20, 22, 21]);
    expect(places(done, 'repeat')).toEqual([21, 22, 21, 22, 21, 22, 21, 22, 21, 22]);
    expect(kneeInterval(done)).toEqual({ keeps: 21, breaks: 22 });
  });

  it('is not misled by two broken steps on its way up', () => {
    let hiccups = 2;
    const done = search(rules, (trial) => (trial.place === 8 && hiccups-- > 0 ? 'bad' : sharpAt(30)(trial)));
    expect(kneeInterval(done)).toEqual({ keeps: 30, breaks: 31 });
  });

  it('walks away from the bracket as far as the repeats contradict it', () => {
    const done = search(rules, (trial) =>
      trial.purpose === 'repeat' ? sharpAt(24)(trial) : sharpAt(21)(trial),
    );
    expect(kneeInterval(done)).toEqual({ keeps: 21, breaks: 26 });
  });

  it('looks at the lowest load before it gives up on any', () => {
    const done = search(rules, (trial) =>
      trial.purpose === 'repeat' && trial.place > 0 ? 'bad' : sharpAt(3)(trial),
    );
    expect(kneeInterval(done)).toMatchObject({ keeps: 0 });
  });

  it('never claims certainty of what is unclear', () => {
    const done = search(rules, (trial) => (trial.place <= 21 ? 'good' : 'unclear'));
    expect(kneeInterval(done)).toEqual({ keeps: 21, breaks: undefined });
    expect(places(done, 'repeat').length).toBeLessThanOrEqual(rules.mostRepeats);
  });

  it('tries either end of the loads once before it leaves it', () => {
    const top = lattice.length - 1;
    const low = search(rules, (trial) => (trial.purpose === 'repeat' ? 'bad' : sharpAt(3)(trial)));
    expect(places(low, 'repeat')).toEqual([3, 4, 2, 4, 1, 0]);
    expect(kneeInterval(low)).toEqual({ keeps: undefined, breaks: 4 });
    const high = search(rules, (trial) => (trial.purpose === 'repeat' ? 'good' : sharpAt(top - 2)(trial)));
    expect(places(high, 'repeat')).toEqual([top - 2, top - 1, top - 2, top, top - 2]);
    expect(kneeInterval(high)).toEqual({ keeps: top - 2, breaks: undefined });
  });

  it('repeats no more than it may', () => {
    const done = search({ ...rules, mostRepeats: 5 }, sharpAt(21));
    expect(places(done, 'repeat')).toEqual([21, 22, 21, 22, 21]);
    expect(kneeInterval(done)).toEqual({ keeps: undefined, breaks: undefined });
  });

  it('counts neither steps before the repeats nor those that a limit or the end of the run cut short', () => {
    const kept = (count: number, outcome: StepOutcome, purpose: Trial['purpose']): Trial[] =>
      Array.from({ length: count }, () => ({ place: 3, purpose, outcome }));
    const repeats = kept(4, 'good', 'repeat');
    expect(certainlyKeeps([...repeats, ...kept(9, 'good', 'bisect')], 3)).toBe(false);
    expect(certainlyKeeps([...repeats, ...kept(1, 'good', 'repeat')], 3)).toBe(true);
    const cutShort = [...kept(3, 'limited', 'repeat'), ...kept(3, 'unfinished', 'repeat')];
    expect(certainlyKeeps([...kept(5, 'good', 'repeat'), ...cutShort], 3)).toBe(true);
    expect(certainlyKeeps([...kept(5, 'good', 'repeat'), ...kept(3, 'unclear', 'repeat')], 3)).toBe(false);
  });

  it.each<[string, (trial: Pick<Trial, 'place'>) => StepOutcome, number]>([
    ['a limit in the way', () => 'limited', 1],
    ['the end of the run', () => 'unfinished', 1],
    ['a first step that breaks', () => 'bad', 3],
    ['a first step that is never clear', () => 'unclear', 5],
    ['the highest load kept', () => 'good', 8],
  ])('ends with %s', (_what, outcomeAt, steps) => {
    expect(search(rules, outcomeAt)).toHaveLength(steps);
  });
});

describe('arrivals at random', () => {
  it('come at their rate, with gaps that vary as much as they last', () => {
    const instants = poissonArrivals(1_000, 60_000, randomStream(1, 'arrivals'));
    expect(Math.abs(instants.length - 60_000)).toBeLessThan(4 * Math.sqrt(60_000));
    const gapsMs = Array.from(instants, (at, k) => (at - (instants[k - 1] ?? 0)) / 1e6);
    const mean = gapsMs.reduce((sum, gap) => sum + gap, 0) / gapsMs.length;
    const variance = gapsMs.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gapsMs.length;
    expect(Math.abs(Math.sqrt(variance) / mean - 1)).toBeLessThan(0.03);
    expect(gapsMs.every((gap) => gap >= 0)).toBe(true);
    expect(instants.at(-1)).toBeLessThan(60e9);
  });
});

interface Known {
  readonly queue: Mdc;
  readonly percentile: number;
  readonly boundMs: number;
  readonly stepMs: number;
}

const targets: readonly (readonly [string, Known])[] = [
  [
    'two workers of 20 ms, p90 within 60 ms',
    { queue: { serviceMs: 20, workers: 2 }, percentile: 90, boundMs: 60, stepMs: 3_000 },
  ],
  [
    'eight workers of 20 ms, p95 within 50 ms',
    { queue: { serviceMs: 20, workers: 8 }, percentile: 95, boundMs: 50, stepMs: 3_000 },
  ],
  [
    'one worker of 2 ms, p99 within 20 ms',
    { queue: { serviceMs: 2, workers: 1 }, percentile: 99, boundMs: 20, stepMs: 3_000 },
  ],
  [
    'four workers of 4 ms, p99 within 40 ms',
    { queue: { serviceMs: 4, workers: 4 }, percentile: 99, boundMs: 40, stepMs: 3_000 },
  ],
];

describe('the theory of M/D/c', () => {
  it.each(targets)('agrees with a simulation of %s', (_what, { boundMs, percentile, queue }) => {
    const knee = kneePerSecond(queue, percentile, boundMs);
    for (const part of [0.9, 1]) {
      const theory = shareWithin(queue, knee * part, boundMs);
      const simulated = simulatedShareWithin(queue, knee * part, boundMs, 200_000, randomStream(1, 'M/D/c'));
      expect(Math.abs(theory - simulated)).toBeLessThan(0.25 * (1 - theory) + 0.002);
    }
  });
});

describe('the interval of the knee', () => {
  const seeds = times(12, 40);

  it.each(targets)(`contains the knee of %s, as often as it says`, (_what, known) => {
    const knee = kneePerSecond(known.queue, known.percentile, known.boundMs);
    let hits = 0;
    const widths: number[] = [];
    for (let seed = 0; seed < seeds; seed++) {
      // The lattice lies another way to the knee each time.
      const rates = rateLattice((knee / 5) * 2 ** (seed / seeds / 8), knee * 4, 2);
      const done = search({ lattice: rates, factor: 2, mostRepeats: 24 }, stepsOf(known, rates, seed));
      const { breaks, keeps } = kneeInterval(done);
      expect(keeps, `seed ${seed}`).toBeDefined();
      expect(breaks, `seed ${seed}`).toBeDefined();
      const [low = 0, high = 0] = [rates[keeps ?? 0], rates[breaks ?? 0]];
      if (low <= knee && knee <= high) hits++;
      widths.push(high / low - 1);
    }
    // With this many searches at that confidence, fewer hits come about once in a thousand times.
    const fewest = seeds * kneeConfidence - 3.1 * Math.sqrt(seeds * kneeConfidence * (1 - kneeConfidence));
    expect(hits).toBeGreaterThanOrEqual(Math.floor(fewest));
    expect(widths.toSorted((a, b) => a - b)[seeds / 2]).toBeLessThan(0.5);
  });
});

/** Steps against the queue, exactly as the driver would count them. */
function stepsOf({ boundMs, percentile, queue, stepMs }: Known, rates: readonly number[], seed: number) {
  const slo = { percentile, maxMs: boundMs, errorShare: 0 };
  let step = 0;
  return ({ place }: Pick<Trial, 'place'>): StepOutcome => {
    const random = randomStream(seed, 'capacity', ++step);
    const arrivals = Array.from(poissonArrivals(rates[place] ?? 1, stepMs, random), (ns) => ns / 1e6);
    const counted = responsesMs(queue, arrivals).filter((_, k) => (arrivals[k] ?? 0) >= 0.2 * stepMs);
    const over = counted.filter((ms) => ms > boundMs).length;
    const figures = { planned: counted.length, judged: counted.length, over, failed: 0, refused: 0, late: 0 };
    return judgeStep({ ...figures, ended: 'whole' }, slo).outcome;
  };
}
