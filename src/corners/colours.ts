import { type TextClass, values } from './value-class.ts';

/** Of the form #RRGGBB with capital letters, which every service takes. */
export const plainColours: readonly TextClass[] = [
  values('black', '#000000'),
  values('white', '#FFFFFF'),
  values('leading-zeros', '#00000F', '#0A0B0C', '#000123'),
  values('digits', '#123456'),
  // Looks like a number with an exponent.
  values('exponent', '#1E2345', '#9E9999'),
  values('letters', '#ABCDEF'),
  { id: 'first-digit-pair', make: () => ['#1A2B3C', '#FA2B3C'] },
  { id: 'last-digit-pair', make: () => ['#1A2B30', '#1A2B3F'] },
];

/** With small letters. */
export const smallLetters: readonly TextClass[] = [
  values('lower-case', '#a1b2c3'),
  values('mixed-case', '#aBcDeF'),
];
