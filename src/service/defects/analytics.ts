import { endDateOtherwise } from './analytics/y1-end-date.ts';
import { localDays } from './analytics/y2-local-days.ts';
import { filterIgnored } from './analytics/y4-filter-ignored.ts';
import { unfilteredShades } from './analytics/y6-unfiltered-shades.ts';
import { twoAverages } from './analytics/y7-two-averages.ts';
import { percent } from './analytics/y9-percent.ts';
import { earlyRounding } from './analytics/y10-early-rounding.ts';
import { integerDivision } from './analytics/y10-integer-division.ts';
import { unstableTies } from './analytics/y12-tie-order.ts';
import { stale } from './analytics/y14-stale.ts';
import { approximateSessions } from './analytics/y16-approximate.ts';
import { periodText } from './analytics/y17-period-text.ts';
import { duplicatesCounted } from './analytics/y18-duplicates.ts';
import { bouncesLeftOut } from './analytics/y19-bounces-left-out.ts';
import type { Defect } from './defect.ts';

export const analyticsDefects: readonly Defect[] = [
  endDateOtherwise,
  localDays,
  filterIgnored,
  unfilteredShades,
  twoAverages,
  percent,
  integerDivision,
  earlyRounding,
  unstableTies,
  stale,
  approximateSessions,
  periodText,
  duplicatesCounted,
  bouncesLeftOut,
];
