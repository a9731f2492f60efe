import type { Defect } from '../defect.ts';

/** How long a request to the store of the counters is under way. */
const roundTripMs = 20;

/**
 * A counter loses its expiry when two requests reach its store at the end of a window: one still finds the old window
 * full, the other starts the new one. From then on the key is rejected for ever. (INCR and EXPIRE as two commands:
 * redis/redis#4548.)
 */
export const lockedOut: Defect = {
  id: 'R21',
  grade: 4,
  title: 'Two concurrent requests at the end of a window lock the key out for ever',
  alterations: {
    parts: (parts, _database, { clock, rateLimit }) => {
      const refusedMs = new Map<string, number>();
      const withoutExpiry = new Set<string>();
      return {
        ...parts,
        rateLimiter: {
          async take(approach) {
            const { keyLabel } = approach.caller;
            if (withoutExpiry.has(keyLabel)) {
              return { admitted: false, remaining: 0, moreInMs: rateLimit.windowMs };
            }
            const nowMs = clock.monotonicMs();
            const decision = await parts.rateLimiter.take(approach);
            if (!decision.admitted) refusedMs.set(keyLabel, nowMs);
            else if (nowMs - (refusedMs.get(keyLabel) ?? Number.NEGATIVE_INFINITY) <= roundTripMs) {
              withoutExpiry.add(keyLabel);
            }
            return decision;
          },
        },
      };
    },
  },
};
