import type { QuotaStudy } from '../../scenario/study.ts';
import { toldAccount } from '../../target/keys.ts';
import type { Profile } from '../../target/profile.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import { requestsOfPrecedence } from './precedence.ts';
import type { StudyCost } from './sending/study-cost.ts';

/** Sessions paced one after another spend this part of the rate limit. */
export const pacedPart = 0.5;
/** This many 402 in a row are the edge. */
export const edgeRefusals = 3;
/**
 * How many requests of each kind that must not spend quota. Of those that fail or write, no two sets of kinds have the
 * same sum, so that the number of missing sessions tells which of them did. Of reads, bursts send many more.
 */
export const nothingSent = {
  limited: 5,
  failing: 6,
  missing: 8,
  imports: 12,
  malformed: 16,
  reads: 5,
} as const;
/** Ways to malform a session, the first that the service rejects is used; it may accept the others. */
export const malformedForms = 4;
const allNothing = Object.values(nothingSent).reduce((sum, each) => sum + each, 0);
/** Attempts after the edge, one after another. */
export const beyond = 20;
/**
 * Sessions before the requests that create none, so that it shows if one of these gives quota back; a larger part of the quota
 * would leave none for what follows.
 */
export const early = { most: Math.max(...Object.values(nothingSent)), part: 0.35 };
/** By when a rate limiter has forgotten, in windows. */
export const restWindows = 1.1;
/** Limits that the bursts of the study spend on a key at most. */
const burstLimits = 8;

/** Sessions that a quota study tries on a key at most. */
export function quotaAttemptsOf(
  { cap, race }: Pick<QuotaStudy, 'cap' | 'race'>,
  quota: number | undefined,
): number {
  return (
    (quota === undefined ? cap : Math.min(cap, quota + edgeRefusals)) +
    2 * race +
    beyond +
    nothingSent.limited +
    malformedForms
  );
}

/**
 * Keys of one account spend one quota: a twin of the same account is asked once before and once after, and joins the
 * race.
 */
export function costOfQuotaStudy(study: QuotaStudy, profile: Profile): StudyCost {
  const { rate_limit } = profile;
  const attempts = quotaAttemptsOf(study, profile.quota.sessions);
  const accounts = toldAccount('twin', profile, false) === 'same-account' ? 1 : 2;
  const twin = accounts === 1 ? 2 + Math.ceil(study.race / 2) : attempts;
  return {
    requests:
      attempts + allNothing + Math.ceil(burstLimits * rate_limit.requests) + requestsOfPrecedence + 30,
    sessions: { quota: attempts, twin, bystander: 2, load: 2 },
    ms: msOf(accounts * attempts, rate_limit),
  };
}

/** How long these attempts take at the study's pace, with the rests. */
function msOf(attempts: number, { requests, windowMs }: RateLimit): number {
  return windowMs * (attempts / (pacedPart * requests) + 3 * restWindows);
}
