import type { Bounds } from './audit.ts';

/** A number, or `2 to 5` where others may have been at work between two answers. */
export function boundsText({ min, max }: Bounds): string {
  return min === max ? numberText(min) : `${numberText(min)} to ${numberText(max)}`;
}

/** A number with as many digits as tell it apart. */
export function numberText(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}
