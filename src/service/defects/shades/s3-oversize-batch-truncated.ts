import { maxShadesPerImport } from '../../validation.ts';
import type { Defect } from '../defect.ts';
import { importLimits } from './import-limits.ts';

/** Applies the limit by dropping the rest, instead of rejecting the batch. */
export const oversizeBatchTruncated: Defect = {
  id: 'S3',
  grade: 2,
  title: 'An import of more than 500 shades is accepted, and those beyond 500 are dropped',
  alterations: {
    server: importLimits({ maxItems: 10 * maxShadesPerImport }),
    parts: (parts) => ({
      ...parts,
      catalogs: {
        ...parts.catalogs,
        importShades: (caller, batch) =>
          parts.catalogs.importShades(caller, {
            ...batch,
            shades: batch.shades.slice(0, maxShadesPerImport),
          }),
      },
    }),
  },
};
