import type { History } from '../../history/history.ts';
import { evidenceOf } from '../core/found.ts';
import type { Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { foundIn } from './log.ts';
import { countOf, type Race } from './race.ts';
import { whyQuota } from './rows.ts';
import { otherKeysReasons, renewalReasons, sharedAgainstPromise } from './sharing.ts';
import { canBeSpentBy, type QuotaFinding, type QuotaSpending } from './spending.ts';

/** Requests that create no session, early in the study, against the edge that was found afterwards: none counts, or gives back. */
export function judgeConsumption(
  { profile }: History,
  spending: QuotaSpending,
  race: Race | undefined,
): QuotaFinding {
  const kinds = Map.groupBy(
    spending.calls.filter(({ isAttempt, status }) => !isAttempt && status !== undefined),
    ({ what }) => what,
  );
  const sent = [...kinds].map(([what, calls]) => ({ what, count: calls.length })).toSorted(byName);
  const { fresh, sessions } = profile.quota;
  const { redeliveries } = profile;
  // The quota of a twin of another account, as a race has found it.
  const isTwinExact =
    redeliveries === 0 &&
    race?.keys.includes('quota') === false &&
    countOf(race.attempts, 'unclear') === 0 &&
    countOf(race.attempts, 'refused') > 0;
  const wanted = sessions ?? (isTwinExact ? countOf(race.attempts, 'admitted') : undefined);
  const found = spending.admitted.length;
  const most = found + spending.ambiguous.length;
  const observed = {
    'sessions before 402': most === found ? found : { min: found, max: most },
    ...Object.fromEntries(sent.map(({ count, what }) => [what, count])),
  };
  const evidence = [...kinds].flatMap(([what, calls]) => evidenceOf(what, foundIn(calls)));
  if (wanted === undefined || sent.length === 0 || spending.rejected.length === 0)
    return {
      verdict: 'inconclusive',
      expected: wanted === undefined ? 'not known' : { 'sessions before 402': wanted },
      observed,
      reasons: [
        sent.length === 0 ? reason('quota-consumption-untried') : reason('quota-consumption-unknown'),
      ],
      evidence,
    };
  const spentBy = most < wanted ? canBeSpentBy(spending, wanted) : undefined;
  // Where another key spends the quota against the promise, its sessions explain the rest as well: quota.sharing fails.
  const shared = sharedAgainstPromise(spending.account);
  const causes = whyQuota({ ...spending, keys: spending.account.keys, quota: wanted, isFresh: fresh });
  const isGivenBack =
    fresh && found > wanted && causes.some(({ cause }) => cause.code === 'quota-given-back');
  const isCounted =
    most < wanted && fresh && spending.period.isClean && spentBy === undefined && shared.length === 0;
  const verdict: Verdict =
    isGivenBack || isCounted ? 'fail' : most >= wanted && found <= wanted ? 'pass' : 'inconclusive';
  const requests = reason('quota-consumption-sent', { requests: sent });
  const doubts: readonly Reason[] = !fresh
    ? [reason('quota-not-fresh')]
    : shared.length > 0
      ? []
      : spentBy === 'redeliveries'
        ? [reason('redelivered', { deliveries: redeliveries + 1 })]
        : otherKeysReasons(spending);
  return {
    verdict,
    expected: { 'sessions before 402': wanted },
    observed,
    reasons: isGivenBack
      ? [reason('quota-consumption-given-back', { admitted: found, quota: wanted }), requests]
      : isCounted
        ? [reason('quota-consumption-counted', { admitted: most, quota: wanted }), requests]
        : verdict === 'pass'
          ? [requests, reason('quota-consumption-kept', { quota: wanted })]
          : [
              reason('quota-consumption-in-doubt', { admitted: found, quota: wanted }),
              ...(most < wanted ? doubts : []),
              ...shared,
              ...renewalReasons(spending.period),
            ],
    evidence,
    causes,
  };
}

const byName = (a: { readonly what: string }, b: { readonly what: string }): number =>
  a.what < b.what ? -1 : 1;
