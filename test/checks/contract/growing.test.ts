import { describe, expect, it } from 'vitest';
import { checkAvailability } from '../../../src/checks/contract/errors/availability.ts';
import { checkErrors } from '../../../src/checks/contract/errors/errors.ts';
import { burstsOf, type FailingBlock, growthIn } from '../../../src/checks/contract/errors/growing.ts';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import type { History } from '../../../src/history/history.ts';
import { type Random, randomStream } from '../../../src/random.ts';
import { times } from '../../effort.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

/** A load of 64 stretches with 60 requests each. `chance`: that a request fails, in a part of the load from 0 to 1. */
function load(random: Random, chance: (part: number) => number, together = 1): FailingBlock[] {
  return Array.from({ length: 64 }, (_, n) => {
    let failed = 0;
    for (let k = 0; k < 60; k += together) if (random() < chance((n + k / 60) / 64)) failed += together;
    return { load: 60, tried: 60, failed };
  });
}

/** How often growth is found in loads made so. */
function found(name: string, chance: (part: number) => number, together?: number): number {
  const loads = times(400, 10_000);
  const random = randomStream(3, name);
  const all = Array.from({ length: loads }, () => growthIn(load(random, chance, together)));
  return all.filter((growth) => growth !== undefined).length / loads;
}

/** The table of docs/accuracy.md has these shares, of 10,000 loads each. */
describe('failures that grow with time', () => {
  it.each<[string, number, (part: number) => number, number?]>([
    ['one in 300 requests', 0.005, () => 1 / 300],
    ['one in 20 requests', 0.005, () => 1 / 20],
    ['twenty at once, at any time', 0.005, () => 1 / 200, 20],
  ])('are seldom found where %s fails all the time', (name, most, chance, together) => {
    expect(found(name, chance, together)).toBeLessThanOrEqual(most);
  });

  it.each<[string, number, (part: number) => number]>([
    ['from none to 1 %', 0.1, (part) => 0.01 * part],
    ['from none to 3 %', 0.6, (part) => 0.03 * part],
    ['from none to 10 %', 0.99, (part) => 0.1 * part],
  ])('are found where they grow %s', (name, least, chance) => {
    expect(found(name, chance)).toBeGreaterThan(least);
  });

  it('are compared at the same load alone', () => {
    // Twice the requests, twice the share that fails.
    const blocks = Array.from({ length: 64 }, (_, n) => {
      const step = 2 ** Math.floor(n / 16);
      return { load: 100 * step, tried: 100 * step, failed: step ** 2 };
    });
    expect(growthIn(blocks)).toBeUndefined();
  });

  it.each<[string, number, string, readonly string[]]>([
    ['grow', 90, 'fail', ['errors-grow', 'server-errors']],
    ['grow within less than a minute', 50, 'fail', ['server-errors']],
  ])('of the server are a cause if they %s', async (_, seconds, verdict, causes) => {
    const result = await judged(seconds, { status: 503 }, checkErrors);
    expect([result.verdict, result.causes?.map(({ cause }) => cause.code) ?? []]).toEqual([verdict, causes]);
  });

  it.each<[string, number, string, readonly string[]]>([
    [
      'over it in the last third, though under it in all',
      0.03,
      'fail',
      ['errors-grow', 'requests-unanswered'],
    ],
    ['under it', 0.2, 'pass', []],
  ])('are held against the bound of lost answers: %s', async (_, bound, verdict, causes) => {
    const result = await judged(90, { lost: 'timeout' }, checkAvailability, bound);
    expect([result.verdict, result.causes?.map(({ cause }) => cause.code) ?? []]).toEqual([verdict, causes]);
    expect(result.reasons?.map(({ code }) => code)).toContain('errors-grow');
  });
});

describe('the spans in which all failures come', () => {
  const each = (fromMs: number, toMs: number): number[] =>
    Array.from({ length: 11 }, (_, n) => fromMs + (n * (toMs - fromMs)) / 10);

  it.each<[string, readonly number[], readonly (readonly [number, number])[]]>([
    ['are told of one burst', each(12_000, 14_000), [[12_000, 14_000]]],
    [
      'are told of two',
      [...each(12_000, 14_000), ...each(40_000, 41_000)],
      [
        [12_000, 14_000],
        [40_000, 41_000],
      ],
    ],
    ['are none where failures come all the time', each(0, 60_000), []],
    ['are none where single ones come besides', [...each(12_000, 14_000), 40_000], []],
    ['are none of a few', [12_000, 12_100, 12_200], []],
  ])('%s', (_, atMs, spans) => {
    expect(burstsOf(atMs, 60_000)).toEqual(spans.map(([fromMs, toMs]) => ({ fromMs, toMs })));
  });
});

/** 20 requests a second, of which a share fails that grows from none to 5 %. */
function judged(
  seconds: number,
  failure: Partial<SampleRequest>,
  check: (history: History) => Promise<CheckFinding>,
  lostBound = 0.01,
): Promise<CheckFinding> {
  let owed = 0;
  const requests = Array.from({ length: seconds * 20 }, (_, n): SampleRequest => {
    const sentNs = n * 50e6;
    owed += (0.05 * n) / (seconds * 20);
    const fails = owed >= 1;
    if (fails) owed--;
    const answer = fails ? failure : {};
    return {
      endpoint: 'list-shades',
      intendedNs: sentNs,
      sentNs,
      ...('lost' in answer ? {} : { answeredNs: sentNs + 1e6 }),
      ...answer,
    };
  });
  return withHistory({ profile: { lost_bound: lostBound }, requests }, check);
}
