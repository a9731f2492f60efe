import type { Study } from '../../scenario/study.ts';
import type { Profile } from '../../target/profile.ts';
import { msOfAudit, requestsOfAudit } from './audit.ts';
import { requestsOfCapacity } from './capacity.ts';
import { otherKeysRequests, requestsOfLimitsStudy, sessionsOfLimitsStudy } from './limits/cost.ts';
import { costOfQuotaStudy } from './quota-cost.ts';
import type { StudyCost } from './sending/study-cost.ts';

export function costOf(study: Study, profile: Profile): StudyCost {
  switch (study.kind) {
    case 'limits':
      return {
        requests: requestsOfLimitsStudy(study.budgetMs, profile.rate_limit),
        sessions: { load: sessionsOfLimitsStudy(profile.rate_limit) },
        pool: { requests: otherKeysRequests(study), sessions: 0, orLoad: false },
        // It ends with the limit of the load key spent, so what comes next waits for a window.
        ms: study.budgetMs + profile.rate_limit.windowMs,
      };
    case 'quota':
      return costOfQuotaStudy(study, profile);
    case 'audit':
      return {
        requests: requestsOfAudit(study),
        sessions: study.canary ? { load: 1 } : {},
        ms: msOfAudit(study, profile),
      };
    case 'capacity': {
      const requests = requestsOfCapacity(study);
      return {
        requests: 0,
        sessions: {},
        pool: { requests, sessions: study.traffic === 'sessions' ? requests : 0, orLoad: true },
        ms: study.budgetMs,
      };
    }
  }
}
