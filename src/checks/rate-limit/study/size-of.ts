import { number } from '../../../amounts.ts';
import type { Survivor } from '../../../limits/inference.ts';
import { seconds } from '../words.ts';

/** How large a limiter was found to be: "100 per 6 s, refilled at 16.7 a second". */
export function sizeOf({ limit, windowMs, refillPerS }: Survivor): string {
  if (limit === null || windowMs === null) return 'unknown size';
  return `${number(limit)} per ${seconds(windowMs * 1e6)}${refillPerS === null ? '' : `, refilled at ${number(refillPerS)} a second`}`;
}
