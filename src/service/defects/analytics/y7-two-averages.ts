import { sqlAnalytics } from '../../analytics.ts';
import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';
import { turns } from './turns.ts';

/** Two versions of the service answer alternately: one averages distinct shades, the other selections. */
export const twoAverages: Defect = {
  id: 'Y7',
  grade: 3,
  title: 'avg_shades_per_session counts repeated selections in one answer and not in the next',
  alterations: {
    parts: (parts, database, { analytics: conventions }) => {
      const other = sqlAnalytics(database, {
        ...conventions,
        shadesPerSession: conventions.shadesPerSession === 'distinct' ? 'selections' : 'distinct',
      });
      const isOthersTurn = turns();
      return alteredReport(parts, async (report, question) => {
        if (!isOthersTurn(question)) return report;
        const { caller, period, productId } = question;
        const { avg_shades_per_session } = await other.report(caller, period, productId);
        return { ...report, avg_shades_per_session };
      });
    },
  },
};
