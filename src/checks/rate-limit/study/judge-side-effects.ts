import { z } from 'zod';
import { counted, number, verb } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { shown } from '../../diagnosis/cause.ts';
import { admitted, firstSeqs, seqsColumn, sqlText } from '../../found.ts';
import { mostSessionsSql, redeliveryText } from '../../redeliveries.ts';
import { type CheckResult, evidence } from '../../verdict.ts';

const answerRow = z.object({
  seq: z.number(),
  product_id: z.string().nullable(),
  total_sessions: z.number().nullable(),
});
const boundsRow = z.object({
  least: z.number(),
  most: z.number(),
  made: z.number(),
  limited: z.number(),
  limited_seqs: seqsColumn,
});

/** Sessions refused with 429 leave nothing behind: the analytics of their product count only those that were admitted. */
export async function judgeSideEffects(history: History, refusalStatus: number): Promise<CheckResult> {
  const head = {
    id: 'rate-limit.no-side-effect',
    title: 'A session that is rejected with 429 is not created',
  } as const;
  const [answer] = await history.rows(
    answerRow,
    `SELECT a.seq, json_extract_string(query, '$.product_id') AS product_id,
            try_cast(json_extract_string(body, '$.total_sessions') AS DOUBLE) AS total_sessions
     FROM answers a JOIN requests r ON r.seq = a.seq
     WHERE probe = 'refused:analytics' AND ${admitted} ORDER BY a.seq DESC LIMIT 1`,
  );
  const inconclusive = (explanation: string): CheckResult => ({
    ...head,
    verdict: 'inconclusive',
    expected: 'the sessions admitted',
    observed: answer?.total_sessions ?? null,
    explanation,
    evidence: [],
  });
  if (answer?.product_id == null || answer.total_sessions === null)
    return inconclusive('The analytics of the refused sessions were not answered.');
  const possible = `(${admitted} OR lost IS NOT NULL OR (status >= 500 AND status <> ${refusalStatus}))`;
  const [bounds] = await history.rows(
    boundsRow,
    `SELECT count(*) FILTER (${admitted}) AS least,
            count(*) FILTER (${possible}) AS most,
            coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS made,
            count(*) FILTER (status = ${refusalStatus}) AS limited,
            ${firstSeqs} FILTER (status = ${refusalStatus}) AS limited_seqs
     FROM requests WHERE endpoint = 'create-session' AND sent_ns IS NOT NULL AND product_id = ${sqlText(answer.product_id)}`,
  );
  if (bounds === undefined) throw new Error('an aggregate without a row');
  const { least, most, made, limited, limited_seqs: seqs } = bounds;
  const told = answer.total_sessions;
  if (limited === 0) return inconclusive('No session was refused for the rate.');
  if (told > most && told <= made && made > most)
    return inconclusive(
      `Analytics count ${counted(told, 'session')} of a product for which at most ${number(most)} ${verb(most, 'was', 'were')} admitted; ${redeliveryText(history.profile)}, so that nothing shows whether refused ones were stored.`,
    );
  if (told > made + limited)
    return inconclusive(
      `Analytics count ${counted(told, 'session')} of a product for which fewer were ever asked for.`,
    );
  if (told > most) {
    return {
      ...head,
      verdict: 'fail',
      expected: { min: least, max: most },
      observed: told,
      explanation: `Analytics count ${counted(told, 'session')} of a product for which at most ${number(made)} ${verb(made, 'was', 'were')} ${made > most ? 'made' : 'admitted'}: refused ones were stored.`,
      evidence: [evidence('refused', seqs), evidence('the analytics', [answer.seq])],
      causes: [
        shown('rejections-have-effects', { sessions: told - made, status: refusalStatus }, [
          ...seqs.slice(0, 3),
          answer.seq,
        ]),
      ],
    };
  }
  if (told < least)
    return inconclusive(
      `Analytics count ${counted(told, 'session')} of at least ${number(least)} admitted, so they cannot show what refused ones left.`,
    );
  return {
    ...head,
    verdict: 'pass',
    expected: { min: least, max: most },
    observed: told,
    explanation: `${counted(limited, 'session')} of one product ${verb(limited, 'was', 'were')} refused for the rate and ${number(least)} admitted; its analytics count ${number(told)}.`,
    evidence: [evidence('refused', seqs)],
  };
}
