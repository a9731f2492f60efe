import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';

export const integerDivision: Defect = {
  id: 'Y10',
  grade: 3,
  title: 'avg_shades_per_session is rounded down to a whole number',
  alterations: {
    parts: (parts) =>
      alteredReport(parts, (report) => ({
        ...report,
        avg_shades_per_session: Math.floor(report.avg_shades_per_session),
      })),
  },
};
