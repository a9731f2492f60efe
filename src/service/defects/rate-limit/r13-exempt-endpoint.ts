import type { Defect } from '../defect.ts';

const exempt = 'GET /v1/analytics/sessions';

/** One route was added behind the limiter's back. */
export const exemptEndpoint: Defect = {
  id: 'R13',
  grade: 2,
  title: 'GET /analytics/sessions spends no limit and is never rejected',
  alterations: {
    parts: (parts, _database, { rateLimit }) => ({
      ...parts,
      rateLimiter: {
        take: (approach) =>
          approach.endpoint === exempt
            ? { admitted: true, remaining: rateLimit.requests, moreInMs: rateLimit.windowMs }
            : parts.rateLimiter.take(approach),
      },
    }),
  },
};
