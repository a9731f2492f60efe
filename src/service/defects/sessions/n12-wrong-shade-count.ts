import type { Defect } from '../defect.ts';

/** The number of shades is the index of the last one. */
export const wrongShadeCount: Defect = {
  id: 'N12',
  grade: 2,
  title: 'shade_count of a session is one too low',
  alterations: {
    parts: (parts) => ({
      ...parts,
      sessions: {
        async open(caller, request) {
          const opened = await parts.sessions.open(caller, request);
          return opened.outcome === 'opened' ? { ...opened, grant: oneLess(opened.grant) } : opened;
        },
        async read(caller, sessionId) {
          const session = await parts.sessions.read(caller, sessionId);
          return session && oneLess(session);
        },
      },
    }),
  },
};

function oneLess<Counted extends { readonly shade_count: number }>(counted: Counted): Counted {
  return { ...counted, shade_count: counted.shade_count - 1 };
}
