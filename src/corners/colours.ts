import { matching, type TextClass } from './value-class.ts';

/** Of the form #RRGGBB with capital letters, which every service takes. */
export const plainColours: readonly TextClass[] = [
  matching('black', /^#0{6}$/, '#000000'),
  matching('white', /^#F{6}$/i, '#FFFFFF'),
  matching('leading-zeros', /^#0(?!0{5})/, '#00000F', '#0A0B0C', '#000123'),
  matching('digits', /^#[1-9]\d{5}$/, '#123456'),
  // Looks like a number with an exponent.
  matching('exponent', /^#\d+E\d+$/i, '#1E2345', '#9E9999'),
  matching('letters', /^#[A-F]{6}$/, '#ABCDEF'),
  { id: 'first-digit-pair', make: () => ['#1A2B3C', '#FA2B3C'] },
  { id: 'last-digit-pair', make: () => ['#1A2B30', '#1A2B3F'] },
];

/** With small letters. */
export const smallLetters: readonly TextClass[] = [
  matching('lower-case', /^#(?=.*[a-f])[\da-f]{6}$/, '#a1b2c3'),
  matching('mixed-case', /^#(?=.*[a-f])(?=.*[A-F])[\da-fA-F]{6}$/, '#aBcDeF'),
];
