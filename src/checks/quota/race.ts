import type { History } from '../../history/history.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { evidenceOf } from '../core/found.ts';
import type { Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { foundIn, type QuotaCall } from './log.ts';
import { whyQuota } from './rows.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

/** The sessions of one account, the last of which went out at once. */
export interface Race {
  /** The keys that they raced on. */
  readonly keys: readonly Role[];
  readonly attempts: readonly QuotaCall[];
  /** Those that went out in the instant in which most did. */
  readonly volley: readonly QuotaCall[];
}

/** Fewer at once are no race. */
const leastRace = 8;

/** How many of some calls were admitted, rejected with 402, or may have been either. */
export const countOf = (calls: readonly QuotaCall[], outcome: QuotaCall['outcome']): number =>
  calls.filter((call) => call.outcome === outcome).length;

/** The account that most sessions raced on, with all its attempts: that of the `quota` key, or that of the twin. */
export function readRace({ account, calls }: QuotaSpending): Race | undefined {
  const accounts: (readonly Role[])[] = [
    account.keys,
    ...(account.keys.includes('twin') ? [] : [['twin'] as const]),
  ];
  const races = accounts.map((keys) => {
    const attempts = calls.filter(({ isAttempt, role }) => isAttempt && keys.includes(role));
    const volleys = Map.groupBy(
      attempts.filter(({ isOfEdge }) => isOfEdge),
      ({ atNs }) => atNs,
    );
    const [largest] = [...volleys].toSorted(([a, one], [b, other]) => other.length - one.length || a - b);
    const volley = largest === undefined ? [] : attempts.filter(({ atNs }) => atNs === largest[0]);
    return { keys, attempts, volley };
  });
  return races
    .toSorted((a, b) => b.volley.length - a.volley.length)
    .find(({ volley }) => volley.length >= leastRace);
}

interface QuotaRange {
  readonly least: number;
  readonly most: number;
}

/** The quota: as told, or as found in sequence on the `quota` key's account. `most`: keys that may be of the account spent it, too. */
function quotaOf(
  { admitted, ambiguous, elsewhere, rejected }: QuotaSpending,
  { profile }: History,
): QuotaRange | undefined {
  const told = profile.quota.sessions;
  if (told !== undefined) return { least: told, most: told };
  // Where requests are redelivered, the sessions that were admitted are only a part of it.
  if (profile.redeliveries > 0 || rejected.length === 0 || ambiguous.length > 0) return undefined;
  const least = admitted.length;
  return { least, most: least + elsewhere.reduce((sum, on) => sum + on.most, 0) };
}

export function judgeRace(race: Race | undefined, spending: QuotaSpending, history: History): QuotaFinding {
  const { exclusive_keys, quota: promised, redeliveries } = history.profile;
  const isOwn = race?.keys.includes('quota') === true;
  const quota = isOwn && promised.sessions === undefined ? undefined : quotaOf(spending, history);
  if (race === undefined || quota === undefined) {
    return {
      verdict: 'inconclusive',
      observed: null,
      reasons: [race === undefined ? whyNoRace(spending, promised.sessions) : reason('quota-race-unknown')],
    };
  }
  const { attempts, keys, volley } = race;
  const { least, most } = quota;
  const admitted = countOf(attempts, 'admitted');
  const unclear = countOf(attempts, 'unclear');
  const rejected = countOf(attempts, 'refused');
  const inRace = (outcome: QuotaCall['outcome']): readonly QuotaCall[] =>
    volley.filter((call) => call.outcome === outcome);
  const before = attempts.filter(
    ({ atNs, outcome }) => outcome === 'admitted' && atNs < (volley[0]?.atNs ?? 0),
  ).length;
  // Of the keys that sessions raced on, some may only look as though they spent this quota.
  const over = (isOwn ? spending.admittedTold.length : admitted) - most;
  // A quota that was found may be what earlier runs had left of it.
  const isTold = promised.sessions !== undefined || promised.fresh;
  const isExact = least === most && admitted === least && unclear === 0 && rejected > 0;
  // Of the account of the quota key, that is for quota.edge. That of a key for this run alone is new, with the same plan.
  const isNew = !isOwn && exclusive_keys && promised.sessions !== undefined && redeliveries === 0;
  const isShort = isNew && admitted + unclear < least && rejected > 0;
  const verdict: Verdict =
    (over > 0 && isTold) || isShort ? 'fail' : over <= 0 && isExact ? 'pass' : 'inconclusive';
  const isFresh = promised.fresh || isNew;
  const causes = over > 0 || isShort ? whyQuota({ ...spending, keys, quota: most, isFresh }) : [];
  const atOnce = volley.length;
  const won = { atOnce, before, won: inRace('admitted').length, lost: inRace('refused').length };
  const reasons: Reason[] =
    over > 0
      ? [
          reason('quota-race-over', { ...won, admitted: most + over, quota: most, keys }),
          ...(isTold ? [] : [reason('quota-not-fresh')]),
        ]
      : verdict === 'pass'
        ? [reason('quota-race-exact', { atOnce, quota: most, keys })]
        : [
            reason('quota-race-short', { atOnce, admitted, quota: { min: least, max: most }, keys }),
            ...(rejected === 0 ? [reason('quota-race-without-402')] : []),
            ...(rejected > 0 && redeliveries > 0
              ? [reason('redelivered', { deliveries: redeliveries + 1 })]
              : []),
            ...(rejected > 0 && !isShort ? [reason('quota-race-others')] : []),
          ];
  return {
    verdict,
    expected: { 'created in all': least === most ? most : { min: least, max: most } },
    observed: {
      key: keys.join(' and '),
      'created before the race': before,
      'sent at once': atOnce,
      'created in the race': won.won,
      '402 in the race': won.lost,
      'created in all': unclear === 0 ? admitted : { min: admitted, max: admitted + unclear },
    },
    reasons,
    evidence: [
      ...evidenceOf('created in the race', foundIn(inRace('admitted'))),
      ...evidenceOf('402 in the race', foundIn(inRace('refused'))),
    ],
    causes,
  };
}

/** Why there was no race, and what to say in the profile for the next run. */
function whyNoRace({ account }: QuotaSpending, quota: number | undefined): Reason {
  if (account.of.twin.found !== 'same-account' || account.of.twin.isSameKey) return reason('quota-race-none');
  const fields = [
    ...(quota === undefined ? ['quota.sessions'] : []),
    ...(account.of.twin.told === 'same-account' ? [] : ['quota.twin: same-account']),
  ];
  return reason('quota-race-unsaid', { fields });
}
