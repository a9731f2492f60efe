import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { evidenceOf, firstSeqs, seqsColumn } from '../found.ts';
import type { CheckResult } from '../verdict.ts';
import { blame, cutOff } from './cut-off.ts';

const foundRow = z.object({ total: z.number(), seqs: seqsColumn });

/** Every act of a shopper belongs to the request that carried it, and each request has as many as it says. */
export async function checkInteractions(history: History): Promise<CheckResult> {
  const [strays] = await history.rows(
    foundRow,
    `SELECT count(*) AS total, min(i.seq, 10) AS seqs FROM interactions i
     ANTI JOIN (SELECT seq, session_id FROM requests WHERE endpoint = 'interact') r
       ON r.seq = i.seq AND r.session_id IS NOT DISTINCT FROM i.session_id`,
  );
  // Acts of a request that was never sent may or may not have been noted; they never happened.
  const [unequal] = await history.rows(
    foundRow,
    `WITH acts AS (SELECT seq, count(*) AS acts FROM interactions GROUP BY seq)
     SELECT count(*) AS total, ${firstSeqs} AS seqs FROM requests LEFT JOIN acts USING (seq)
     WHERE endpoint = 'interact' AND coalesce(acts, 0) <> coalesce(items, 0)
       AND NOT (not_sent IS NOT NULL AND acts IS NULL)`,
  );
  const [all] = await history.rows(
    z.object({ acts: z.number() }),
    'SELECT count(*) AS acts FROM interactions',
  );
  const strayTotal = strays?.total ?? 0;
  const unequalTotal = unequal?.total ?? 0;
  const reason = cutOff(history);
  const wrong = strayTotal + unequalTotal;
  return {
    id: 'books.interactions',
    title: 'Every act belongs to the request that carried it',
    // The files are written side by side, so a cut may leave one ahead of the other.
    verdict: wrong === 0 ? 'pass' : reason === undefined ? 'fail' : 'inconclusive',
    expected: { 'acts without their request': 0, 'requests with another number of acts': 0 },
    observed: {
      acts: all?.acts ?? 0,
      'acts without their request': strayTotal,
      'requests with another number of acts': unequalTotal,
    },
    explanation:
      wrong === 0
        ? `All ${all?.acts ?? 0} acts belong to the request that carried them.`
        : reason === undefined
          ? `Acts and requests do not match, ${blame}.`
          : `Acts and requests do not match; ${reason}.`,
    evidence: [
      ...(strays === undefined ? [] : evidenceOf('acts without their request', strays)),
      ...(unequal === undefined ? [] : evidenceOf('requests with another number of acts', unequal)),
    ],
  };
}
