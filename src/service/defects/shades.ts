import { Ajv } from 'ajv';
import type { Shade } from '../../wire.ts';
import { type Alterations, type Changes, type Defect, failure, plant } from '../alterations.ts';
import { maxShadesPerImport, shadeBatchSchema } from '../routes.ts';

/** S10: how far the list is behind the store. */
export const listLagMs = 3_000;

export const shadeDefects: readonly Defect[] = [
  // "More than 501" instead of "more than 500".
  plant('S1', 1, 'An import of 501 shades is accepted', {
    server: importLimits({ maxItems: maxShadesPerImport + 1 }),
  }),

  // "500 or more" instead of "more than 500".
  plant('S2', 1, 'An import of 500 shades is rejected', {
    server: importLimits({ maxItems: maxShadesPerImport - 1 }),
  }),

  plant('S3', 2, 'An import of more than 500 shades is accepted, and those beyond 500 are dropped', {
    server: importLimits({ maxItems: 10 * maxShadesPerImport }),
    catalogs: ({ importShades }) => ({
      importShades: (caller, batch) =>
        importShades(caller, { ...batch, shades: batch.shades.slice(0, maxShadesPerImport) }),
    }),
  }),

  // The count goes up by the entries of an import, several of which may name one SKU.
  plant('S4', 2, 'A SKU that is twice in an import is counted as two shades, while one is stored', {
    catalogs({ importShades }, { database }) {
      const addToCount = database.query(
        'UPDATE catalogs SET shade_count = shade_count + ? WHERE account = ? AND name = ?',
      );
      return {
        async importShades(caller, batch) {
          const stored = await importShades(caller, batch);
          const repeated = batch.shades.length - stored.imported;
          addToCount.run(repeated, caller.accountId, batch.catalog_id);
          return {
            ...stored,
            imported: batch.shades.length,
            created: stored.created + repeated,
            shade_count: stored.shade_count + repeated,
          };
        },
      };
    },
  }),

  // Shades are validated one by one while they are written, without a transaction.
  plant(
    'S5',
    3,
    'An import that is rejected with 422 stores the shades before the invalid one',
    validatedLater((before) => (before.length > 0 ? before : undefined)),
  ),

  // There is no key on the SKU: every imported shade is a new row.
  plant('S6', 2, 'Shades that are imported twice are listed twice', {
    catalogs({ importShades }, { database }) {
      // The old row is kept under a key that no caller uses, so that the place of the new one is free.
      const setAside = database.query(`
        UPDATE shades SET sku = sku || char(31) || position
        WHERE sku = ? AND catalog = (SELECT id FROM catalogs WHERE account = ? AND name = ?)
      `);
      return {
        importShades(caller, batch) {
          for (const { sku } of batch.shades) setAside.run(sku, caller.accountId, batch.catalog_id);
          return importShades(caller, batch);
        },
      };
    },
  }),

  // UTF-8 is read as Latin-1 on its way into the store: "Rosé" becomes "RosÃ©".
  plant('S8', 2, 'Non-ASCII letters in names are corrupted', {
    catalogs: ({ importShades }) => ({
      importShades(caller, batch) {
        const mangled = (name: string): string => Buffer.from(name, 'utf8').toString('latin1');
        const shades = batch.shades.map((shade) => ({ ...shade, name: mangled(shade.name) }));
        return importShades(caller, { ...batch, shades });
      },
    }),
  }),

  // Lists come from a replica that is some seconds behind, though the import was answered as done.
  plant('S10', 3, `A new shade is listed only after ${listLagMs / 1_000} s`, {
    catalogs({ importShades, list }, { clock }) {
      const importedMs = new Map<string, number>();
      const nameOf = (...parts: [accountId: number, catalogId: string, sku: string]): string =>
        JSON.stringify(parts);
      return {
        importShades(caller, batch) {
          for (const { sku } of batch.shades) {
            const name = nameOf(caller.accountId, batch.catalog_id, sku);
            if (!importedMs.has(name)) importedMs.set(name, clock.monotonicMs());
          }
          return importShades(caller, batch);
        },
        async list(caller, catalogId) {
          const shades = await list(caller, catalogId);
          return shades?.filter((json) => {
            const { sku } = JSON.parse(json) as Shade;
            const name = nameOf(caller.accountId, catalogId, sku);
            return clock.monotonicMs() - (importedMs.get(name) ?? Number.NEGATIVE_INFINITY) >= listLagMs;
          });
        },
      };
    },
  }),

  // The list was written before shades had a finish.
  plant('S11', 2, 'Listed shades have no finish', {
    catalogs: ({ list }) => ({
      async list(caller, catalogId) {
        const shades = await list(caller, catalogId);
        return shades?.map((json) => JSON.stringify({ ...JSON.parse(json), finish: undefined }));
      },
    }),
  }),

  // The catalog is made first, outside the transaction that then validates and stores the shades.
  plant(
    'S12',
    2,
    'An import that is rejected with 422 creates its catalog',
    validatedLater(() => []),
  ),
];

/** POST /shades tests the list of shades by other keywords of JSON Schema than the interface's. */
function importLimits(keywords: {
  readonly maxItems?: number;
  readonly items?: object;
}): NonNullable<Alterations['server']> {
  const { shades } = shadeBatchSchema.properties;
  const properties = { ...shadeBatchSchema.properties, shades: { ...shades, ...keywords } };
  return (app) => {
    app.addHook('onRoute', (route) => {
      if (route.method !== 'POST' || route.url !== '/v1/shades') return;
      route.schema = { ...route.schema, body: { ...shadeBatchSchema, properties } };
    });
  };
}

/** Shades are validated only when they are stored: `kept` is what the catalog gets of those before an invalid one. */
function validatedLater(kept: (before: readonly Shade[]) => readonly Shade[] | undefined): Changes {
  return {
    server: importLimits({ maxItems: 10 * maxShadesPerImport, items: { type: 'object' } }),
    catalogs({ importShades }) {
      const isShade = new Ajv().compile(shadeBatchSchema.properties.shades.items);
      return {
        async importShades(caller, batch) {
          const at = batch.shades.findIndex((each, nth) => nth === maxShadesPerImport || !isShade(each));
          if (at < 0) return importShades(caller, batch);
          const stored = kept(batch.shades.slice(0, at));
          if (stored !== undefined) await importShades(caller, { ...batch, shades: [...stored] });
          throw failure(422, `body/shades/${at} cannot be stored`);
        },
      };
    },
  };
}
