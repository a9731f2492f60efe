import type { Profile } from '../../target/profile.ts';
import { counted, evidenceOf } from '../found.ts';
import { type Redelivering, redeliveryText } from '../redeliveries.ts';
import type { Verdict } from '../verdict.ts';
import type { Judged, Spending } from './spending.ts';

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
  { attempts, admitted, ambiguous, mostMade, refused, onOtherKeys }: Spending,
  { quota: { sessions, fresh }, ...profile }: Pick<Profile, 'quota'> & Redelivering,
): { readonly verdict: Verdict; readonly explanation: string } {
  const most = admitted.total + ambiguous.total;
  const shownAdmitted = most === admitted.total ? String(most) : `${admitted.total} to ${most}`;
  if (attempts === 0) return inconclusive('No session was asked for on the quota key.');
  if (sessions === undefined) {
    return inconclusive(
      refused.total > 0
        ? `The quota was not told. Found out: ${shownAdmitted} sessions were admitted, then 402 was answered.`
        : `The quota was not told, and ${counted(attempts, 'attempt')} did not reach it (${shownAdmitted} admitted).`,
    );
  }
  if (admitted.total > sessions) {
    return {
      verdict: 'fail',
      explanation: `${admitted.total} sessions were admitted, ${admitted.total - sessions} more than the quota of ${sessions}.`,
    };
  }
  if (refused.total === 0) {
    return inconclusive(
      `No attempt was refused with 402; ${shownAdmitted} of ${attempts} were admitted, with a quota of ${sessions}.`,
    );
  }
  if (most < sessions && fresh && mostMade >= sessions) {
    return inconclusive(
      `402 was answered after ${shownAdmitted} sessions of ${sessions}; ${redeliveryText(profile)}, which may have spent the rest.`,
    );
  }
  if (most < sessions && fresh && Math.max(most, mostMade) + onOtherKeys >= sessions) {
    return inconclusive(
      `402 was answered after ${shownAdmitted} sessions of ${sessions}; sessions on other keys make up for the rest, if these are of the same account (profile: data_scope).`,
    );
  }
  if (most < sessions) {
    return fresh
      ? {
          verdict: 'fail',
          explanation: `402 was answered after ${shownAdmitted} sessions, before the quota of ${sessions} was spent.`,
        }
      : inconclusive(
          `402 was answered after ${shownAdmitted} sessions of ${sessions}; the profile does not say that the account was fresh, so others or earlier runs may have used the rest.`,
        );
  }
  if (admitted.total !== most) {
    return inconclusive(
      `${shownAdmitted} sessions were admitted, with a quota of ${sessions}: ${counted(ambiguous.total, 'attempt')} got no clear answer.`,
    );
  }
  return {
    verdict: 'pass',
    explanation: `Exactly ${sessions} sessions were admitted, then 402 was answered.`,
  };
}

function inconclusive(explanation: string): { readonly verdict: Verdict; readonly explanation: string } {
  return { verdict: 'inconclusive', explanation };
}
