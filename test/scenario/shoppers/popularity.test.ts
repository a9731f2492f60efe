import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../src/random.ts';
import { createPicker, createUrn, zipfWeights } from '../../../src/scenario/shoppers/popularity.ts';

describe('Zipf weights', () => {
  it('are 1, 1/2, 1/3 … in some order that the stream decides', () => {
    const weights = zipfWeights(5, 1, randomStream(1, 'order'));
    expect(weights.toSorted((one, other) => other - one)).toEqual([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]);
    const orders = Array.from({ length: 20 }, (_, seed) =>
      String(zipfWeights(5, 1, randomStream(seed, 'order'))),
    );
    expect(new Set(orders).size).toBeGreaterThan(10);
  });

  it('are all equal for exponent 0', () =>
    expect(zipfWeights(3, 0, randomStream(1, 'order'))).toEqual([1, 1, 1]));
});

describe('a picker', () => {
  const picker = createPicker([1, 0, 3]);

  it.each([
    { u: 0, index: 0 },
    { u: 0.2499, index: 0 },
    { u: 0.25, index: 2 },
    { u: 0.9999, index: 2 },
  ])('gives index $index for $u of weights 1, 0, 3', ({ u, index }) => expect(picker.pick(u)).toBe(index));

  it('knows its shares', () =>
    expect([0, 1, 2].map((index) => picker.share(index))).toEqual([0.25, 0, 0.75]));

  it('needs a positive sum', () => {
    expect(() => createPicker([])).toThrow(RangeError);
    expect(() => createPicker([0, 0])).toThrow(RangeError);
  });
});

describe('an urn', () => {
  it('gives every item once, whatever the draws', () => {
    const draw = fc.double({ min: 0, max: 1 - 2 ** -32, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), draw), { minLength: 1 }),
        (items) => {
          const urn = createUrn(items.length + 3);
          urn.refill(Float64Array.from(items, ([weight]) => weight));
          const taken = items.map(([, u]) => urn.take(u));
          expect(taken.toSorted((one, other) => one - other)).toEqual(items.map((_, index) => index));
        },
      ),
    );
  });

  it('draws in proportion to the weights left', () => {
    const urn = createUrn(3);
    const random = randomStream(1, 'urn');
    const seconds = [0, 0, 0];
    for (let round = 0; round < 20_000; round++) {
      urn.refill(Float64Array.of(1, 2, 5));
      if (urn.take(random()) === 2) {
        const second = urn.take(random());
        seconds[second] = (seconds[second] ?? 0) + 1;
      }
    }
    const [small = 0, large = 0, again] = seconds;
    expect(again).toBe(0);
    // Once the 5 is out, 1 and 2 are left; about 12,500 rounds, standard error 0.004.
    expect(Math.abs(small / (small + large) - 1 / 3)).toBeLessThan(0.017);
  });
});
