import type { History } from '../../history/history.ts';
import type { CheckFinding } from '../core/verdict.ts';
import { quotaOrder } from '../rate-limit/study/judge-order.ts';
import { expects } from '../reasons/expected.ts';
import { reason } from '../reasons/reason.ts';
import { judgeConsumption } from './consumption.ts';
import { judgeRace, readRace } from './race.ts';
import { judgeSharing } from './sharing.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

/** What only a study of the quota tries; nothing for runs without one. */
export async function checkQuotaStudy(history: History, spending: QuotaSpending): Promise<CheckFinding[]> {
  const race = await readRace(history, spending);
  return [
    {
      id: 'quota.race',
      ...judgeRace(race, spending, history),
    },
    {
      id: 'quota.consumption',
      ...(await judgeConsumption(history, spending, race)),
    },
    {
      id: 'quota.sharing',
      ...(await judgeSharing(history, spending)),
    },
    {
      id: 'quota.precedence',
      ...(await judgePrecedence(history)),
    },
  ];
}

async function judgePrecedence(history: History): Promise<QuotaFinding> {
  const [order] = await quotaOrder(history, 429);
  return {
    verdict: order?.verdict ?? 'inconclusive',
    expected: expects('quota.precedence'),
    observed: order?.text ?? null,
    reasons: [
      order === undefined
        ? reason('quota-precedence-untried')
        : order.verdict === 'fail'
          ? reason('quota-precedence-varies', { statuses: order.text })
          : reason('quota-precedence-found', { statuses: order.text }),
    ],
    evidence:
      order === undefined
        ? []
        : [
            {
              what: 'sessions requested with both spent',
              seqs: order.seqs.slice(0, 10),
              total: order.seqs.length,
            },
          ],
    causes: order?.causes ?? [],
  };
}
