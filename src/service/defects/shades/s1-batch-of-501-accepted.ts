import { maxShadesPerImport } from '../../validation.ts';
import type { Defect } from '../defect.ts';
import { importLimits } from './import-limits.ts';

/** "More than 501" where "more than 500" was meant. */
export const batchOf501Accepted: Defect = {
  id: 'S1',
  grade: 1,
  title: 'An import of 501 shades is accepted',
  alterations: { server: importLimits({ maxItems: maxShadesPerImport + 1 }) },
};
