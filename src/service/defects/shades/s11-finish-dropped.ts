import type { Shade } from '../../../wire.ts';
import type { Defect } from '../defect.ts';

/** The list was written before shades had a finish. */
export const finishDropped: Defect = {
  id: 'S11',
  grade: 2,
  title: 'Listed shades have no finish',
  alterations: {
    parts: (parts) => ({
      ...parts,
      catalogs: {
        ...parts.catalogs,
        async list(caller, catalogId) {
          const shades = await parts.catalogs.list(caller, catalogId);
          return shades?.map((json) => {
            const { finish: _, ...rest } = JSON.parse(json) as Shade;
            return JSON.stringify(rest);
          });
        },
      },
    }),
  },
};
