import type { Defect } from '../defect.ts';

/** A fixed window in place of a trailing one. A defect only of a service that promises a trailing window. */
export const doubleBurst: Defect = {
  id: 'R5',
  grade: 3,
  title: 'Twice the limit is admitted around the boundary of two windows',
  alterations: { options: (options) => ({ ...options, limiter: 'fixed-window' }) },
};
