import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';
import { rounded } from './rounded.ts';

export const percent: Defect = {
  id: 'Y9',
  grade: 2,
  title: 'cart_intent_rate is a percentage, not a fraction',
  alterations: {
    parts: (parts, _database, { analytics: { decimals } }) =>
      alteredReport(parts, (report) => ({
        ...report,
        cart_intent_rate: rounded(100 * report.cart_intent_rate, decimals),
      })),
  },
};
