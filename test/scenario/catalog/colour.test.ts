import { describe, expect, it } from 'vitest';
import { colourDifference, fromHsl, type Lab, labOf } from '../../../src/scenario/catalog/colour.ts';

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
