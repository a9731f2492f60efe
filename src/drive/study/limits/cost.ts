import { probeWindows } from '../../../limits/probes.ts';
import type { LimitsStudy } from '../../../scenario/study.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';

/** Windows of rest after which a key is as good as new, by every limiter that forgets within a window. */
export const restWindows = 1.3;
/** Limits that a probe spends at most. */
export const probeLimits = 5.5;
/** Limits that are tried without a good key. */
export const unauthenticatedLimits = 1.2;
/** The part of the limit that each endpoint gets when all of them are tried together. */
export const mixedPart = 0.2;
/** Sessions of the tests at the limit. */
const scopeSessions = 50;
/** Limits that bursts, volleys and a trickle spend at most, beside what probes do. */
const burstLimits = 7;

/** A budget of less than a rest, where one is needed, and what is tried at the limit is for no study; milliseconds. */
export function leastMsOfLimitsStudy({ windowMs }: RateLimit, isFresh: boolean): number {
  return (isFresh ? 1 : 1 + restWindows) * windowMs;
}

/** The most that a study of this length may spend on a key: the bursts, and one probe after another. */
export function requestsOfLimitsStudy(budgetMs: number, { requests, windowMs }: RateLimit): number {
  const shortest = Math.min(...Object.values(probeWindows)) + restWindows;
  const probes = Math.ceil(budgetMs / windowMs / shortest);
  return Math.ceil((burstLimits + unauthenticatedLimits + probes * probeLimits) * requests) + 200;
}

/** Requests with other keys while a study goes on, at most. */
export function otherKeysRequests({ budgetMs, otherKeysPerSecond = 0 }: LimitsStudy): number {
  return Math.ceil((otherKeysPerSecond * budgetMs) / 1e3);
}

/** Sessions that a study opens, or asks for while a key is at its limit. */
export function sessionsOfLimitsStudy({ requests }: RateLimit): number {
  return scopeSessions + Math.floor(mixedPart * requests);
}
