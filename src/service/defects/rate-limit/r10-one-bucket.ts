import type { Defect } from '../defect.ts';
import { bucketed } from './bucketed.ts';

/** One loud account uses up every account's limit. */
export const oneLimitForAll: Defect = {
  id: 'R10',
  grade: 2,
  title: 'All keys share one limit',
  alterations: { parts: (parts) => bucketed(parts, () => 'everybody') },
};
