import type { Defect } from '../defect.ts';

/** Reading a session that is not there gives a new, empty one instead. */
export const unknownSessionAnswered: Defect = {
  id: 'N1',
  grade: 1,
  title: 'An unknown session id is answered with 200',
  alterations: {
    parts: (parts, _database, { clock, sessionLifetimeMs }) => ({
      ...parts,
      sessions: {
        ...parts.sessions,
        async read(caller, sessionId) {
          const nowMs = Math.floor(clock.wallMs());
          const empty = {
            session_id: sessionId,
            product_id: '',
            catalog_id: '',
            locale: '',
            created_at: new Date(nowMs).toISOString(),
            expires_at: new Date(nowMs + sessionLifetimeMs).toISOString(),
            shade_count: 0,
            interactions: [],
          };
          return (await parts.sessions.read(caller, sessionId)) ?? empty;
        },
      },
    }),
  },
};
