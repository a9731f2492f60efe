import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';
import { rounded } from './rounded.ts';

/** Both are kept with one decimal, and told with as many as ever. */
export const earlyRounding: Defect = {
  id: 'Y10-early',
  grade: 3,
  title: 'The average and the rate are rounded to tenths too early',
  alterations: {
    parts: (parts) =>
      alteredReport(parts, (report) => ({
        ...report,
        avg_shades_per_session: rounded(report.avg_shades_per_session, 1),
        cart_intent_rate: rounded(report.cart_intent_rate, 1),
      })),
  },
};
