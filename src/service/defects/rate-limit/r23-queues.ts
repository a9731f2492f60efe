import type { Alterations } from '../../server.ts';
import type { Defect } from '../defect.ts';
import { type Pause, timerPause } from '../pause.ts';

/** A request that has waited this long is rejected. */
const longestHoldMs = 30_000;

/** A caller over the limit learns nothing of it but that answers come late. nginx's limit_req does so by default. */
export function holding(pause: Pause): Alterations {
  return {
    parts: (parts, _database, { clock }) => ({
      ...parts,
      rateLimiter: {
        async take(approach) {
          const giveUpMs = clock.monotonicMs() + longestHoldMs;
          for (;;) {
            const decision = await parts.rateLimiter.take(approach);
            const patienceMs = giveUpMs - clock.monotonicMs();
            if (decision.admitted || patienceMs <= 0) return decision;
            await pause(Math.min(decision.moreInMs, patienceMs));
          }
        },
      },
    }),
  };
}

export const requestsHeld: Defect = {
  id: 'R23',
  grade: 3,
  title: 'Requests over the limit are delayed instead of rejected',
  alterations: holding(timerPause),
};
