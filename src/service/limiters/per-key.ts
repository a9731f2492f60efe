import type { ServiceOptions } from '../options.ts';
import type { RateLimiter } from '../parts.ts';
import { limiterAlgorithms } from './catalogue.ts';
import { KeyedLimiter } from './keyed.ts';

/** The limiter of the API: each key has the whole limit to itself. */
export function limiterPerKey({
  limiter,
  rateLimit,
  clock,
}: Pick<ServiceOptions, 'limiter' | 'rateLimit' | 'clock'>): RateLimiter {
  const states = new KeyedLimiter(limiterAlgorithms[limiter], rateLimit);
  return { take: ({ caller }) => states.take(caller.keyLabel, clock.monotonicMs()) };
}
