import type { Defect } from '../defect.ts';

/** East of Greenwich, where the service stands. */
const offsetHours = 2;

/** Instants are said in the time of the place, with its offset. */
export const timestampsNotUtc: Defect = {
  id: 'N11',
  grade: 2,
  title: 'Timestamps of sessions are in local time rather than UTC',
  alterations: {
    parts: (parts) => ({
      ...parts,
      sessions: {
        async open(caller, request) {
          const opened = await parts.sessions.open(caller, request);
          if (opened.outcome !== 'opened') return opened;
          const { grant } = opened;
          return { ...opened, grant: { ...grant, expires_at: localTime(grant.expires_at) } };
        },
        async read(caller, sessionId) {
          const session = await parts.sessions.read(caller, sessionId);
          if (session === undefined) return undefined;
          const { created_at, expires_at } = session;
          return { ...session, created_at: localTime(created_at), expires_at: localTime(expires_at) };
        },
      },
    }),
  },
};

function localTime(utc: string): string {
  const local = new Date(Date.parse(utc) + offsetHours * 3_600_000).toISOString();
  return local.replace('Z', `+0${offsetHours}:00`);
}
