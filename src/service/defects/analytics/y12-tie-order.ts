import type { TopShade } from '../../../wire.ts';
import type { Defect } from '../defect.ts';
import { alteredReport } from './altered-report.ts';
import { turns } from './turns.ts';

export const unstableTies: Defect = {
  id: 'Y12',
  grade: 3,
  title: 'Shades with equal selections change places between reads',
  alterations: {
    parts: (parts) => {
      const isTurned = turns();
      return alteredReport(parts, (report, question) =>
        isTurned(question) ? { ...report, top_shades: tiesReversed(report.top_shades) } : report,
      );
    },
  },
};

function tiesReversed(shades: readonly TopShade[]): TopShade[] {
  // Sorting keeps the order of equals.
  return shades.toReversed().sort((a, b) => b.selections - a.selections);
}
