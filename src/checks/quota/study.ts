import type { History } from '../../history/history.ts';
import { quotaOrder } from '../rate-limit/study/judge-order.ts';
import type { CheckResult } from '../verdict.ts';
import { judgeConsumption } from './consumption.ts';
import { judgeRace, readRace } from './race.ts';
import { judgeSharing } from './sharing.ts';
import type { Judged, Spending } from './spending.ts';

/** What only a study of the quota tries; nothing for runs without one. */
export async function checkQuotaStudy(history: History, spending: Spending): Promise<CheckResult[]> {
  const race = await readRace(history, spending);
  return [
    {
      id: 'quota.race',
      title: 'Sessions created at the same time do not exceed the quota',
      ...judgeRace(race, spending, history),
    },
    {
      id: 'quota.consumption',
      title: 'Only created sessions count against the quota',
      ...(await judgeConsumption(history, spending, race)),
    },
    {
      id: 'quota.sharing',
      title: 'Keys of one account share a quota, and other keys do not',
      ...(await judgeSharing(history, spending)),
    },
    {
      id: 'quota.precedence',
      title: 'With quota and rate limit both spent, a new session always gets the same status',
      ...(await judgePrecedence(history)),
    },
  ];
}

async function judgePrecedence(history: History): Promise<Judged> {
  const [order] = await quotaOrder(history, 429);
  return {
    verdict: order?.verdict ?? 'inconclusive',
    expected: 'always 402, or always 429',
    observed: order?.text ?? null,
    explanation:
      order === undefined
        ? 'No session was asked for with both spent.'
        : order.verdict === 'fail'
          ? `With quota and rate limit both spent, sessions were refused with ${order.text}.`
          : `With quota and rate limit both spent: ${order.text}.`,
    evidence:
      order === undefined
        ? []
        : [
            {
              what: 'sessions asked for with both spent',
              seqs: order.seqs.slice(0, 10),
              total: order.seqs.length,
            },
          ],
    causes: order?.causes ?? [],
  };
}
