import type { Defect } from '../defect.ts';

/** There is no key on the SKU: every imported shade is a new row. */
export const reimportDuplicates: Defect = {
  id: 'S6',
  grade: 2,
  title: 'Shades that are imported twice are listed twice',
  alterations: {
    parts(parts, database) {
      // The old row is kept under a key that no caller uses, so that the new one finds its place free.
      const setAside = database.query(`
        UPDATE shades SET sku = sku || char(31) || position
        WHERE sku = ? AND catalog = (SELECT id FROM catalogs WHERE account = ? AND name = ?)
      `);
      return {
        ...parts,
        catalogs: {
          ...parts.catalogs,
          importShades(caller, batch) {
            for (const { sku } of batch.shades) setAside.run(sku, caller.accountId, batch.catalog_id);
            return parts.catalogs.importShades(caller, batch);
          },
        },
      };
    },
  },
};
