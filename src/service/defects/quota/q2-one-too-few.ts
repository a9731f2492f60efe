import type { Defect } from '../defect.ts';
import { granted } from './granted.ts';

export const oneSessionTooFew: Defect = {
  id: 'Q2-',
  grade: 2,
  title: 'One session fewer than the plan allows is admitted',
  alterations: { parts: (parts) => granted(parts, ({ sessionQuota }) => sessionQuota - 1) },
};
