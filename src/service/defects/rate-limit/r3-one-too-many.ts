import type { Defect } from '../defect.ts';
import { otherLimit } from './other-limit.ts';

/** 1,001 where 1,000 are promised: a `<=` for a `<`. */
export const oneTooMany: Defect = {
  id: 'R3',
  grade: 3,
  title: 'One request more than the limit is admitted',
  alterations: otherLimit((requests) => requests + 1),
};
