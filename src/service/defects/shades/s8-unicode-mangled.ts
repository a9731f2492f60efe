import type { Shade } from '../../../wire.ts';
import type { Defect } from '../defect.ts';

/** UTF-8 is read as Latin-1 on its way into the store: "Rosé" becomes "RosÃ©". */
export const unicodeMangled: Defect = {
  id: 'S8',
  grade: 2,
  title: 'Non-ASCII letters in names are corrupted',
  alterations: {
    parts: (parts) => ({
      ...parts,
      catalogs: {
        ...parts.catalogs,
        importShades: (caller, batch) =>
          parts.catalogs.importShades(caller, { ...batch, shades: batch.shades.map(mangled) }),
      },
    }),
  },
};

function mangled(shade: Shade): Shade {
  return { ...shade, name: Buffer.from(shade.name, 'utf8').toString('latin1') };
}
