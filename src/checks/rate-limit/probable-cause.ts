import { percent } from '../../amounts.ts';
import type { Survivor } from '../../limits/inference.ts';
import type { Profile } from '../../target/profile.ts';
import type { CheckId } from '../check-ids.ts';
import type { CheckResult } from '../verdict.ts';
import { isAsPromised } from './study/as-promised.ts';
import type { LimiterFindings } from './study/findings.ts';
import { certain } from './study/judge-size.ts';
import { sizeOf } from './study/size-of.ts';
import { per, seconds } from './words.ts';

/** Checks that a limiter of another kind or size fails. */
const explained: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.enforced',
  'rate-limit.recovery',
  'rate-limit.wrongful',
]);
/** A kind less likely than all others together is no probable cause. */
const leastLikely = 0.5;

/** These checks know the promised limit alone. Where a study found another limiter, a fail names it. */
export function withProbableCause(
  result: CheckResult,
  study: LimiterFindings | undefined,
  profile: Pick<Profile, 'limiter' | 'rate_limit'>,
): CheckResult {
  const best = study?.inference.survivors[0];
  if (result.verdict !== 'fail' || !explained.has(result.id) || best === undefined) return result;
  const isSized = isAsPromised(best, profile);
  // A limiter as promised is no cause, unless rejections are what it goes wrong with.
  const isInnocent = best.rejectsCount !== true && isSized;
  if (best.settled === undefined || best.confidence < leastLikely || isInnocent) return result;
  const doubt = best.confidence < certain ? `${percent(best.confidence)} likely, ` : '';
  return {
    ...result,
    explanation: `${result.explanation} Probable cause (${doubt}rate-limit.algorithm): ${causeOf(best, isSized ? promisedSize(profile) : sizeOf(best))}.`,
  };
}

/** What is known of a limiter's size may be vague: where the promised size is possible, no other one is named. */
function promisedSize({ rate_limit }: Pick<Profile, 'rate_limit'>): string {
  return per(rate_limit.requests, rate_limit.windowMs * 1e6);
}

function causeOf(best: Survivor, size: string): string {
  const { limit, refillPerS, settled } = best;
  if (limit === 1 && refillPerS !== null)
    return `the limiter admits 1 request every ${seconds(1e9 / refillPerS)} and no burst`;
  const prolongs = settled?.mechanism.kind === 'opened' && settled.mechanism.lastsFrom === 'last-refusal';
  return `the limiter is a ${best.name} of ${size}${prolongs ? ', which each rejection restarts' : ''}`;
}
