import type { Defect } from '../defect.ts';

export const endDateOtherwise: Defect = {
  id: 'Y1',
  grade: 2,
  title: 'The period handles its end date wrongly: excluded instead of included, or the reverse',
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
