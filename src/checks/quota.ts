import type { History } from '../history/history.ts';
import { readProbes } from './core/probes.ts';
import { judgeStored } from './core/stored.ts';
import { type CheckFinding, evidence } from './core/verdict.ts';
import { attemptOn, readAccount } from './quota/account.ts';
import { judgeConsumption } from './quota/consumption.ts';
import { checkClosed, checkEdge } from './quota/edge.ts';
import { judgeRace, readRace } from './quota/race.ts';
import { checkReads, readsAfterExpiry } from './quota/reads.ts';
import { judgeSharing } from './quota/sharing.ts';
import type { QuotaFinding, QuotaSpending } from './quota/spending.ts';
import { readSpending } from './quota/spending.ts';
import { checkStatus } from './quota/status.ts';
import { quotaOrder } from './rate-limit/study/judge-order.ts';
import { reason } from './reasons/reason.ts';

const ids = ['quota.edge', 'quota.closed', 'quota.status', 'quota.reads', 'quota.no-side-effect'] as const;

/** Whether the session quota of the `quota` key's account holds to the session. Nothing to judge when the run did not try it. */
export async function checkQuota(history: History): Promise<CheckFinding[]> {
  if (history.run.quota_attempts === 0) return [];
  if (history.run.keys.quota === undefined) {
    return ids.map((id) => ({
      id,
      verdict: 'inconclusive',
      observed: null,
      reasons: [reason('quota-without-key')],
    }));
  }
  const spending = await readSpending(history, await readAccount(history));
  const expired = await readsAfterExpiry(history);
  const probes = (await readProbes(history)).filter(({ seq }) => !expired.has(seq));
  const isStudied = history.run.studies?.some(({ kind }) => kind === 'quota') === true;
  return [
    { id: 'quota.edge', ...checkEdge(spending, history.profile) },
    { id: 'quota.closed', ...checkClosed(spending, history.profile) },
    { id: 'quota.status', ...(await checkStatus(history, spending)) },
    { id: 'quota.reads', ...checkReads(spending, probes, isStudied) },
    { id: 'quota.no-side-effect', ...(await judgeStored(history, rejectedOn(spending))) },
    ...(isStudied ? await checkStudied(history, spending) : []),
  ];
}

/** With 402, or before it came to that. */
const rejectedOn = ({ account }: QuotaSpending): Parameters<typeof judgeStored>[1] => ({
  probe: 'after-quota:analytics',
  among: attemptOn(account.keys),
  rejected: 'status BETWEEN 400 AND 499',
  status: 402,
});

/** What only a study of the quota tries; nothing for runs without one. */
async function checkStudied(history: History, spending: QuotaSpending): Promise<CheckFinding[]> {
  const race = readRace(spending);
  return [
    { id: 'quota.race', ...judgeRace(race, spending, history) },
    { id: 'quota.consumption', ...judgeConsumption(history, spending, race) },
    { id: 'quota.sharing', ...(await judgeSharing(history, spending)) },
    { id: 'quota.precedence', ...(await judgePrecedence(history)) },
  ];
}

async function judgePrecedence(history: History): Promise<QuotaFinding> {
  const [order] = await quotaOrder(history, 429);
  return {
    verdict: order?.verdict ?? 'inconclusive',
    observed: order?.text ?? null,
    reasons: [
      order === undefined
        ? reason('quota-precedence-untried')
        : order.verdict === 'fail'
          ? reason('quota-precedence-varies', { statuses: order.text })
          : reason('quota-precedence-found', { statuses: order.text }),
    ],
    evidence: order === undefined ? [] : [evidence('sessions requested with both spent', order.seqs)],
    causes: order?.causes ?? [],
  };
}
