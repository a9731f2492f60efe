import { limiterPerKey } from '../../limiters/per-key.ts';
import type { Alterations } from '../../server.ts';

/** Has the limiter admit another number of requests in a window than the service goes on to tell in its headers. */
export function otherLimit(requestsOf: (requests: number) => number): Alterations {
  return {
    parts: (parts, _database, { limiter, rateLimit, clock }) => {
      const requests = Math.max(1, Math.floor(requestsOf(rateLimit.requests)));
      return {
        ...parts,
        rateLimiter: limiterPerKey({ limiter, rateLimit: { ...rateLimit, requests }, clock }),
      };
    },
  };
}
