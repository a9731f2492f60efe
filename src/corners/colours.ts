import type { PairClass, TextClass, ValueClass } from './value-class.ts';

const free = { requests: 0, from: 'single' } as const;
/** A batch with one invalid shade. */
const oneBatch = { requests: 1, from: 'single', invalid: true } as const;

function colour(
  id: string,
  sentence: string,
  pattern: RegExp,
  facts: Pick<ValueClass<string>, 'requests' | 'from' | 'invalid'>,
  ...values: readonly string[]
): ValueClass<string> {
  return { id, sentence, ...facts, holds: (value) => pattern.test(value), make: () => values };
}

function masked(value: string, place: number): string[] {
  return /^#[\da-f]{6}$/i.test(value)
    ? [`${value.slice(0, place)}*${value.slice(place + 1)}`.toUpperCase()]
    : [];
}

const pairs: readonly PairClass[] = [
  {
    id: 'first-digit-pair',
    sentence: 'Two colours that differ in the first digit only',
    ...free,
    alike: (value) => masked(value, 1),
    make: () => ['#1A2B3C', '#FA2B3C'],
  },
  {
    id: 'last-digit-pair',
    sentence: 'Two colours that differ in the last digit only',
    ...free,
    alike: (value) => masked(value, 6),
    make: () => ['#1A2B30', '#1A2B3F'],
  },
];

/** Of the form #RRGGBB with capital letters, which every service takes. */
export const plainColours: readonly TextClass[] = [
  colour('black', 'Black, #000000', /^#0{6}$/, free, '#000000'),
  colour('white', 'White, #FFFFFF', /^#F{6}$/i, free, '#FFFFFF'),
  colour(
    'leading-zeros',
    'Leading zeros, such as #00000F, #0A0B0C or #000123',
    /^#0(?!0{5})/,
    free,
    '#00000F',
    '#0A0B0C',
    '#000123',
  ),
  colour('digits', 'Digits only, such as #123456', /^#[1-9]\d{5}$/, free, '#123456'),
  colour(
    'exponent',
    'Looks like a number with an exponent, such as #1E2345',
    /^#\d+E\d+$/i,
    free,
    '#1E2345',
    '#9E9999',
  ),
  colour('letters', 'Letters only, such as #ABCDEF', /^#[A-F]{6}$/, free, '#ABCDEF'),
  ...pairs,
];

/** Classes of a colour. */
export const hexClasses: readonly TextClass[] = [
  ...plainColours,
  colour('lower-case', 'Small letters, such as #a1b2c3', /^#(?=.*[a-f])[\da-f]{6}$/, free, '#a1b2c3'),
  colour(
    'mixed-case',
    'Small and capital letters, such as #aBcDeF',
    /^#(?=.*[a-f])(?=.*[A-F])[\da-fA-F]{6}$/,
    free,
    '#aBcDeF',
  ),
  colour('no-colour', 'Words instead of a colour', /^[^#]*\s/, { ...oneBatch, requests: 0 }),
  colour('three-digits', '3 digits', /^#[\da-f]{3}$/i, oneBatch, '#ABC'),
  colour('four-digits', '4 digits', /^#[\da-f]{4}$/i, oneBatch, '#ABCD'),
  colour('five-digits', '5 digits', /^#[\da-f]{5}$/i, oneBatch, '#ABCDE'),
  colour('seven-digits', '7 digits', /^#[\da-f]{7}$/i, oneBatch, '#ABCDEF1'),
  colour('eight-digits', '8 digits', /^#[\da-f]{8}$/i, oneBatch, '#ABCDEF12'),
  colour('no-hash', 'No leading #', /^[\da-f]{6}$/i, oneBatch, 'A1B2C3'),
  colour(
    'other-letters',
    'Letters that are not digits of a colour, such as #GG0000',
    /^#(?=.*[g-z])\w{6}$/i,
    oneBatch,
    '#GG0000',
  ),
  colour('full-width', 'Full-width digits', /[\uff10-\uff19\uff21-\uff26]/, oneBatch, '#１２３４５６'),
];
