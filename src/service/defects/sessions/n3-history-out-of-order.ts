import type { Interaction } from '../../../wire.ts';
import type { Defect } from '../defect.ts';

/** The history comes in the order of another index, by shade. */
export const historyOutOfOrder: Defect = {
  id: 'N3',
  grade: 2,
  title: "A session's history is not in the order of its events",
  alterations: {
    parts: (parts) => ({
      ...parts,
      sessions: {
        ...parts.sessions,
        async read(caller, sessionId) {
          const session = await parts.sessions.read(caller, sessionId);
          return session && { ...session, interactions: session.interactions.toSorted(byShade) };
        },
      },
    }),
  },
};

function byShade({ sku: one = '' }: Interaction, { sku: other = '' }: Interaction): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
