import type { Defect } from '../defect.ts';

export const filterIgnored: Defect = {
  id: 'Y4',
  grade: 2,
  title: 'Analytics of one product contain all products',
  alterations: {
    parts: (parts) => ({
      ...parts,
      analytics: { report: (caller, period) => parts.analytics.report(caller, period, undefined) },
    }),
  },
};
