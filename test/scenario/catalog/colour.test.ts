import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../src/random.ts';
import {
  type Colour,
  colourDifference,
  fromHsl,
  type Lab,
  labOf,
} from '../../../src/scenario/catalog/colour.ts';
import { type NamingStyle, nameShades } from '../../../src/scenario/catalog/shade-names.ts';

const lab = (l: number, a: number, b: number): Lab => ({ mode: 'lab65', l, a, b });

describe('colours', () => {
  it.each([
    { hsl: [0, 1, 0.5], hex: '#FF0000' },
    { hsl: [120, 1, 0.25], hex: '#008000' },
    { hsl: [-30, 1, 0.5], hex: '#FF0080' },
    { hsl: [390, 1, 0.5], hex: '#FF8000' },
    { hsl: [25, 2, 0.5], hex: '#FF6A00' },
    { hsl: [25, 0.5, 1.2], hex: '#FFFFFF' },
  ] as const)('HSL $hsl is $hex', ({ hsl: [hue, saturation, lightness], hex }) => {
    expect(fromHsl(hue, saturation, lightness).hex).toBe(hex);
  });

  it.each(['red', '#FFF', '#GGGGGG', '112233', ''])('refuse %j, which is not #RRGGBB', (text) => {
    expect(() => labOf(text)).toThrow(RangeError);
  });

  // Pairs 1, 7 and 25 of G. Sharma, W. Wu and E. Dalal, "The CIEDE2000 color-difference formula: implementation notes,
  // supplementary test data, and mathematical observations", Color Res. Appl. 30 (2005).
  it.each([
    { one: lab(50, 2.6772, -79.7751), other: lab(50, 0, -82.7485), difference: 2.0425 },
    { one: lab(50, 0, 0), other: lab(50, -1, 2), difference: 2.3669 },
    { one: lab(60.2574, -34.0099, 36.2677), other: lab(60.4626, -34.1751, 39.4387), difference: 1.2644 },
  ])('differ by $difference as published for CIEDE2000', ({ one, other, difference }) => {
    expect(colourDifference(one, other)).toBeCloseTo(difference, 4);
  });
});

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
