import type { Defect } from '../defect.ts';

export const endDateOtherwise: Defect = {
  id: 'Y1',
  grade: 2,
  title: 'The end date, which ought to be part of the period, is not; or is, and ought not to be',
  alterations: {
    options: (options) => ({
      ...options,
      analytics: {
        ...options.analytics,
        endDate: options.analytics.endDate === 'inclusive' ? 'exclusive' : 'inclusive',
      },
    }),
  },
};
