import { number, range } from '../../amounts.ts';
import type { Bounds } from './audit.ts';

/** A number, or `2 to 5` where others may have been at work between two answers. */
export function boundsText(bounds: Bounds): string {
  return range(bounds);
}

/** A number with as many digits as tell it apart. */
export const numberText = number;
