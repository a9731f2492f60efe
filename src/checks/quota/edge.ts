import type { Profile } from '../../target/profile.ts';
import { fits, type Suspect } from '../causes/cause.ts';
import { evidenceOf } from '../core/found.ts';
import type { Redelivering } from '../core/redeliveries.ts';
import type { Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import {
  fieldsOf,
  otherKeysReasons,
  renewalReasons,
  sharedAgainstPromise,
  sharingAgainstPromise,
  whyOtherAccount,
} from './account-words.ts';
import { canBeSpentBy, type QuotaFinding, type QuotaSpending } from './spending.ts';

/** Exactly as many sessions as the quota allows were admitted, and the next rejected with 402. */
export function checkEdge(
  spending: QuotaSpending,
  profile: Pick<Profile, 'quota'> & Redelivering,
): QuotaFinding {
  const { quota } = profile;
  const { verdict, reasons, causes = [] } = judgeEdge(spending, profile);
  const min = spending.admitted.total;
  const max = min + spending.ambiguous.total;
  return {
    verdict,
    expected:
      quota.sessions === undefined ? 'not told' : { admitted: quota.sessions, 'then rejected with': 402 },
    observed: {
      attempts: spending.attempts,
      admitted: min === max ? min : { min, max },
      'rejected with 402': spending.rejected.total,
      'rejected with 429': spending.limited,
    },
    reasons: [...reasons, ...renewalReasons(spending.period)],
    evidence: [
      ...evidenceOf('admitted', spending.admitted),
      ...evidenceOf('rejected with 402', spending.rejected),
      ...evidenceOf('may have been admitted or not', spending.ambiguous),
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

/** Too many: one after another, or only at the same time. */
function tooMany({ admittedBeyond, admittedTold, rejected }: QuotaSpending, quota: number): Suspect[] {
  if (rejected.total === 0)
    return [fits('quota-not-enforced', { admitted: admittedTold, quota }, admittedBeyond.seqs)];
  const differs = fits('quota-differs', { found: admittedTold, promised: quota }, [
    ...admittedBeyond.seqs.slice(0, 2),
    ...rejected.seqs.slice(0, 2),
  ]);
  if (admittedBeyond.total > 0) return [differs];
  const raced = fits('check-then-increment', { over: admittedTold - quota, quota }, rejected.seqs);
  return admittedTold === quota + 1 ? [differs, raced] : [raced];
}

/** Too few: another quota, or another key that spends it. */
function tooFew({ account, admitted, rejected }: QuotaSpending, found: number, promised: number): Suspect[] {
  const sharing = sharingAgainstPromise(account);
  const seqs = [...admitted.seqs.slice(-2), ...rejected.seqs.slice(0, 2)];
  return sharing.length === 0
    ? [fits('quota-differs', { found, promised }, seqs)]
    : sharing.flatMap((role) => whyOtherAccount(role, account.of[role], seqs));
}

function judgeEdge(spending: QuotaSpending, profile: Pick<Profile, 'quota'> & Redelivering): Edge {
  const { account, attempts, ambiguous, rejected } = spending;
  const { sessions } = profile.quota;
  const { keys } = account;
  const admitted = { min: spending.admitted.total, max: spending.admitted.total + ambiguous.total };
  if (attempts === 0) return inconclusive(reason('quota-edge-untried'));
  if (sessions === undefined) {
    return inconclusive(
      rejected.total > 0
        ? reason('quota-edge-found', { admitted, keys })
        : reason('quota-edge-unreached', { attempts, admitted, keys }),
    );
  }
  if (spending.admittedTold > sessions) {
    const over = { admitted: spending.admittedTold, quota: sessions, keys: account.toldKeys };
    return {
      verdict: 'fail',
      reasons: [reason('quota-edge-over', over)],
      causes: tooMany(spending, sessions),
    };
  }
  if (admitted.min > sessions) {
    const fields = fieldsOf(keys.filter((key) => !account.toldKeys.includes(key)));
    return inconclusive(
      reason('quota-edge-over-in-doubt', { admitted: admitted.min, quota: sessions, keys, fields }),
    );
  }
  if (rejected.total === 0)
    return inconclusive(reason('quota-edge-without-402', { admitted, attempts, quota: sessions, keys }));
  if (admitted.max < sessions) return judgeEarly(spending, sessions, profile);
  if (ambiguous.total > 0) {
    return inconclusive(
      reason('quota-edge-unclear', { admitted, unclear: ambiguous.total, quota: sessions, keys }),
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
  { quota, redeliveries }: Pick<Profile, 'quota'> & Redelivering,
): Edge {
  const { account, admitted, ambiguous } = spending;
  const most = admitted.total + ambiguous.total;
  const early = reason('quota-edge-early', {
    admitted: { min: admitted.total, max: most },
    quota: sessions,
    keys: account.keys,
  });
  if (!quota.fresh || !spending.period.isClean) return inconclusive(early, reason('quota-not-fresh'));
  const by = canBeSpentBy(spending, sessions);
  if (by === 'redeliveries')
    return inconclusive(early, reason('redelivered', { deliveries: redeliveries + 1 }));
  if (by === 'other-keys') return inconclusive(early, ...otherKeysReasons(spending));
  return {
    verdict: 'fail',
    reasons: [early, ...sharedAgainstPromise(account)],
    causes: tooFew(spending, most, sessions),
  };
}

function inconclusive(...reasons: Reason[]): Edge {
  return { verdict: 'inconclusive', reasons };
}
