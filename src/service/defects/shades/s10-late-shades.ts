import type { Shade } from '../../../wire.ts';
import type { Caller, ShadeJson } from '../../parts.ts';
import type { Defect } from '../defect.ts';

/** How far what is listed is behind what is stored. */
export const listLagMs = 3_000;

/** Lists come from a replica that is some seconds behind, though the import was answered as done. */
export const lateShades: Defect = {
  id: 'S10',
  grade: 3,
  title: `A new shade is listed only after ${listLagMs / 1_000} s`,
  alterations: {
    parts(parts, _database, { clock }) {
      const importedMs = new Map<string, number>();
      const nameOf = ({ accountId }: Caller, catalogId: string, sku: string): string =>
        JSON.stringify([accountId, catalogId, sku]);
      return {
        ...parts,
        catalogs: {
          importShades(caller, batch) {
            for (const { sku } of batch.shades) {
              const name = nameOf(caller, batch.catalog_id, sku);
              if (!importedMs.has(name)) importedMs.set(name, clock.monotonicMs());
            }
            return parts.catalogs.importShades(caller, batch);
          },
          async list(caller, catalogId) {
            const hasArrived = (json: ShadeJson): boolean => {
              const { sku } = JSON.parse(json) as Shade;
              const sinceMs = importedMs.get(nameOf(caller, catalogId, sku)) ?? Number.NEGATIVE_INFINITY;
              return clock.monotonicMs() - sinceMs >= listLagMs;
            };
            return (await parts.catalogs.list(caller, catalogId))?.filter(hasArrived);
          },
        },
      };
    },
  },
};
