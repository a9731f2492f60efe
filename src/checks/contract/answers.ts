import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Endpoint } from '../../vocabulary/requests.ts';
import { caused, fits, shown } from '../diagnosis/cause.ts';
import { interfaceEndpoints } from '../diagnosis/requests.ts';
import { admitted, firstSeqs, seqsColumn } from '../found.ts';
import { isProbe, isProbeOf } from '../probe-names.ts';
import { expects } from '../reasons/expected.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { type CheckFinding, evidence } from '../verdict.ts';
import { strayDates } from './dates.ts';
import { firstReasons } from './first-reasons.ts';
import { idReasons } from './session-ids.ts';

/** Where the interface promises 200 and not just any success. */
const promises200: readonly Endpoint[] = ['create-session', 'analytics'];

const seenRow = z.object({
  endpoint: z.string(),
  status: z.number(),
  problem: z.string().nullable(),
  total: z.number(),
  seqs: seqsColumn,
});

/** Fields, types and headers of every 2xx answer, and the status where one is promised. */
export async function checkAnswers(history: History): Promise<CheckFinding> {
  // A 2xx for a probe that must be rejected has no promised form; the check that sent it judges it.
  const seen = await history.rows(
    seenRow,
    `SELECT endpoint, status, problem, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE ${admitted} AND (probe IS NULL OR NOT (
       ${isProbeOf('no-key')} OR ${isProbeOf('bad-key')} OR ${isProbeOf('near-key')} OR ${isProbeOf('invalid')}
       OR ${isProbe('unknown-session')} OR ${isProbeOf('unknown-catalog')} OR ${isProbeOf('tenancy')}
       OR ${isProbe('malformed:list', 'loaded:bad-key')}))
     GROUP BY ALL ORDER BY total DESC, endpoint, problem`,
  );
  const malformed = seen.filter((row) => row.problem !== null);
  const otherStatus = seen.filter(
    (row) => row.status !== 200 && promises200.some((name) => name === row.endpoint),
  );
  const unseen = interfaceEndpoints.filter((name) => !seen.some((row) => row.endpoint === name));
  const wrong: Reason[] = [
    ...malformed.map(({ endpoint, problem, total }) =>
      reason('answers-form-wrong', { endpoint, problem: problem ?? '', answers: total }),
    ),
    ...otherStatus
      .filter((row) => row.problem === null)
      .map(({ endpoint, status, total }) =>
        reason('answers-status-wrong', { endpoint, status, answers: total }),
      ),
  ];
  const stray = await strayDates(history);
  if (stray !== undefined) wrong.push(reason('answers-dates-apart', { apartMs: stray.apartMs }));
  const verdict = wrong.length > 0 ? 'fail' : unseen.length > 0 ? 'inconclusive' : 'pass';
  const answered: Record<string, number> = {};
  for (const row of seen) answered[row.endpoint] = (answered[row.endpoint] ?? 0) + row.total;
  return {
    id: 'contract.answers',
    verdict,
    expected: expects('contract.answers'),
    observed: { 'answers read': answered, problems: wrong.length },
    reasons: [
      ...(verdict === 'fail'
        ? firstReasons(wrong)
        : verdict === 'inconclusive'
          ? [reason('answers-unseen', { endpoints: unseen })]
          : [
              reason('answers-as-promised', {
                answers: Object.values(answered).reduce((sum, each) => sum + each, 0),
              }),
            ]),
      ...(await idReasons(history)),
    ],
    evidence: [
      ...[...malformed, ...otherStatus].slice(0, 10).map((row) => ({
        what: `${row.endpoint} ${row.status}: ${row.problem ?? 'not 200'}`,
        seqs: row.seqs,
        total: row.total,
      })),
      ...(stray === undefined ? [] : [evidence('dates that no clock can have shown', stray.seqs)]),
    ],
    ...caused([
      ...malformed.map(({ endpoint, problem, seqs }) =>
        fits('answers-malformed', { endpoint, problem: problem ?? '' }, seqs),
      ),
      ...(stray === undefined ? [] : [fits('dates-apart', { apartMs: stray.apartMs }, stray.seqs)]),
      ...otherStatus.map(({ endpoint, seqs, status }) =>
        shown('success-status-wrong', { endpoint, status }, seqs),
      ),
    ]),
  };
}
