import type { Alterations } from '../../server.ts';
import type { Defect } from '../defect.ts';
import { type Pause, timerPause } from '../pause.ts';

const perShadeMs = 2;

/** Shades are fetched one by one, both to list and to count them. */
export function slowByShade(pause: Pause): Alterations {
  return {
    parts: (parts) => ({
      ...parts,
      catalogs: {
        ...parts.catalogs,
        async list(caller, catalogId) {
          const shades = await parts.catalogs.list(caller, catalogId);
          await pause(perShadeMs * (shades?.length ?? 0));
          return shades;
        },
      },
      sessions: {
        ...parts.sessions,
        async open(caller, request) {
          const opened = await parts.sessions.open(caller, request);
          if (opened.outcome === 'opened') await pause(perShadeMs * opened.grant.shade_count);
          return opened;
        },
      },
    }),
  };
}

export const growsWithCatalog: Defect = {
  id: 'P2',
  grade: 3,
  title: `A list of shades or a new session takes ${perShadeMs} ms per shade of the catalog`,
  alterations: slowByShade(timerPause),
};
