import type { Defect } from '../defect.ts';

/** Reads go to two replicas in turn, one of which no longer gets what is written. */
export const flappingReplica: Defect = {
  id: 'N9',
  grade: 4,
  title: 'Every other read of sessions gets 404',
  alterations: {
    parts(parts) {
      let reads = 0;
      return {
        ...parts,
        sessions: {
          ...parts.sessions,
          read: (caller, sessionId) =>
            ++reads % 2 === 0 ? undefined : parts.sessions.read(caller, sessionId),
        },
      };
    },
  },
};
