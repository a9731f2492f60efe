import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { fits } from '../causes/cause.ts';
import { admitted } from '../core/found.ts';
import { lastProductAnswer } from '../core/probes.ts';
import { mostSessionsSql } from '../core/redeliveries.ts';
import { evidence } from '../core/verdict.ts';
import { expects } from '../reasons/expected.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { attemptOn, possible } from './account.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

const boundsRow = z.object({
  least: z.number(),
  most: z.number(),
  made: z.number(),
  rejected: z.number(),
  over_quota: z.number(),
});

/** The analytics of the quota's account count the sessions admitted and none that was rejected. */
export async function checkNoSideEffect(history: History, { account }: QuotaSpending): Promise<QuotaFinding> {
  const answer = await lastProductAnswer(history, 'after-quota:analytics');
  if (answer === undefined || answer.total_sessions === null) {
    return inconclusive(reason('quota-stored-unanswered'));
  }
  if (answer.product_id === null) {
    return inconclusive(reason('quota-stored-all-products'));
  }
  const [bounds] = await history.rows(
    boundsRow,
    `SELECT count(*) FILTER (${admitted}) AS least, count(*) FILTER (${possible}) AS most,
            coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS made,
            count(*) FILTER (status BETWEEN 400 AND 499) AS rejected,
            count(*) FILTER (status = 402) AS over_quota
     FROM requests WHERE ${attemptOn(account.keys)} AND product_id = $productId`,
    { productId: answer.product_id },
  );
  if (bounds === undefined) throw new Error('an aggregate without a row');
  const { least, most, made, over_quota: overQuota, rejected } = bounds;
  const told = answer.total_sessions;
  const verdict =
    told > made ? 'fail' : told > most || told < least || rejected === 0 ? 'inconclusive' : 'pass';
  return {
    verdict,
    expected: { min: least, max: most },
    observed: told,
    reasons:
      verdict === 'fail'
        ? [
            reason('quota-stored', {
              counted: told,
              most: made,
              how: made > most ? 'made' : 'admitted',
            }),
          ]
        : told > most
          ? [
              reason('quota-stored-in-doubt', { counted: told, most }),
              reason('redelivered', { deliveries: history.profile.redeliveries + 1 }),
            ]
          : told < least
            ? [reason('quota-stored-too-few', { counted: told, least })]
            : rejected === 0
              ? [reason('quota-stored-none-rejected')]
              : [reason('quota-not-stored', { counted: told, rejected, overQuota })],
    evidence: [evidence('the analytics asked after the quota was spent', [answer.seq])],
    causes: [fits('rejections-have-effects', { sessions: told - made, status: 402 }, [answer.seq])],
  };
}

function inconclusive(why: Reason): QuotaFinding {
  return {
    verdict: 'inconclusive',
    expected: expects('no-side-effect'),
    observed: null,
    reasons: [why],
  };
}
