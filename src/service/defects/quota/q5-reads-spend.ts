import { sessionQuota } from '../../accounts.ts';
import type { Defect } from '../defect.ts';
import { beforeReads } from './before-reads.ts';

export const readsSpend: Defect = {
  id: 'Q5',
  grade: 2,
  title: 'Reading a catalog, a session or analytics spends the session quota',
  alterations: { parts: (parts, database) => beforeReads(parts, sessionQuota(database)) },
};
