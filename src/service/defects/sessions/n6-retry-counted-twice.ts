import type { Defect } from '../defect.ts';

/** Stands between an id and what tells its copies apart. */
const separator = '\u001f';

/** The ids of interactions are kept but never compared. */
export const retryCountedTwice: Defect = {
  id: 'N6',
  grade: 3,
  title: 'An event that is sent again with the same id is counted again',
  alterations: {
    parts(parts, database) {
      // The old row is kept under another key, so that the new one finds its place free.
      const setAside = database.query(
        `UPDATE interactions SET id = id || '${separator}' || arrival WHERE session = ? AND id = ?`,
      );
      return {
        ...parts,
        interactions: {
          ...parts.interactions,
          record(session, interactions) {
            for (const { id } of interactions) setAside.run(session.id, id);
            return parts.interactions.record(session, interactions);
          },
        },
        sessions: {
          ...parts.sessions,
          async read(caller, sessionId) {
            const session = await parts.sessions.read(caller, sessionId);
            return (
              session && {
                ...session,
                interactions: session.interactions.map((interaction) => ({
                  ...interaction,
                  id: interaction.id.split(separator, 1)[0] ?? '',
                })),
              }
            );
          },
        },
      };
    },
  },
};
