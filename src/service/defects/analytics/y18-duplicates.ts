import { randomUUID } from 'node:crypto';
import type { Defect } from '../defect.ts';

/** No id of an interaction that was sent holds this. */
const again = ' again ';

/** An interaction that comes again is stored under another id, which analytics count and histories do not show. */
export const duplicatesCounted: Defect = {
  id: 'Y18',
  grade: 3,
  title: 'Analytics count a repeated event twice, while histories show it once',
  alterations: {
    parts: (parts, database) => {
      const { interactions: channel, sessions } = parts;
      const findStored = database.query('SELECT 1 FROM interactions WHERE session = ? AND id = ?');
      return {
        ...parts,
        interactions: {
          ...channel,
          async record(session, interactions) {
            const ids = interactions.map(({ id }) => id);
            const repeats = interactions
              .filter(
                ({ id }, place) => ids.indexOf(id) < place || findStored.get(session.id, id) !== undefined,
              )
              .map((interaction) => ({ ...interaction, id: `${interaction.id}${again}${randomUUID()}` }));
            const recorded = await channel.record(session, interactions);
            if (recorded.outcome === 'recorded') await channel.record(session, repeats);
            return recorded;
          },
        },
        sessions: {
          ...sessions,
          async read(caller, sessionId) {
            const history = await sessions.read(caller, sessionId);
            return (
              history && {
                ...history,
                interactions: history.interactions.filter(({ id }) => !id.includes(again)),
              }
            );
          },
        },
      };
    },
  },
};
