import type { Profile } from '../../target/profile.ts';
import { counted, evidenceOf } from '../found.ts';
import { type Redelivering, redeliveryText } from '../redeliveries.ts';
import type { Verdict } from '../verdict.ts';
import { fieldsOf, likelyKeysText, onKeys, otherKeysText, sharedAgainstPromise } from './account-words.ts';
import { canBeSpentBy, type Judged, type Spending } from './spending.ts';

/** Exactly as many sessions as the quota allows were admitted, and the next refused with 402. */
export function checkEdge(spending: Spending, profile: Pick<Profile, 'quota'> & Redelivering): Judged {
  const { quota } = profile;
  const { verdict, explanation } = judgeEdge(spending, profile);
  const min = spending.admitted.total;
  const max = min + spending.ambiguous.total;
  return {
    verdict,
    expected:
      quota.sessions === undefined ? 'not told' : { admitted: quota.sessions, 'then refused with': 402 },
    observed: {
      attempts: spending.attempts,
      admitted: min === max ? min : { min, max },
      'refused with 402': spending.refused.total,
      'limited with 429': spending.limited,
    },
    explanation,
    evidence: [
      ...evidenceOf('admitted', spending.admitted),
      ...evidenceOf('refused with 402', spending.refused),
      ...evidenceOf('may have been admitted or not', spending.ambiguous),
    ],
  };
}

function judgeEdge(
  spending: Spending,
  { quota: { sessions, fresh }, ...profile }: Pick<Profile, 'quota'> & Redelivering,
): { readonly verdict: Verdict; readonly explanation: string } {
  const { account, attempts, admitted, ambiguous, refused } = spending;
  const most = admitted.total + ambiguous.total;
  const shownAdmitted = most === admitted.total ? String(most) : `${admitted.total} to ${most}`;
  const where = onKeys(account.keys);
  if (attempts === 0) return inconclusive('No session was asked for on the quota key.');
  if (sessions === undefined) {
    return inconclusive(
      refused.total > 0
        ? `The quota was not told. Found out: ${shownAdmitted} sessions were admitted${where}, then 402 was answered.`
        : `The quota was not told, and ${counted(attempts, 'attempt')} did not reach it (${shownAdmitted} admitted${where}).`,
    );
  }
  if (spending.admittedTold > sessions) {
    return {
      verdict: 'fail',
      explanation: `${counted(spending.admittedTold, 'session')} were admitted${onKeys(account.toldKeys)}, ${spending.admittedTold - sessions} more than the quota of ${sessions}.`,
    };
  }
  if (admitted.total > sessions) {
    return inconclusive(
      `${admitted.total} sessions were admitted${where}, ${admitted.total - sessions} more than the quota of ${sessions}. The answers suggest that these keys share it, and the profile does not say so (${fieldsOf(account.keys.filter((key) => !account.toldKeys.includes(key)))}).`,
    );
  }
  if (refused.total === 0) {
    return inconclusive(
      `No attempt was refused with 402; ${shownAdmitted} of ${attempts} were admitted${where}, with a quota of ${sessions}.`,
    );
  }
  if (most < sessions) {
    const early = `402 was answered after ${shownAdmitted} ${most === 1 ? 'session' : 'sessions'}${where}`;
    if (!fresh)
      return inconclusive(
        `${early}, of ${sessions}; the profile does not say that the account was fresh, so others or earlier runs may have used the rest.`,
      );
    const by = canBeSpentBy(spending, sessions);
    if (by === 'redeliveries')
      return inconclusive(
        `${early}, of ${sessions}; ${redeliveryText(profile)}, which may have spent the rest.`,
      );
    if (by === 'other-keys') return inconclusive(`${early}, of ${sessions}; ${otherKeysText(spending)}.`);
    return {
      verdict: 'fail',
      explanation: `${early}, before the quota of ${sessions} was spent.${sharedAgainstPromise(account)}`,
    };
  }
  if (admitted.total !== most) {
    return inconclusive(
      `${shownAdmitted} sessions were admitted${where}, with a quota of ${sessions}: ${counted(ambiguous.total, 'attempt')} got no clear answer.`,
    );
  }
  if (account.likelyKeys.length > 0) {
    return inconclusive(
      `Exactly ${sessions} sessions were admitted${where}, then 402 was answered. ${likelyKeysText(account)}.`,
    );
  }
  return {
    verdict: 'pass',
    explanation: `Exactly ${sessions} sessions were admitted${where}, then 402 was answered.`,
  };
}

function inconclusive(explanation: string): { readonly verdict: Verdict; readonly explanation: string } {
  return { verdict: 'inconclusive', explanation };
}
