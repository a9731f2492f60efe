import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';

const error = 0.02;

/** Like the sketches that data warehouses count distinct values with: right for few, then off by the same for the same sessions. */
export const approximateSessions: Defect = {
  id: 'Y16',
  grade: 4,
  title: `total_sessions is an estimate, up to ${100 * error} % off`,
  alterations: {
    parts: (parts) =>
      alteredReport(parts, (report) => ({ ...report, total_sessions: estimated(report.total_sessions) })),
  },
};

function estimated(count: number): number {
  return Math.round(count * (count % 2 === 0 ? 1 - error : 1 + error));
}
