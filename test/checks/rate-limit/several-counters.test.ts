import { describe, expect, it } from 'vitest';
import { interleaved } from '../../../src/checks/rate-limit/headers/counters.ts';
import { randomStream } from '../../../src/random.ts';

const random = randomStream(11, 'several counters');

/** What remains of 1,000 at each of 800 requests, counted by the counter that `by` names. */
function remaining(by: (request: number) => number): number[] {
  const left: number[] = [];
  return Array.from({ length: 800 }, (_, request) => {
    const counter = by(request);
    left[counter] = (left[counter] ?? 1_000) - 1;
    return left[counter];
  });
}

const one = remaining(() => 0);
const half = (request: number): number => Number(request % 20 < 10);

describe('counters that answers of one key come from', () => {
  it.each<[string, readonly number[], number | undefined, isOfOne?: (request: number) => boolean]>([
    ['two nodes that each serve a connection for a while', remaining((n) => Number(n % 40 < 10)), 2],
    ['two nodes by chance', remaining(() => Number(random() < 0.4)), 2],
    ['three nodes by chance', remaining(() => Math.floor(random() * 3)), 3],
    ['one counter', one, undefined],
    ['one counter whose answers overtake each other', one.map((_, n) => one[n ^ 1] ?? 0), undefined],
    ['a counter that starts anew each minute', remaining(half).map((_, n) => 999 - (n % 250)), undefined],
    [
      'a header that is wrong now and then',
      one.map((left, n) => (n % 25 === 0 ? left + 40 : left)),
      undefined,
    ],
    ['a header without sense', one.map(() => Math.floor(random() * 1_000)), undefined],
    ['a counter for each endpoint', remaining(half), undefined, (n) => half(n) === 0],
  ])('%s', (_, numbers, counters, isOfOne = () => true) => {
    expect(
      interleaved(
        numbers,
        numbers.map((__, request) => isOfOne(request)),
      ),
    ).toBe(counters);
  });
});
