import type { Shade } from '../wire.ts';
import type { Database } from './database.ts';
import type { Catalogs } from './parts.ts';

interface CatalogRow {
  readonly id: number;
  readonly shade_count: number;
}

/** Catalogs, each of one account. An import is one transaction: it is there whole or not at all. */
export function storedCatalogs(database: Database): Catalogs {
  const findCatalog = database.query<CatalogRow>(
    'SELECT id, shade_count FROM catalogs WHERE account = ? AND name = ?',
  );
  const addCatalog = database.query<CatalogRow>(
    'INSERT INTO catalogs (account, name) VALUES (?, ?) RETURNING id, shade_count',
  );
  const setShadeCount = database.query('UPDATE catalogs SET shade_count = ? WHERE id = ?');
  const updateShade = database.query('UPDATE shades SET body = ? WHERE catalog = ? AND sku = ?');
  const addShade = database.query('INSERT INTO shades (catalog, sku, position, body) VALUES (?, ?, ?, ?)');
  const listShades = database.query<{ body: string }>(
    'SELECT body FROM shades WHERE catalog = ? ORDER BY position',
  );

  return {
    importShades: (caller, batch) =>
      database.transaction(() => {
        const catalog =
          findCatalog.get(caller.accountId, batch.catalog_id) ??
          addCatalog.get(caller.accountId, batch.catalog_id);
        if (catalog === undefined) throw new Error('the catalog was not stored');
        const lastOfSku = new Map<string, Shade>(batch.shades.map((shade) => [shade.sku, shade]));
        let shadeCount = catalog.shade_count;
        for (const [sku, shade] of lastOfSku) {
          const body = JSON.stringify(shade);
          // Shades are never removed, so the count is also the next free position.
          if (updateShade.run(body, catalog.id, sku) === 0) addShade.run(catalog.id, sku, shadeCount++, body);
        }
        setShadeCount.run(shadeCount, catalog.id);
        const created = shadeCount - catalog.shade_count;
        return {
          catalog_id: batch.catalog_id,
          imported: lastOfSku.size,
          created,
          updated: lastOfSku.size - created,
          shade_count: shadeCount,
        };
      }),

    list(caller, catalogId) {
      const catalog = findCatalog.get(caller.accountId, catalogId);
      return catalog === undefined ? undefined : listShades.all(catalog.id).map(({ body }) => body);
    },
  };
}
