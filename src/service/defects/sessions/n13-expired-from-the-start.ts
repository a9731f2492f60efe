import type { Defect } from '../defect.ts';

/** The lifetime of a session is taken off the time of its creation instead of being added. */
export const expiredFromTheStart: Defect = {
  id: 'N13',
  grade: 2,
  title: 'expires_at of a new session is in the past',
  alterations: {
    parts: (parts, _database, { sessionLifetimeMs }) => {
      const before = <Expiring extends { readonly expires_at: string }>(expiring: Expiring): Expiring => {
        const expiresMs = Date.parse(expiring.expires_at) - 2 * sessionLifetimeMs;
        return { ...expiring, expires_at: new Date(expiresMs).toISOString() };
      };
      return {
        ...parts,
        sessions: {
          async open(caller, request) {
            const opened = await parts.sessions.open(caller, request);
            return opened.outcome === 'opened' ? { ...opened, grant: before(opened.grant) } : opened;
          },
          async read(caller, sessionId) {
            const session = await parts.sessions.read(caller, sessionId);
            return session && before(session);
          },
        },
      };
    },
  },
};
