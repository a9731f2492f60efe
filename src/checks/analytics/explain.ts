import { counted, number, range } from '../../amounts.ts';
import type { Bounds, Expectation } from './expectation.ts';
import { within } from './fit.ts';

/** Words for a difference: which other reading of the same sessions gives the number that came back. */

/** Something that the returned number may be instead of what it should be. */
export interface Alternative {
  readonly words: string;
  readonly bounds: Bounds | null;
  /** What the number should be instead, in words: `the profile says …`. */
  readonly instead: string;
}

/** Explains a mean or rate that is out of its interval. `alternatives` in order of likelihood. */
export function explainMean(
  value: number,
  expected: Bounds,
  alternatives: readonly Alternative[],
  decimals: number,
): string {
  const should = `expected ${boundsText(expected)}`;
  const matches = alternatives.filter(({ bounds }) => bounds !== null && within(value, bounds, decimals));
  const coarser = coarserRoundings(value, expected, decimals).join(', or ');
  if (matches.length > 0)
    return `${equalText(numberText(value), matches, expected)}${coarser === '' ? '' : `; or it is ${coarser}`}`;
  if (value > expected.max && within(value / 100, expected, decimals))
    return `returned ${numberText(value)}, a percentage; the fraction is ${boundsText(expected)}`;
  if (coarser !== '')
    return `returned ${numberText(value)}, which is ${coarser}; ${should}, to ${counted(decimals, 'decimal')}`;
  return `returned ${numberText(value)}, ${should}`;
}

/** Whatever gives the number as well as anything else is named: which it is, one answer cannot tell. */
function equalText(value: string, matches: readonly Alternative[], expected: Bounds): string {
  const each = (of: (match: Alternative) => string): string[] => [...new Set(matches.map(of))];
  return `returned ${value} = ${each(({ words }) => words).join(', or ')}; ${each(({ instead }) => instead).join(', and ')} (${boundsText(expected)})`;
}

/** Every way in which the expected value, rounded or cut to fewer decimals than the profile asks for, gives `value`. */
function coarserRoundings(value: number, expected: Bounds, decimals: number): string[] {
  const ways: string[] = [];
  for (let digits = decimals - 1; digits >= 0; digits--) {
    const scale = 10 ** digits;
    if (Math.abs(value * scale - Math.round(value * scale)) > 1e-9) continue;
    const places = digits === 0 ? 'a whole number' : `${counted(digits, 'decimal')}`;
    const cut = { min: expected.min - 1 / scale, max: expected.max };
    if (within(value, expected, digits)) ways.push(`rounded to ${places}`);
    if (value <= expected.max && within(value, cut, decimals))
      ways.push(`cut off to ${places}${digits === 0 ? ', as integer division does' : ''}`);
  }
  return ways;
}

/** Explains a total that is out of its interval. */
export function explainTotal(
  value: number,
  expected: Bounds,
  expectation: Expectation,
  alternatives: readonly Alternative[],
): string {
  const within0 = (bounds: Bounds): boolean => value >= bounds.min && value <= bounds.max;
  if (!Number.isInteger(value)) return `returned ${number(value)}, a total has to be a whole number`;
  const matches = alternatives.filter(({ bounds }) => bounds !== null && within0(bounds));
  if (matches.length > 0) return equalText(String(value), matches, expected);
  if (within0(expectation.sessionsWithShades))
    return `returned ${number(value)} = the sessions with at least one shade; sessions without one count too (${boundsText(expected)})`;
  return value < expected.min
    ? `returned ${number(value)}, ${number(expected.min - value)} fewer than the ${counted(expected.min, 'session')} that certainly exist`
    : `returned ${number(value)}, ${number(value - expected.max)} more than the ${counted(expected.max, 'session')} that can exist`;
}

/** `12`, `2.4` → `2.40`, `0.33333` → `0.3333`. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) >= 10) return number(value);
  const four = value.toFixed(4);
  return four.endsWith('00') ? value.toFixed(2) : four.replace(/0$/, '');
}

export function boundsText({ min, max }: Bounds): string {
  const text = Number.isInteger(min) && Number.isInteger(max) ? number : numberText;
  return range({ min, max }, text);
}
