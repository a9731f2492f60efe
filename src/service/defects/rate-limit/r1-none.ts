import type { Defect } from '../defect.ts';

/** The limiter decides and its headers are sent, but no request is rejected. */
export const noRateLimit: Defect = {
  id: 'R1',
  grade: 1,
  title: 'There is no rate limit',
  alterations: {
    parts: (parts) => ({
      ...parts,
      rateLimiter: {
        take: async (approach) => ({ ...(await parts.rateLimiter.take(approach)), admitted: true }),
      },
    }),
  },
};
