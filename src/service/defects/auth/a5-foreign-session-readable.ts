import type { Defect } from '../defect.ts';

/** A session is looked up by its id alone: whose it is, is not asked. */
export const foreignSessionReadable: Defect = {
  id: 'A5',
  grade: 3,
  title: "A session can be read with another tenant's API key",
  alterations: {
    parts(parts, database) {
      const findOwner = database.query<{ account: number }>(
        'SELECT account FROM sessions WHERE public_id = ?',
      );
      return {
        ...parts,
        sessions: {
          ...parts.sessions,
          read(caller, sessionId) {
            const accountId = findOwner.get(sessionId)?.account ?? caller.accountId;
            return parts.sessions.read({ ...caller, accountId }, sessionId);
          },
        },
      };
    },
  },
};
