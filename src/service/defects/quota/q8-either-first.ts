import type { Defect } from '../defect.ts';
import { sessionsSpent } from './spent.ts';

/** Of requests over both limits, every second one skips the rate limit and gets a 402. */
export const eitherFirst: Defect = {
  id: 'Q8',
  grade: 3,
  title: 'Over both limits, new sessions get sometimes 402, sometimes 429',
  alterations: {
    parts: (parts, database) => {
      const spentBy = sessionsSpent(database);
      let quotaFirst = false;
      return {
        ...parts,
        rateLimiter: {
          async take(approach) {
            const decision = await parts.rateLimiter.take(approach);
            const { caller, endpoint } = approach;
            const isOverBoth =
              !decision.admitted &&
              endpoint === 'POST /v1/sessions' &&
              spentBy(caller) >= caller.sessionQuota;
            if (!isOverBoth) return decision;
            quotaFirst = !quotaFirst;
            return quotaFirst ? { ...decision, admitted: true } : decision;
          },
        },
      };
    },
  },
};
