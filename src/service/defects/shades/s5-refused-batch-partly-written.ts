import type { Shade } from '../../../wire.ts';
import { maxShadesPerImport } from '../../validation.ts';
import type { Defect } from '../defect.ts';
import { importLimits } from './import-limits.ts';

/** Shades are validated one by one while they are written, without a transaction. */
export const refusedBatchPartlyWritten: Defect = {
  id: 'S5',
  grade: 3,
  title: 'An import that is rejected with 422 stores the shades before the invalid one',
  alterations: {
    server: importLimits({ maxItems: 10 * maxShadesPerImport, items: { type: 'object' } }),
    parts: (parts) => ({
      ...parts,
      catalogs: {
        ...parts.catalogs,
        async importShades(caller, batch) {
          const problem = firstProblem(batch.shades);
          if (problem === undefined) return parts.catalogs.importShades(caller, batch);
          if (problem.at > 0) {
            const good = batch.shades.slice(0, problem.at);
            await parts.catalogs.importShades(caller, { ...batch, shades: good });
          }
          throw Object.assign(new Error(`body/shades/${problem.at} ${problem.what}`), { statusCode: 422 });
        },
      },
    }),
  },
};

/** What is wrong with the first of the shades that cannot be stored. Only their number and being objects is certain. */
function firstProblem(shades: readonly Shade[]): { readonly at: number; readonly what: string } | undefined {
  for (const [at, { sku, name, hex, finish }] of shades.entries()) {
    if (at === maxShadesPerImport) return { at, what: 'is one too many' };
    if (![sku, name, finish].every(isText)) return { at, what: 'must have a sku, a name and a finish' };
    if (!isText(hex) || !/^#[0-9A-Fa-f]{6}$/.test(hex))
      return { at, what: 'must have a hex of the form #RRGGBB' };
  }
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed() && value.length <= 256;
}
