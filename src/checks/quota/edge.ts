import type { Profile } from '../../target/profile.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { fits, type Suspect } from '../causes/cause.ts';
import { evidenceOf } from '../core/found.ts';
import type { Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { foundIn } from './log.ts';
import { whyQuota } from './rows.ts';
import {
  fieldsOf,
  otherKeysReasons,
  renewalReasons,
  sharedAgainstPromise,
  sharingAgainstPromise,
  whyOtherAccount,
} from './sharing.ts';
import { canBeSpentBy, type QuotaFinding, type QuotaSpending } from './spending.ts';

/** Exactly as many sessions as the quota allows were admitted, and the next rejected with 402. */
export function checkEdge(
  spending: QuotaSpending,
  profile: Pick<Profile, 'quota' | 'redeliveries'>,
): QuotaFinding {
  const { quota } = profile;
  const { verdict, reasons, causes = [] } = judgeEdge(spending, profile);
  const min = spending.admitted.length;
  const max = min + spending.ambiguous.length;
  return {
    verdict,
    expected:
      quota.sessions === undefined ? 'not told' : { admitted: quota.sessions, 'then rejected with': 402 },
    observed: {
      attempts: spending.attempts.length,
      admitted: min === max ? min : { min, max },
      'rejected with 402': spending.rejected.length,
      'rejected with 429': spending.attempts.filter(({ status }) => status === 429).length,
    },
    reasons: [...reasons, ...renewalReasons(spending.period)],
    evidence: [
      ...evidenceOf('admitted', foundIn(spending.admitted)),
      ...evidenceOf('rejected with 402', foundIn(spending.rejected)),
      ...evidenceOf('may have been admitted or not', foundIn(spending.ambiguous)),
    ],
    causes,
  };
}

interface Edge {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  /** Of a failure. */
  readonly causes?: readonly Suspect[];
}

/** Another key that spends the quota against the promise, or another way to keep the account. */
function whyEdge(
  spending: QuotaSpending,
  keys: readonly Role[],
  { fresh, sessions = 0 }: Profile['quota'],
): readonly Suspect[] {
  const { account, admitted, rejected } = spending;
  const edge = foundIn([...admitted.slice(-2), ...rejected.slice(0, 2)]).seqs;
  const sharing = admitted.length < sessions ? sharingAgainstPromise(account) : [];
  return sharing.length > 0
    ? sharing.flatMap((role) => whyOtherAccount(role, account.of[role], edge))
    : whyQuota({ ...spending, keys, quota: sessions, isFresh: fresh });
}

function judgeEdge(spending: QuotaSpending, profile: Pick<Profile, 'quota' | 'redeliveries'>): Edge {
  const { account, ambiguous, rejected } = spending;
  const attempts = spending.attempts.length;
  const { sessions } = profile.quota;
  const { keys } = account;
  const admitted = { min: spending.admitted.length, max: spending.admitted.length + ambiguous.length };
  if (attempts === 0) return inconclusive(reason('quota-edge-untried'));
  if (sessions === undefined) {
    return inconclusive(
      rejected.length > 0
        ? reason('quota-edge-found', { admitted, keys })
        : reason('quota-edge-unreached', { attempts, admitted, keys }),
    );
  }
  if (spending.admittedTold.length > sessions) {
    const over = { admitted: spending.admittedTold.length, quota: sessions, keys: account.toldKeys };
    return {
      verdict: 'fail',
      reasons: [reason('quota-edge-over', over)],
      causes: whyEdge(spending, account.toldKeys, profile.quota),
    };
  }
  if (admitted.min > sessions) {
    const fields = fieldsOf(keys.filter((key) => !account.toldKeys.includes(key)));
    return inconclusive(
      reason('quota-edge-over-in-doubt', { admitted: admitted.min, quota: sessions, keys, fields }),
    );
  }
  if (rejected.length === 0)
    return inconclusive(reason('quota-edge-without-402', { admitted, attempts, quota: sessions, keys }));
  if (admitted.max < sessions) return judgeEarly(spending, sessions, profile);
  if (ambiguous.length > 0) {
    return inconclusive(
      reason('quota-edge-unclear', { admitted, unclear: ambiguous.length, quota: sessions, keys }),
    );
  }
  const exact = reason('quota-edge-exact', { quota: sessions, keys });
  const { likelyKeys } = account;
  return likelyKeys.length > 0
    ? inconclusive(exact, reason('quota-likely-keys', { keys: likelyKeys, fields: fieldsOf(likelyKeys) }))
    : { verdict: 'pass', reasons: [exact] };
}

/** 402 came before the quota can have been spent. */
function judgeEarly(
  spending: QuotaSpending,
  sessions: number,
  { quota, redeliveries }: Pick<Profile, 'quota' | 'redeliveries'>,
): Edge {
  const { account, admitted, ambiguous } = spending;
  const early = reason('quota-edge-early', {
    admitted: { min: admitted.length, max: admitted.length + ambiguous.length },
    quota: sessions,
    keys: account.keys,
  });
  if (!quota.fresh || !spending.period.isClean)
    return inconclusive(early, ...(quota.fresh ? [] : [reason('quota-not-fresh')]));
  const by = canBeSpentBy(spending, sessions);
  if (by === 'redeliveries')
    return inconclusive(early, reason('redelivered', { deliveries: redeliveries + 1 }));
  if (by === 'other-keys') return inconclusive(early, ...otherKeysReasons(spending));
  return {
    verdict: 'fail',
    reasons: [early, ...sharedAgainstPromise(account)],
    causes: whyEdge(spending, account.keys, quota),
  };
}

function inconclusive(...reasons: Reason[]): Edge {
  return { verdict: 'inconclusive', reasons };
}

/** No session is admitted that was requested after a 402 had come back. */
export function checkClosed(spending: QuotaSpending, { quota }: Pick<Profile, 'quota'>): QuotaFinding {
  const { account, rejected, admittedLate } = spending;
  const { fresh: isFresh, sessions = spending.admitted.length } = quota;
  const why = whyQuota({ ...spending, keys: account.keys, quota: sessions, isFresh });
  return {
    verdict: rejected.length === 0 ? 'inconclusive' : admittedLate.length > 0 ? 'fail' : 'pass',
    expected: { 'admitted after a 402': 0 },
    observed: { 'admitted after a 402': admittedLate.length, 'rejected with 402': rejected.length },
    reasons: [
      rejected.length === 0
        ? reason('quota-closed-unspent')
        : admittedLate.length > 0
          ? reason('quota-closed-admitted', { sessions: admittedLate.length })
          : reason('quota-closed-held', { rejected: rejected.length }),
      ...renewalReasons(spending.period),
    ],
    evidence: [
      ...evidenceOf('admitted after a 402', foundIn(admittedLate)),
      ...evidenceOf('rejected with 402', foundIn(rejected)),
    ],
    causes: [
      ...why.filter(({ cause }) => cause.code === 'quota-by-connection'),
      fits(
        'quota-reopens',
        { admitted: admittedLate.length },
        foundIn([...rejected.slice(0, 1), ...admittedLate]).seqs,
      ),
    ],
  };
}
