import type { Interaction } from '../../wire.ts';
import { type Alterations, altered, type Changes, type Pause, timerPause } from '../alterations.ts';
import { type Defect, plant } from './defect.ts';

/** N6: stands between an id and what tells its copies apart. */
const separator = '\u001f';
/** N10: from reading a session's history until it is written back. */
const roundTripMs = 20;

export const interactionDefects: readonly Defect[] = [
  // The service does not test whether the session's catalog has the shade.
  plant('N2', 2, 'An event with an unknown SKU is accepted', {
    interactions({ record }, { database }) {
      const nameSku = database.query(
        'UPDATE interactions SET sku = ? WHERE session = ? AND id = ? AND sku IS NULL',
      );
      return {
        async record(session, interactions) {
          // Stored without their SKUs, so that no lookup happens, and named afterwards.
          const unknown: Interaction[] = [];
          let batch = interactions;
          let recorded = await record(session, batch);
          while (recorded.outcome === 'unknown-sku') {
            const { sku: unknownSku } = recorded;
            unknown.push(...batch.filter(({ sku }) => sku === unknownSku));
            batch = batch.map(({ sku, ...rest }) =>
              sku === undefined || sku === unknownSku ? rest : { ...rest, sku },
            );
            recorded = await record(session, batch);
          }
          for (const { id, sku } of unknown) nameSku.run(sku ?? null, session.id, id);
          return recorded;
        },
      };
    },
  }),

  // The history comes in the order of another index, by shade.
  plant('N3', 2, "A session's history is not in the order of its events", {
    sessions: historiesShow((interactions) =>
      interactions.toSorted(({ sku: one = '' }, { sku: other = '' }) =>
        one < other ? -1 : one > other ? 1 : 0,
      ),
    ),
  }),

  // A session keeps the set of the shades that were selected in it rather than the selections.
  plant('N5', 2, 'Repeated selections of a shade in a session are stored once', {
    interactions({ record }, { database }) {
      const findSelection = database.query(
        `SELECT 1 FROM interactions WHERE session = ? AND type = 'shade_selected' AND sku = ?`,
      );
      return {
        async record(session, interactions) {
          const seen = new Set<string>();
          const isNew = ({ type, sku }: Interaction): boolean => {
            if (type !== 'shade_selected' || sku === undefined) return true;
            if (seen.has(sku) || findSelection.get(session.id, sku) !== undefined) return false;
            seen.add(sku);
            return true;
          };
          const kept = interactions.filter(isNew);
          const recorded = await record(session, kept);
          if (recorded.outcome !== 'recorded') return recorded;
          return { ...recorded, accepted: recorded.accepted + interactions.length - kept.length };
        },
      };
    },
  }),

  // The ids of interactions are kept but never compared.
  plant('N6', 3, 'An event that is sent again with the same id is counted again', {
    interactions({ record }, { database }) {
      // The old row is kept under another key, so that the place of the new one is free.
      const setAside = database.query(
        `UPDATE interactions SET id = id || '${separator}' || arrival WHERE session = ? AND id = ?`,
      );
      return {
        record(session, interactions) {
          for (const { id } of interactions) setAside.run(session.id, id);
          return record(session, interactions);
        },
      };
    },
    sessions: historiesShow((interactions) =>
      interactions.map((each) => ({ ...each, id: each.id.split(separator, 1)[0] ?? '' })),
    ),
  }),

  plant('N10', 4, 'Of two concurrent interaction requests in a session, one is lost', lostUpdate(timerPause)),
];

/**
 * N10. A session's history is one document: it is read, added to, and written back. What another batch has written
 * meanwhile is overwritten.
 */
export function lostUpdate(pause: Pause): Alterations {
  return altered({
    interactions({ record }, { database }) {
      const lastArrival = database.query<{ arrival: number }>(
        'SELECT coalesce(max(arrival), 0) AS arrival FROM interactions WHERE session = ?',
      );
      const dropAfter = database.query('DELETE FROM interactions WHERE session = ? AND arrival > ?');
      return {
        async record(session, interactions) {
          const read = lastArrival.get(session.id);
          await pause(roundTripMs);
          if (read !== undefined) dropAfter.run(session.id, read.arrival);
          return record(session, interactions);
        },
      };
    },
  });
}

/** Changes the interactions that the history of a session shows. */
export function historiesShow(
  change: (interactions: readonly Interaction[]) => readonly Interaction[],
): NonNullable<Changes['sessions']> {
  return ({ read }) => ({
    async read(caller, sessionId) {
      const session = await read(caller, sessionId);
      return session && { ...session, interactions: change(session.interactions) };
    },
  });
}
