import { expect, it } from 'vitest';
import { randomStream } from '../../src/random.ts';
import { NumberMap } from '../../src/sent/number-map.ts';

it('finds the first value of each key, and none of a key that is not there', () => {
  const random = randomStream(1, 'number-map');
  // Keys that share their low bits lie beside each other.
  const keys = Array.from({ length: 500 }, (_, n) => 1 + Math.floor(random() * 50) * 2 ** 40 + (n % 7));
  const map = new NumberMap(keys.length);
  const expected = new Map<number, number>();
  for (const [value, key] of keys.entries()) {
    map.setOnce(key, value);
    if (!expected.has(key)) expected.set(key, value);
  }
  expect(keys.map((key) => map.get(key))).toEqual(keys.map((key) => expected.get(key)));
  expect([map.get(0), map.get(2 ** 45 + 9), new NumberMap(0).get(5)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
