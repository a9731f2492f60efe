import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { shown } from '../../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import { lastProductAnswer } from '../../core/probes.ts';
import { mostSessionsSql } from '../../core/redeliveries.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';

const boundsRow = z.object({
  least: z.number(),
  most: z.number(),
  made: z.number(),
  limited: z.number(),
  limited_seqs: seqsColumn,
});

/** Sessions rejected with 429 are not stored: the analytics of their product count only admitted sessions. */
export async function judgeSideEffects(history: History, refusalStatus: number): Promise<CheckFinding> {
  const head = { id: 'rate-limit.no-side-effect' } as const;
  const answer = await lastProductAnswer(history, 'refused:analytics');
  const inconclusive = (why: Reason): CheckFinding => ({
    ...head,
    verdict: 'inconclusive',
    expected: expects('no-side-effect'),
    observed: answer?.total_sessions ?? null,
    reasons: [why],
    evidence: [],
  });
  if (answer?.product_id == null || answer.total_sessions === null)
    return inconclusive(reason('rejected-no-analytics'));
  const possible = `(${admitted} OR lost IS NOT NULL OR (status >= 500 AND status <> ${refusalStatus}))`;
  const [bounds] = await history.rows(
    boundsRow,
    `SELECT count(*) FILTER (${admitted}) AS least,
            count(*) FILTER (${possible}) AS most,
            coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS made,
            count(*) FILTER (status = ${refusalStatus}) AS limited,
            ${firstSeqs} FILTER (status = ${refusalStatus}) AS limited_seqs
     FROM requests WHERE endpoint = 'create-session' AND sent_ns IS NOT NULL AND product_id = $productId`,
    { productId: answer.product_id },
  );
  if (bounds === undefined) throw new Error('an aggregate without a row');
  const { least, most, made, limited, limited_seqs: seqs } = bounds;
  const told = answer.total_sessions;
  if (limited === 0) return inconclusive(reason('rejected-no-session'));
  if (told > most && told <= made && made > most)
    return inconclusive(
      reason('rejected-or-redelivered', { told, most, deliveries: history.profile.redeliveries + 1 }),
    );
  if (told > made + limited) return inconclusive(reason('rejected-more-than-sent', { told }));
  if (told > most) {
    return {
      ...head,
      verdict: 'fail',
      expected: { min: least, max: most },
      observed: told,
      reasons: [reason('rejected-stored', { told, most: made, isDelivered: made > most })],
      evidence: [evidence('rejected', seqs), evidence('the analytics', [answer.seq])],
      causes: [
        shown('rejections-have-effects', { sessions: told - made, status: refusalStatus }, [
          ...seqs.slice(0, 3),
          answer.seq,
        ]),
      ],
    };
  }
  if (told < least) return inconclusive(reason('rejected-untold', { told, least }));
  return {
    ...head,
    verdict: 'pass',
    expected: { min: least, max: most },
    observed: told,
    reasons: [reason('rejected-not-stored', { limited, least, told })],
    evidence: [evidence('rejected', seqs)],
  };
}
