import type { History } from '../history/history.ts';
import type { CheckId } from './check-ids.ts';
import { readProbes } from './probes.ts';
import { readAccount } from './quota/account.ts';
import { checkClosed } from './quota/closed.ts';
import { checkEdge } from './quota/edge.ts';
import { checkNoSideEffect } from './quota/no-side-effect.ts';
import { checkReads } from './quota/reads.ts';
import { readSpending } from './quota/spending.ts';
import { checkStatus } from './quota/status.ts';
import { checkQuotaStudy } from './quota/study.ts';
import type { CheckResult } from './verdict.ts';

const titles = {
  'quota.edge': 'Exactly as many sessions as the quota allows are created, then 402',
  'quota.closed': 'After the first 402, no further session is created',
  'quota.status': 'A session over the quota gets 402 and no other status',
  'quota.reads': 'A spent quota does not affect reads',
  'quota.no-side-effect': 'Sessions over the quota are not stored',
} as const satisfies Partial<Record<CheckId, string>>;

/** Whether the session quota of the `quota` key's account holds to the session. Nothing to judge when the run did not try it. */
export async function checkQuota(history: History): Promise<CheckResult[]> {
  if (history.run.quota_attempts === 0) return [];
  if (history.run.keys.quota === undefined) {
    return Object.entries(titles).map(([id, title]) => ({
      id: id as keyof typeof titles,
      title,
      verdict: 'inconclusive',
      expected: 'a key whose plan has a small session quota',
      observed: null,
      explanation: 'No key was given for role quota.',
      evidence: [],
    }));
  }
  const spending = await readSpending(history, await readAccount(history));
  const probes = await readProbes(history);
  const isStudied = history.run.studies?.some(({ kind }) => kind === 'quota') === true;
  const results: CheckResult[] = [
    { id: 'quota.edge', title: titles['quota.edge'], ...checkEdge(spending, history.profile) },
    { id: 'quota.closed', title: titles['quota.closed'], ...checkClosed(spending) },
    { id: 'quota.status', title: titles['quota.status'], ...(await checkStatus(history, spending)) },
    { id: 'quota.reads', title: titles['quota.reads'], ...checkReads(spending, probes, isStudied) },
    {
      id: 'quota.no-side-effect',
      title: titles['quota.no-side-effect'],
      ...(await checkNoSideEffect(history, spending)),
    },
    ...(isStudied ? await checkQuotaStudy(history, spending) : []),
  ];
  return results;
}
