import type { Alterations } from '../../server.ts';
import type { Defect } from '../defect.ts';
import { type Pause, timerPause } from '../pause.ts';
import { sessionsSpent } from './spent.ts';

/** From reading the count until it is written. */
const roundTripMs = 10;

/** Checks the quota and counts some time later, regardless of what others count between. */
export function checkedThenCounted(pause: Pause): Alterations {
  return {
    parts: (parts, database) => {
      const spentBy = sessionsSpent(database);
      return {
        ...parts,
        sessions: {
          ...parts.sessions,
          async open(caller, request) {
            const isLeft = spentBy(caller) < caller.sessionQuota;
            await pause(roundTripMs);
            const sessionQuota = isLeft ? Number.POSITIVE_INFINITY : caller.sessionQuota;
            return parts.sessions.open({ ...caller, sessionQuota }, request);
          },
        },
      };
    },
  };
}

export const overshoot: Defect = {
  id: 'Q3',
  grade: 4,
  title: 'Concurrent session requests exceed the quota',
  alterations: checkedThenCounted(timerPause),
};
