import type { Defect } from '../defect.ts';

/** The count of a catalog's shades goes up by the entries of an import, of which several may name one SKU. */
export const countsWhatWasSent: Defect = {
  id: 'S4',
  grade: 2,
  title: 'A SKU that is twice in an import is counted as two shades, while one is stored',
  alterations: {
    parts(parts, database) {
      const addToCount = database.query(
        'UPDATE catalogs SET shade_count = shade_count + ? WHERE account = ? AND name = ?',
      );
      return {
        ...parts,
        catalogs: {
          ...parts.catalogs,
          async importShades(caller, batch) {
            const stored = await parts.catalogs.importShades(caller, batch);
            const repeated = batch.shades.length - stored.imported;
            addToCount.run(repeated, caller.accountId, batch.catalog_id);
            return {
              ...stored,
              imported: batch.shades.length,
              created: stored.created + repeated,
              shade_count: stored.shade_count + repeated,
            };
          },
        },
      };
    },
  },
};
