import type { Survivor } from '../../../limits/inference.ts';
import type { LimiterSize } from '../../reasons/rate-limit/words.ts';

/** How large a limiter was found to be, for a reason's parameters. */
export function sizeOf({ limit, refillPerS, windowMs }: Survivor): LimiterSize {
  return { limit, windowMs, refillPerS };
}
