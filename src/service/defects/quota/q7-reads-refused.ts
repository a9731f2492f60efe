import type { Defect } from '../defect.ts';
import { beforeReads } from './before-reads.ts';
import { sessionsSpent } from './spent.ts';

export const readsRefused: Defect = {
  id: 'Q7',
  grade: 2,
  title: 'An account over its quota gets 402 for reads, too',
  alterations: {
    parts: (parts, database) => {
      const spentBy = sessionsSpent(database);
      return beforeReads(parts, (caller) => {
        if (spentBy(caller) < caller.sessionQuota) return;
        throw Object.assign(new Error("the plan's session quota is used up"), { statusCode: 402 });
      });
    },
  },
};
