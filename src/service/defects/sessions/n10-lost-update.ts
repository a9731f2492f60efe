import type { Alterations } from '../../server.ts';
import type { Defect } from '../defect.ts';
import { type Pause, timerPause } from '../pause.ts';

/** From reading a session's history until it is written back. */
const roundTripMs = 20;

/**
 * A session's history is one document: it is read, added to, and written back. What another batch has written meanwhile
 * is overwritten.
 */
export function lostUpdate(pause: Pause): Alterations {
  return {
    parts(parts, database) {
      const lastArrival = database.query<{ arrival: number }>(
        'SELECT coalesce(max(arrival), 0) AS arrival FROM interactions WHERE session = ?',
      );
      const dropAfter = database.query('DELETE FROM interactions WHERE session = ? AND arrival > ?');
      return {
        ...parts,
        interactions: {
          ...parts.interactions,
          async record(session, interactions) {
            const read = lastArrival.get(session.id);
            await pause(roundTripMs);
            if (read !== undefined) dropAfter.run(session.id, read.arrival);
            return parts.interactions.record(session, interactions);
          },
        },
      };
    },
  };
}

export const concurrentInteractionsLost: Defect = {
  id: 'N10',
  grade: 4,
  title: 'Of two concurrent interaction requests in a session, one is lost',
  alterations: lostUpdate(timerPause),
};
