import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../src/random.ts';
import { type Colour, fromHsl } from '../../../src/scenario/catalog/colour.ts';
import { type NamingStyle, nameShades } from '../../../src/scenario/catalog/shade-names.ts';

const name = (colours: readonly Colour[], style: NamingStyle, givenName = () => 'Anaïs'): string[] =>
  nameShades({ kind: 'foundation', colours, naming: style }, randomStream(1, 'names'), givenName);
const tones = (count: number): Colour[] =>
  Array.from({ length: count }, (_, index) => fromHsl(25, 0.5, 0.9 - (0.6 * index) / count));

describe('shade names', () => {
  it('rise in sequence when they are numbers', () => {
    const numbers = name(tones(12), 'number').map((text) => Number(text.replace(/\D/g, '')));
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(new Set(numbers).size).toBe(12);
  });

  it('say dark things of dark colours and light things of light ones', () => {
    const seeds = Array.from({ length: 30 }, (_, seed) => seed);
    const named = (lightness: number): string[] =>
      seeds.flatMap((seed) =>
        nameShades(
          { kind: 'concealer', colours: [fromHsl(25, 0.5, lightness)], naming: 'words' },
          randomStream(seed, 'names'),
          () => '',
        ),
      );
    const deep = /Deep|Espresso|Ebony|Sable|Truffle|Molasses|Chocolate|Cacao|Clove|Coffee|Fig|Cocoa|Mahogany/;
    expect(named(0.18).filter((text) => !deep.test(text))).toEqual([]);
    expect(named(0.9).filter((text) => deep.test(text))).toEqual([]);
  });

  it('stay unique when the colours are all alike', () => {
    const alike = Array.from({ length: 200 }, () => fromHsl(25, 0.5, 0.6));
    expect(new Set(name(alike, 'words')).size).toBe(200);
  });

  it('get a number when the source of given names runs dry', () => {
    expect(name(tones(3), 'given-names')).toEqual(['Anaïs', 'Anaïs No. 2', 'Anaïs No. 3']);
  });
});
