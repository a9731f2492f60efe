import { counted, percent, seconds } from '../../amounts.ts';
import type { Study } from '../../scenario/study.ts';
import type { Profile } from '../../target/profile.ts';
import { msOfAudit, requestsOfAudit, sessionsOfAudit } from './audit/audit.ts';
import { requestsOfCapacity } from './capacity/capacity.ts';
import { openShare, shortestSearch } from './capacity/timing.ts';
import {
  leastMsOfLimitsStudy,
  otherKeysRequests,
  requestsOfLimitsStudy,
  sessionsOfLimitsStudy,
} from './limits/requests.ts';
import { costOfQuotaStudy } from './quota/quota-cost.ts';
import type { StudyCost } from './sending/prober.ts';

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
        sessions: study.canary ? { load: sessionsOfAudit(study) } : {},
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

/** The least time in which a study can find anything out. */
export interface LeastBudget {
  readonly ms: number;
  /** What takes it. */
  readonly why: string;
}

/**
 * The least budget, or undefined where a study has no minimum.
 */
export function leastBudgetOf(
  study: Study,
  { exclusive_keys: isFresh, rate_limit: rateLimit }: Pick<Profile, 'exclusive_keys' | 'rate_limit'>,
): LeastBudget | undefined {
  switch (study.kind) {
    case 'limits':
      return {
        ms: leastMsOfLimitsStudy(rateLimit, isFresh),
        why: `the tests at the limit take a window (${seconds(rateLimit.windowMs)})${isFresh ? '' : ', and before that a rest until the limiter forgets earlier requests'}`,
      };
    case 'capacity': {
      const shortest = shortestSearch(study);
      if (shortest === undefined) return undefined;
      return {
        ms: shortest.budgetMs,
        why: `the shortest search that can be certain of a rate takes ${counted(shortest.steps, 'step')} of ${seconds(study.stepMs)} or more, in ${percent(openShare)} of the budget`,
      };
    }
    case 'quota':
    case 'audit':
      return undefined;
  }
}
