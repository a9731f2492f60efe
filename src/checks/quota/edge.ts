import { counted, countedRange, number, range, verb } from '../../amounts.ts';
import type { Profile } from '../../target/profile.ts';
import { fits, type Suspect } from '../diagnosis/cause.ts';
import { evidenceOf } from '../found.ts';
import { type Redelivering, redeliveryText } from '../redeliveries.ts';
import type { Verdict } from '../verdict.ts';
import {
  fieldsOf,
  likelyKeysText,
  onKeys,
  otherKeysText,
  sharedAgainstPromise,
  sharingAgainstPromise,
  whyOtherAccount,
} from './account-words.ts';
import { canBeSpentBy, type Judged, type Spending } from './spending.ts';

/** Exactly as many sessions as the quota allows were admitted, and the next refused with 402. */
export function checkEdge(spending: Spending, profile: Pick<Profile, 'quota'> & Redelivering): Judged {
  const { quota } = profile;
  const { verdict, explanation, causes = [] } = judgeEdge(spending, profile);
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
    causes,
  };
}

interface Edge {
  readonly verdict: Verdict;
  readonly explanation: string;
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

/** Too many: one after another, or only at the same time. */
function tooMany({ admittedBeyond, admittedTold, refused }: Spending, quota: number): Suspect[] {
  if (refused.total === 0)
    return [fits('quota-not-enforced', { admitted: admittedTold, quota }, admittedBeyond.seqs)];
  const differs = fits('quota-differs', { found: admittedTold, promised: quota }, [
    ...admittedBeyond.seqs.slice(0, 2),
    ...refused.seqs.slice(0, 2),
  ]);
  if (admittedBeyond.total > 0) return [differs];
  const raced = fits('check-then-increment', { over: admittedTold - quota, quota }, refused.seqs);
  return admittedTold === quota + 1 ? [differs, raced] : [raced];
}

/** Too few: another quota, or another key that spends it. */
function tooFew({ account, admitted, refused }: Spending, found: number, promised: number): Suspect[] {
  const sharing = sharingAgainstPromise(account);
  const seqs = [...admitted.seqs.slice(-2), ...refused.seqs.slice(0, 2)];
  return sharing.length === 0
    ? [fits('quota-differs', { found, promised }, seqs)]
    : sharing.flatMap((role) => whyOtherAccount(role, account.of[role], seqs));
}

function judgeEdge(
  spending: Spending,
  { quota: { sessions, fresh }, ...profile }: Pick<Profile, 'quota'> & Redelivering,
): Edge {
  const { account, attempts, admitted, ambiguous, refused } = spending;
  const most = admitted.total + ambiguous.total;
  const bounds = { min: admitted.total, max: most };
  const shownAdmitted = countedRange(bounds, 'session');
  const were = verb(most, 'was', 'were');
  const where = onKeys(account.keys);
  if (attempts === 0) return inconclusive('No session was asked for on the quota key.');
  if (sessions === undefined) {
    return inconclusive(
      refused.total > 0
        ? `The quota was not told. Found out: ${shownAdmitted} ${were} admitted${where}, then 402 was answered.`
        : `The quota was not told, and ${counted(attempts, 'attempt')} did not reach it (${range(bounds)} admitted${where}).`,
    );
  }
  if (spending.admittedTold > sessions) {
    return {
      verdict: 'fail',
      explanation: `${counted(spending.admittedTold, 'session')} ${verb(spending.admittedTold, 'was', 'were')} admitted${onKeys(account.toldKeys)}, ${number(spending.admittedTold - sessions)} more than the quota of ${number(sessions)}.`,
      causes: tooMany(spending, sessions),
    };
  }
  if (admitted.total > sessions) {
    return inconclusive(
      `${counted(admitted.total, 'session')} ${verb(admitted.total, 'was', 'were')} admitted${where}, ${number(admitted.total - sessions)} more than the quota of ${number(sessions)}. The answers suggest that these keys share it, and the profile does not say so (${fieldsOf(account.keys.filter((key) => !account.toldKeys.includes(key)))}).`,
    );
  }
  if (refused.total === 0) {
    return inconclusive(
      `No attempt was refused with 402; ${range(bounds)} of ${number(attempts)} ${were} admitted${where}, with a quota of ${number(sessions)}.`,
    );
  }
  if (most < sessions) {
    const early = `402 was answered after ${shownAdmitted}${where}`;
    if (!fresh)
      return inconclusive(
        `${early}, of ${number(sessions)}; the profile does not say that the account was fresh, so others or earlier runs may have used the rest.`,
      );
    const by = canBeSpentBy(spending, sessions);
    if (by === 'redeliveries')
      return inconclusive(
        `${early}, of ${number(sessions)}; ${redeliveryText(profile)}, which may have spent the rest.`,
      );
    if (by === 'other-keys')
      return inconclusive(`${early}, of ${number(sessions)}; ${otherKeysText(spending)}.`);
    return {
      verdict: 'fail',
      explanation: `${early}, before the quota of ${number(sessions)} was spent.${sharedAgainstPromise(account)}`,
      causes: tooFew(spending, most, sessions),
    };
  }
  if (admitted.total !== most) {
    return inconclusive(
      `${shownAdmitted} ${were} admitted${where}, with a quota of ${number(sessions)}: ${counted(ambiguous.total, 'attempt')} got no clear answer.`,
    );
  }
  if (account.likelyKeys.length > 0) {
    return inconclusive(
      `Exactly ${sessions} sessions were admitted${where}, then 402 was answered. ${likelyKeysText(account)}.`,
    );
  }
  return {
    verdict: 'pass',
    explanation: `Exactly ${counted(sessions, 'session')} ${verb(sessions, 'was', 'were')} admitted${where}, then 402 was answered.`,
  };
}

function inconclusive(explanation: string): { readonly verdict: Verdict; readonly explanation: string } {
  return { verdict: 'inconclusive', explanation };
}
