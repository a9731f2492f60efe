import type { Catalog } from '../../../scenario/catalog/catalog.ts';
import type { QuotaStudy } from '../../../scenario/study.ts';
import * as calls from '../../../target/calls.ts';
import { toldAccount } from '../../../target/keys.ts';
import type { Profile } from '../../../target/profile.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { SessionRequest } from '../../../wire.ts';
import { plainSession } from '../../ask/sample.ts';
import { exhaust } from '../limits/at-limit.ts';
import { aboutItsCall, type Prober, type StudyCost } from '../sending/prober.ts';

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
const malformedForms = 4;
const allNothing = Object.values(nothingSent).reduce((sum, each) => sum + each, 0);
/** Attempts after the edge. */
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
    // At the study's pace, with the rests.
    ms: rate_limit.windowMs * ((accounts * attempts) / (pacedPart * rate_limit.requests) + 3 * restWindows),
  };
}

const volleys = { few: { count: 5, size: 4 }, many: { count: 3, size: 16 } } as const;

/** Requests that the volleys take at most, with two in each to see whether the limit is spent. */
const requestsOfPrecedence = Object.values(volleys).reduce(
  (sum, { count, size }) => sum + count * (size + 2),
  0,
);

/**
 * Spends the rate limit of the key over quota, then requests sessions, some at once, to see whether 402 or 429 comes
 * first. If both come, it sends many at once: a place that became free excuses one answer, not most.
 */
export async function tryPrecedence({
  prober,
  limit,
  catalog,
}: {
  readonly prober: Prober;
  readonly limit: number;
  readonly catalog: Catalog;
}): Promise<void> {
  const control = aboutItsCall(calls.listShades(catalog.id), {
    credential: 'quota',
    phase: studyPhases.precedence,
    probe: 'scope:control',
  });
  if (!(await exhaust({ prober, limit, control, tries: new Map() }))) return;
  const session = aboutItsCall(plainSession(catalog), {
    credential: 'quota',
    phase: studyPhases.precedence,
    probe: 'precedence:create-session',
  });
  const came = new Set<number | undefined>();
  for (const { count, size } of [volleys.few, volleys.many]) {
    for (let volley = 0; volley < count; volley++) {
      const sessions = Array.from({ length: size }, () => session);
      const replies = await prober.volley([control, ...sessions, control]);
      for (const { exchange } of replies.slice(1, -1)) came.add(exchange.status);
    }
    if (came.size < 2) return;
  }
}

/** Which field a service looks at is not specified; none takes the last for JSON. */
export function malformedBodies({ locale, ...rest }: SessionRequest): readonly string[] {
  const { catalog_id } = rest;
  const whole = JSON.stringify({ ...rest, locale });
  return [
    ...[rest, { ...rest, locale: null }, { catalog_id, locale }].map((body) => JSON.stringify(body)),
    whole.slice(0, -1),
  ].slice(0, malformedForms);
}
