import { z } from 'zod';
import { counted, number, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { fits } from '../diagnosis/cause.ts';
import { admitted, sqlText } from '../found.ts';
import { mostSessionsSql, redeliveryText } from '../redeliveries.ts';
import { type CheckResult, evidence } from '../verdict.ts';
import { attemptOn } from './account.ts';
import { possible } from './outcomes.ts';
import type { Judged, Spending } from './spending.ts';

const answerRow = z.object({
  seq: z.number(),
  product_id: z.string().nullable(),
  total_sessions: z.number().nullable(),
});
const boundsRow = z.object({ least: z.number(), most: z.number(), made: z.number(), refused: z.number() });

/** The analytics of the quota's account count the sessions admitted and none that was refused. */
export async function checkNoSideEffect(history: History, { account }: Spending): Promise<Judged> {
  const [answer] = await history.rows(
    answerRow,
    `SELECT a.seq, json_extract_string(query, '$.product_id') AS product_id,
            try_cast(json_extract_string(body, '$.total_sessions') AS DOUBLE) AS total_sessions
     FROM answers a JOIN requests r ON r.seq = a.seq
     WHERE probe = 'after-quota:analytics' AND ${admitted} ORDER BY a.seq DESC LIMIT 1`,
  );
  if (answer === undefined || answer.total_sessions === null) {
    return inconclusive('The analytics of the account were not answered after the quota was spent.');
  }
  if (answer.product_id === null) {
    return inconclusive(
      'The analytics were not asked for one product, so they may count more than this run.',
    );
  }
  const [bounds] = await history.rows(
    boundsRow,
    `SELECT count(*) FILTER (${admitted}) AS least, count(*) FILTER (${possible}) AS most,
            coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS made,
            count(*) FILTER (status BETWEEN 400 AND 499) AS refused
     FROM requests WHERE ${attemptOn(account.keys)} AND product_id = ${sqlText(answer.product_id)}`,
  );
  if (bounds === undefined) throw new Error('an aggregate without a row');
  const { least, most, made, refused } = bounds;
  const told = answer.total_sessions;
  const verdict =
    told > made ? 'fail' : told > most || told < least || refused === 0 ? 'inconclusive' : 'pass';
  return {
    verdict,
    expected: { min: least, max: most },
    observed: told,
    explanation:
      verdict === 'fail'
        ? `Analytics count ${counted(told, 'session')}, and at most ${number(made)} ${verb(made, 'was', 'were')} ${made > most ? 'made' : 'admitted'}: refused ones were stored, or a request made more than one (as where a gateway delivers it twice; the profile can say so: redeliveries).`
        : told > most
          ? `Analytics count ${counted(told, 'session')}, and at most ${number(most)} ${verb(most, 'was', 'were')} admitted; ${redeliveryText(history.profile)}, so that nothing shows whether refused ones were stored.`
          : told < least
            ? `Analytics count ${counted(told, 'session')} of at least ${number(least)} admitted, so they cannot show whether refused ones were stored.`
            : refused === 0
              ? 'No session was refused, so there is nothing that could have been stored wrongly.'
              : `Analytics count ${counted(told, 'session')}; of ${number(refused)} that ${verb(refused, 'was', 'were')} refused none is among them.`,
    evidence: [evidence('the analytics asked after the quota was spent', [answer.seq])],
    causes: [fits('rejections-have-effects', { sessions: told - made, status: 402 }, [answer.seq])],
  };
}

function inconclusive(
  explanation: string,
): Pick<CheckResult, 'verdict' | 'expected' | 'observed' | 'explanation' | 'evidence'> {
  return {
    verdict: 'inconclusive',
    expected: 'the sessions admitted',
    observed: null,
    explanation,
    evidence: [],
  };
}
