import { counted, percent, seconds } from '../../amounts.ts';
import type { Study } from '../../scenario/study.ts';
import type { Profile } from '../../target/profile.ts';
import { openShare, shortestSearch } from './capacity/timing.ts';
import { leastMsOfLimitsStudy } from './limits/cost.ts';

/** The least time in which a study can find anything out. */
interface LeastBudget {
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
