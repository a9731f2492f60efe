import type { Defect } from '../defect.ts';
import { otherLimit } from './other-limit.ts';

/** 900 where 1,000 are promised. */
export const nineTenths: Defect = {
  id: 'R2',
  grade: 2,
  title: 'Only 90 % of the promised rate is admitted',
  alterations: otherLimit((requests) => (9 * requests) / 10),
};
