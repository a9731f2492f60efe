import { inVolley } from '../../limits/probes.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Scenario } from '../../scenario/define.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import { loadProbeInstants } from '../load/load-probe.ts';
import { restWindows } from './limits/cost.ts';
import { mostSpentLimits } from './sending/scope.ts';

/** Several volleys soon after another, since a window may end in one. */
const volleys = 4;
const mostBetweenMs = 250;
/** The shard that spends the limit goes on at this multiple of the promised rate, so that no place stays free. */
const rateFactor = 2;
const leastGapMs = 5;

/** When volleys are sent, after the first burst. The burst is over by then, unless the target is slow. */
export function volleysMs({ windowMs }: RateLimit): readonly number[] {
  const firstMs = Math.min(windowMs / 2, Math.max(3_000, windowMs / 6));
  return Array.from({ length: volleys }, (_, n) => firstMs + n * Math.min(mostBetweenMs, windowMs / 10));
}

/** Between two requests that keep the limit spent. */
export function gapMs({ requests, windowMs }: RateLimit): number {
  return Math.max(leastGapMs, windowMs / requests / rateFactor);
}

export type Overloading = Pick<Scenario, 'checks' | 'study'>;

/** Whether shards try whose limit it is: where the load goes past it, and no study would have to explain their requests. */
function isTried({ checks, study }: Overloading, plan: Pick<Plan, 'phases'>, limit: RateLimit): boolean {
  return checks.includes('rate-limit') && study.length === 0 && loadProbeInstants(plan, limit).length > 0;
}

/** The most that it sends on the load key and on the bystander's, and its time with the rests before and after it. */
export function shardScopeCost(
  scenario: Overloading,
  plan: Pick<Plan, 'phases'>,
  limit: RateLimit,
): { readonly load: number; readonly bystander: number; readonly ms: number } {
  if (!isTried(scenario, plan, limit)) return { load: 0, bystander: 0, ms: 0 };
  const triesMs = Math.max(...volleysMs(limit));
  const bystander = 2 * volleys * inVolley;
  return {
    load: Math.ceil(mostSpentLimits * limit.requests + triesMs / gapMs(limit)) + bystander,
    bystander,
    ms: (restWindows + 1) * limit.windowMs + triesMs,
  };
}
