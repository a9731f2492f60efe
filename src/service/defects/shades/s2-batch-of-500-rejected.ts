import { maxShadesPerImport } from '../../validation.ts';
import type { Defect } from '../defect.ts';
import { importLimits } from './import-limits.ts';

/** "500 or more" where "more than 500" was meant. */
export const batchOf500Rejected: Defect = {
  id: 'S2',
  grade: 1,
  title: 'An import of 500 shades is rejected',
  alterations: { server: importLimits({ maxItems: maxShadesPerImport - 1 }) },
};
