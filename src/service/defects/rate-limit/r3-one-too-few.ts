import type { Defect } from '../defect.ts';
import { otherLimit } from './other-limit.ts';

/** 999 where 1,000 are promised: counted before it is compared. A limit of 1 stays as it is. */
export const oneTooFew: Defect = {
  id: 'R3-',
  grade: 3,
  title: 'One request fewer than the limit is admitted',
  alterations: otherLimit((requests) => requests - 1),
};
