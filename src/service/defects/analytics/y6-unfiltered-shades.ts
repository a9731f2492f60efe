import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';

export const unfilteredShades: Defect = {
  id: 'Y6',
  grade: 3,
  title: 'In analytics of one product, top_shades contains all products',
  alterations: {
    parts: (parts) =>
      alteredReport(parts, async (report, { caller, period }) => {
        const { top_shades } = await parts.analytics.report(caller, period, undefined);
        return { ...report, top_shades };
      }),
  },
};
