import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';

export const periodText: Defect = {
  id: 'Y17',
  grade: 2,
  title: 'The dates of period have no spaces around their slash',
  alterations: {
    parts: (parts) =>
      alteredReport(parts, (report, { period }) => ({
        ...report,
        period: `${period.startDate}/${period.endDate}`,
      })),
  },
};
