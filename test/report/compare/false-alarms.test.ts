import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/report/compare/compare.ts';
import { times } from '../../effort.ts';
import { type SimulatedTarget, side, steadyTarget } from './simulated.ts';

const margin = 0.05;
const pairs = times(6, 200);
const seed = 20261123;

/** Pairs in which a primary figure is said to differ, in either direction. */
function alarms(a: SimulatedTarget, b: SimulatedTarget, runs: number): { differs: number; worse: number } {
  let [differs, worse] = [0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    const found = compare(side(a, runs, 'a', seed + pair), side(b, runs, 'b', seed + pair), margin);
    const primary = found.metrics.filter(({ isPrimary }) => isPrimary);
    if (primary.some(({ turn }) => turn !== undefined)) differs++;
    if (primary.some(({ of, turn }) => of !== 'capacity' && of.percentile === 99 && turn === 'worse'))
      worse++;
  }
  return { differs, worse };
}

describe('the same target twice is said to differ in at most 2 % of pairs', () => {
  it.each<[string, Partial<SimulatedTarget>, number]>([
    ['5 + 5 runs', {}, 5],
    ['5 + 5 runs, requests in a row alike', { correlation: 0.95 }, 5],
    ['5 + 5 runs that differ much by themselves', { betweenRuns: 0.08 }, 5],
    ['one run each', {}, 1],
    ['one run each, requests in a row alike', { correlation: 0.95 }, 1],
    ['one run each, of runs that differ by 2 %', { betweenRuns: 0.02 }, 1],
    ['2 + 2 runs', {}, 2],
  ])('%s', (name, unlike, runs) => {
    const target = { ...steadyTarget, ...unlike };
    const { differs } = alarms(target, target, runs);
    console.info(`${name}: ${differs} of ${pairs} pairs, seeds from ${seed}`);
    expect(differs).toBeLessThanOrEqual(0.02 * pairs);
  });
});

it('runs that differ by 10 % by themselves show no regression with one run each', () => {
  const target = { ...steadyTarget, betweenRuns: 0.1 };
  const outcomes = Array.from({ length: pairs }, (_, pair) => {
    const [a, b] = [side(target, 1, 'a', seed + pair), side(target, 1, 'b', seed + pair)];
    return compare(a, b, margin).outcome;
  });
  expect(outcomes).not.toContain('regression');
  expect(outcomes).toContain('open');
});

describe('a p99 that is 10 % slower is found in at least 95 % of pairs', () => {
  it.each<[string, Partial<SimulatedTarget>]>([
    ['the whole target is slower', { medianMs: steadyTarget.medianMs * 1.1 }],
    ['only the tail is slower', { tail: 1.1 }],
  ])('%s, 5 + 5 runs', (name, slower) => {
    const { worse } = alarms(steadyTarget, { ...steadyTarget, ...slower }, 5);
    console.info(`${name}: ${worse} of ${pairs} pairs, seeds from ${seed}`);
    expect(worse).toBeGreaterThanOrEqual(0.95 * pairs);
  });
});
