import type { Defect } from '../defect.ts';

/**
 * A key that keeps sending while rejected is never admitted again: each rejection blocks it for one more window.
 */
export const rejectsExtend: Defect = {
  id: 'R6',
  grade: 3,
  title: 'Each rejected request extends the block by a window',
  alterations: {
    parts: (parts, _database, { clock, rateLimit }) => {
      const blockedUntilMs = new Map<string, number>();
      return {
        ...parts,
        rateLimiter: {
          async take(approach) {
            const { keyLabel } = approach.caller;
            const nowMs = clock.monotonicMs();
            const isBlocked = nowMs < (blockedUntilMs.get(keyLabel) ?? 0);
            const decision = isBlocked ? undefined : await parts.rateLimiter.take(approach);
            if (decision?.admitted) return decision;
            blockedUntilMs.set(keyLabel, nowMs + rateLimit.windowMs);
            return { admitted: false, remaining: 0, moreInMs: rateLimit.windowMs };
          },
        },
      };
    },
  },
};
