import { type Random, randomStream } from '../../../src/random.ts';
import type { RunFacts, Side } from '../../../src/report/compare/facts.ts';
import { figuresOf } from '../../../src/report/compare/facts.ts';
import { sampleRun } from '../../history/sample.ts';

/** A target in virtual time: response times are lognormal around a median that differs from run to run. */
export interface SimulatedTarget {
  readonly medianMs: number;
  /** Of the logarithm, within a run and between runs. */
  readonly spread: number;
  readonly betweenRuns: number;
  /** Correlation of a request with the one before it. */
  readonly correlation: number;
  readonly requests: number;
  /** Factor of every response time above the 95th percentile: a slower tail with the same median. */
  readonly tail: number;
}

export const steadyTarget: SimulatedTarget = {
  medianMs: 5,
  spread: 0.35,
  betweenRuns: 0.01,
  correlation: 0,
  requests: 6_000,
  tail: 1,
};

/** A normal deviate (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function responseTimes(target: SimulatedTarget, random: Random): Float64Array {
  const { correlation, medianMs, spread, tail } = target;
  const level = medianMs * Math.exp(target.betweenRuns * normal(random));
  let state = normal(random);
  return Float64Array.from({ length: target.requests }, () => {
    state = correlation * state + Math.sqrt(1 - correlation ** 2) * normal(random);
    return level * Math.exp(spread * state) * (state > 1.645 ? tail : 1);
  });
}

export function factsOf(timesMs: Float64Array, facts: Partial<RunFacts> = {}): RunFacts {
  return {
    name: 'run',
    run: sampleRun,
    isGeneratorBound: false,
    verdicts: [],
    parameters: [],
    figures: figuresOf(timesMs, [], () => 0, undefined),
    ...facts,
  };
}

/** So many runs against the target; every name and seed gives others. */
export function side(target: SimulatedTarget, runs: number, name: string, seed: number): Side {
  return {
    name,
    runs: Array.from({ length: runs }, (_, k) =>
      factsOf(responseTimes(target, randomStream(seed, name, k)), { name: `${name}/${k + 1}` }),
    ),
  };
}
