import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { counted, evidenceOf, find } from '../found.ts';
import type { Verdict } from '../verdict.ts';
import type { Judged, Spending } from './spending.ts';

/** Whether the quota that was spent is also that of the run's other keys, by what each could open before and after. */
export async function judgeSharing(history: History, spending: Spending): Promise<Judged> {
  const spentNs = spending.spentNs;
  const isSpent = spending.refused.total > 0 && spentNs !== undefined;
  const asked = (probe: string, when: string): Promise<number | undefined> =>
    statusOf(history, `probe = '${probe}' AND ${when}`);
  const earlier = `answered_ns < ${spentNs ?? 0}`;
  const later = `sent_ns > ${spentNs ?? 0}`;
  const twinBefore = await asked('quota:twin', earlier);
  const twin = await asked('quota:twin', later);
  const before = await asked('quota:other-account', earlier);
  const after = await asked('quota:other-account', later);
  const { data_scope, quota, redeliveries } = history.profile;
  const promise = quota.twin;
  // One session before and one after, each delivered so often, are all that a key is asked for: no more than that spends its own.
  const mayBeOwn = (sessions: number | undefined): boolean =>
    redeliveries > 0 && (sessions ?? 0) <= 2 * redeliveries + 1;
  const parts: { readonly verdict: Verdict; readonly text: string }[] = [];
  if (!isSpent) parts.push({ verdict: 'inconclusive', text: 'The quota was not spent.' });
  if (isSpent && after !== undefined && before !== undefined) {
    parts.push(
      judgeShared(
        'bystander',
        before,
        after,
        data_scope === 'per-key' ? 'other-account' : 'discover',
        mayBeOwn(undefined),
      ),
    );
  }
  if (isSpent && twin !== undefined && twinBefore !== undefined)
    parts.push(judgeShared('twin', twinBefore, twin, promise, mayBeOwn(quota.sessions)));
  if (parts.length === 0) parts.push({ verdict: 'inconclusive', text: 'No other key was tried.' });
  const seqs = await find(history, "probe IN ('quota:twin', 'quota:other-account') AND sent_ns IS NOT NULL");
  return {
    verdict: parts.some(({ verdict }) => verdict === 'fail')
      ? 'fail'
      : parts.some(({ verdict }) => verdict === 'inconclusive')
        ? 'inconclusive'
        : 'pass',
    expected: { bystander: 'its own quota', twin: promise },
    observed: {
      'twin before': twinBefore ?? null,
      'twin after': twin ?? null,
      'bystander before': before ?? null,
      'bystander after': after ?? null,
    },
    explanation: parts.map(({ text }) => text).join(' '),
    evidence: evidenceOf(counted(seqs.total, 'session'), seqs),
  };
}

/**
 * A key that could open a session before the quota of another was spent, and what it could after. `mayBeOwn`: what was asked
 * for on it may have spent a quota of its own.
 */
function judgeShared(
  key: string,
  before: number,
  after: number,
  promise: 'discover' | 'same-account' | 'other-account',
  mayBeOwn: boolean,
): { readonly verdict: Verdict; readonly text: string } {
  const isShared = after === 402;
  if (before >= 300 || (!isShared && after >= 300))
    return {
      verdict: 'inconclusive',
      text: `The ${key} key was answered ${before} before, and ${after} after.`,
    };
  if (isShared && mayBeOwn)
    return {
      verdict: 'inconclusive',
      text: `The ${key} key was refused with 402 as well; redeliveries of its own sessions may have spent its own quota.`,
    };
  const contradicts = promise !== 'discover' && isShared !== (promise === 'same-account');
  return {
    verdict: contradicts ? 'fail' : 'pass',
    text: `The quota of the ${key} key is ${isShared ? 'shared with' : 'separate from'} that of the quota key${contradicts ? `, and the profile says ${promise}` : ''}.`,
  };
}

const statusRow = z.object({ status: z.number() });

async function statusOf(history: History, where: string): Promise<number | undefined> {
  const [row] = await history.rows(
    statusRow,
    `SELECT status FROM requests WHERE ${where} AND status IS NOT NULL ORDER BY sent_ns LIMIT 1`,
  );
  return row?.status;
}
