import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

/** Whoever is loud uses up the limit of everybody else. */
export const oneLimitForAll: Defect = {
  id: 'R10',
  grade: 2,
  title: 'All keys share one limit',
  alterations: { parts: (parts) => bucketed(parts, () => 'everybody') },
};
