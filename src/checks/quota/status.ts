import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { shown } from '../causes/cause.ts';
import { areErrorsByChance, evidenceOf, type Found, firstSeqs, seqsColumn } from '../core/found.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { attemptOn, quotaPeriod } from './account.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

const statusRow = z.object({ status: z.number(), total: z.number(), seqs: seqsColumn });

/** Attempts after the quota was spent get 402; a 429 counts only where the rate limit does not explain it. */
export async function checkStatus(
  history: History,
  { account, attempts, spentNs }: QuotaSpending,
): Promise<QuotaFinding> {
  const attempt = `${attemptOn(account.keys)} ${(await quotaPeriod(history)).within}`;
  const beyond =
    spentNs === undefined
      ? []
      : await history.rows(
          statusRow,
          `SELECT status, count(*) AS total, ${firstSeqs} AS seqs FROM requests
           WHERE ${attempt} AND sent_ns > ${spentNs} AND status >= 300 AND status <> 429
             AND NOT (status >= 500 AND coalesce(probe, '') = 'precedence:create-session')
           GROUP BY status ORDER BY total DESC`,
        );
  const unexplained =
    spentNs === undefined ? { total: 0, seqs: [] } : await unexplained429(history, attempt, spentNs);
  const right = beyond.find((row) => row.status === 402);
  const isAllowed = right !== undefined && (await areErrorsByChance(history));
  const byChance = beyond.filter(({ status }) => isAllowed && status >= 500);
  const wrong = beyond.filter((row) => row.status !== 402 && !byChance.includes(row));
  const verdict =
    wrong.length > 0 || unexplained.total > 0 ? 'fail' : right === undefined ? 'inconclusive' : 'pass';
  const answers = wrong.map(({ status, total }) => ({ status, count: total }));
  const failures: Reason[] = [
    ...(answers.length > 0 ? [reason('quota-status-other', { answers })] : []),
    ...(unexplained.total > 0 ? [reason('quota-status-429', { count: unexplained.total })] : []),
  ];
  return {
    verdict,
    expected: 402,
    observed: {
      ...Object.fromEntries(beyond.map((row) => [String(row.status), row.total])),
      '429 below the rate limit': unexplained.total,
    },
    reasons:
      verdict === 'fail'
        ? failures
        : [
            right === undefined
              ? reason('quota-status-none', {
                  limited: spentNs === undefined ? 0 : attempts.filter((each) => each.status === 429).length,
                })
              : reason('quota-status-402', { rejected: right.total }),
            ...byChance.map(({ total }) => reason('explored-left-out', { answers: total })),
          ],
    evidence: [
      ...wrong.flatMap((row) => evidenceOf(`rejected with ${row.status}`, row)),
      ...evidenceOf('rejected with 429, which the rate limit does not explain', unexplained),
      ...(right === undefined ? [] : evidenceOf('rejected with 402', right)),
    ],
    causes: [...wrong, ...(unexplained.total > 0 ? [{ ...unexplained, status: 429 }] : [])].map(
      ({ seqs, status }) => shown('quota-status-wrong', { status }, seqs),
    ),
  };
}

/**
 * Attempts answered 429 although so little was sent that no limiter of the promised rate can have been full. Counted
 * over two windows and over all keys, so that neither a bucket, nor the window before, nor a shared limit explains it. A key
 * that got nothing but 429 since before the quota was spent is lost to the rate limit.
 */
async function unexplained429(history: History, attempt: string, spentNs: number): Promise<Found> {
  const { redeliveries, rate_limit } = history.profile;
  const { requests, windowMs } = rate_limit;
  const spanNs = 2 * windowMs * 1e6;
  const [found] = await history.rows(
    z.object({ total: z.number(), seqs: seqsColumn }),
    `WITH lost AS (
       SELECT credential FROM requests WHERE status IS NOT NULL GROUP BY credential
       HAVING arg_max(status, sent_ns) FILTER (sent_ns < ${spentNs}) = 429
         AND coalesce(max(sent_ns) FILTER (status <> 429), 0) < ${spentNs}),
     counted AS (
       SELECT *, count(*) OVER (ORDER BY sent_ns RANGE BETWEEN ${spanNs}::BIGINT PRECEDING AND CURRENT ROW) AS recent
       FROM requests WHERE sent_ns > ${spentNs - spanNs})
     SELECT count(*) AS total, ${firstSeqs} AS seqs FROM counted
     WHERE ${attempt} AND status = 429 AND sent_ns > ${spentNs} AND recent * ${redeliveries + 1} <= ${requests}
       AND credential NOT IN (FROM lost)`,
  );
  return found ?? { total: 0, seqs: [] };
}
