import { expect, it } from 'vitest';
import { Bits } from '../../src/limits/outside/bits.ts';
import { randomStream } from '../../src/random.ts';

it('holds and counts what a set holds, alone and with another', () => {
  const random = randomStream(1, 'bits');
  const length = 1_000;
  const [one, other] = [0.3, 0.9].map((part) => {
    const places = new Set(Array.from({ length }, (_, at) => at).filter(() => random() < part));
    const bits = new Bits(length);
    for (const at of places) bits.add(at);
    expect(Array.from({ length }, (_, at) => bits.has(at))).toEqual(
      Array.from({ length }, (_, at) => places.has(at)),
    );
    expect(bits.countWith()).toBe(places.size);
    return { bits, places };
  });
  if (one === undefined || other === undefined) throw new Error('there are two');
  expect(one.bits.countWith(other.bits)).toBe(new Set([...one.places, ...other.places]).size);
});
