import { z } from 'zod';
import { listed, number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import type { Endpoint } from '../../history/record.ts';
import { caused, fits, shown } from '../diagnosis/cause.ts';
import { interfaceEndpoints } from '../diagnosis/requests.ts';
import { admitted, firstSeqs, seqsColumn } from '../found.ts';
import type { CheckResult } from '../verdict.ts';

/** Where the interface promises 200 and not just any success. */
const promises200: readonly Endpoint[] = ['create-session', 'analytics'];

const seenRow = z.object({
  endpoint: z.string(),
  status: z.number(),
  problem: z.string().nullable(),
  total: z.number(),
  seqs: seqsColumn,
});

/** Fields and types of every 2xx answer, and the status where one is promised. */
export async function checkAnswers(history: History): Promise<CheckResult> {
  // Probes that had to be refused are judged by the checks that asked; a 2xx there has no promised form, and neither has
  // the list of what ought to be in none.
  const seen = await history.rows(
    seenRow,
    `SELECT endpoint, status, problem, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE ${admitted} AND NOT starts_with(coalesce(probe, ''), 'no-key:') AND NOT starts_with(coalesce(probe, ''), 'bad-key:')
       AND NOT starts_with(coalesce(probe, ''), 'near-key:')
       AND NOT starts_with(coalesce(probe, ''), 'unknown-') AND NOT starts_with(coalesce(probe, ''), 'tenancy:')
       AND coalesce(probe, '') NOT IN ('malformed:list', 'loaded:bad-key')
     GROUP BY ALL ORDER BY total DESC, endpoint, problem`,
  );
  const malformed = seen.filter((row) => row.problem !== null);
  const otherStatus = seen.filter(
    (row) => row.status !== 200 && promises200.some((name) => name === row.endpoint),
  );
  const unseen = interfaceEndpoints.filter((name) => !seen.some((row) => row.endpoint === name));
  const wrong = [
    ...malformed.map((row) => `${row.endpoint}: ${row.problem} (${number(row.total)}×)`),
    ...otherStatus
      .filter((row) => row.problem === null)
      .map((row) => `${row.endpoint}: status ${row.status} where 200 is promised (${number(row.total)}×)`),
  ];
  const verdict = wrong.length > 0 ? 'fail' : unseen.length > 0 ? 'inconclusive' : 'pass';
  const answered: Record<string, number> = {};
  for (const row of seen) answered[row.endpoint] = (answered[row.endpoint] ?? 0) + row.total;
  return {
    id: 'contract.answers',
    title: 'Successful answers have the promised status, fields and types',
    verdict,
    expected:
      'every 2xx answer readable as the interface describes it; 200 from POST /sessions and GET /analytics/sessions',
    observed: { 'answers read': answered, problems: wrong.slice(0, 20) },
    explanation:
      verdict === 'fail'
        ? `Answers are not as promised: ${listed(wrong)}.`
        : verdict === 'inconclusive'
          ? `No successful answer was seen from ${listed(unseen)}, so nothing is known of its form.`
          : 'Every successful answer had the promised status, fields and types.',
    evidence: [...malformed, ...otherStatus].slice(0, 10).map((row) => ({
      what: `${row.endpoint} ${row.status}: ${row.problem ?? 'not 200'}`,
      seqs: row.seqs,
      total: row.total,
    })),
    ...caused([
      ...malformed.map(({ endpoint, problem, seqs }) =>
        fits('answers-malformed', { endpoint, problem: problem ?? '' }, seqs),
      ),
      ...otherStatus.map(({ endpoint, seqs, status }) =>
        shown('success-status-wrong', { endpoint, status }, seqs),
      ),
    ]),
  };
}
