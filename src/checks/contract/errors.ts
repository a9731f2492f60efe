import { z } from 'zod';
import { all, counted, listed, number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { isChannelOpen } from '../../target/channel.ts';
import { latestSql, setClock } from '../analytics/moved-clock.ts';
import { caused, fits, type Suspect } from '../diagnosis/cause.ts';
import { admitted, find, firstSeqs, seqsColumn } from '../found.ts';
import type { CheckResult, Verdict } from '../verdict.ts';

const statusRow = z.object({
  stage: z.string(),
  endpoint: z.string(),
  status: z.number(),
  total: z.number(),
  seqs: seqsColumn,
});
type StatusRow = z.output<typeof statusRow>;

/**
 * Ordinary requests, which are all valid, get a success, a 429, or (a new session) a 402, and nothing else. Whether a
 * 429 or 402 was right is for the checks of the limits.
 */
export async function checkErrors(history: History): Promise<CheckResult> {
  const answered = await find(history, 'probe IS NULL AND status IS NOT NULL');
  const lost = await find(history, 'probe IS NULL AND lost IS NOT NULL');
  // What becomes of a session after its expiry is not shown, so refusing it then is no error.
  const unexpected = await history.rows(
    statusRow,
    `WITH expiries AS (SELECT session_id, min(try_cast(replace(left(expires_at, 19), 'T', ' ') AS TIMESTAMP)) AS expiry
                       FROM requests WHERE endpoint = 'create-session' AND session_id IS NOT NULL GROUP BY session_id),
     odd AS (SELECT * FROM requests WHERE probe IS NULL AND NOT ${admitted} AND status <> 429
             AND NOT (status = 402 AND endpoint = 'create-session'))
     SELECT stage, endpoint, status, count(*) AS total, ${firstSeqs} AS seqs
     FROM odd LEFT JOIN expiries USING (session_id)
     WHERE NOT coalesce(status IN (401, 403, 404, 410) AND endpoint IN ('read-session', 'interact')
       AND epoch_ms(expiry) <= ${latestSql(await setClock(history), 'answered_ns')} + ${history.profile.clock_skew_bound}, false)
     GROUP BY ALL ORDER BY total DESC, endpoint, status, stage`,
  );
  const excuses = await findExcuses(history);
  const excused = unexpected.filter((row) => excuses(row) !== undefined);
  const errors = unexpected.filter((row) => excuses(row) === undefined);
  const verdict: Verdict =
    errors.length > 0
      ? 'fail'
      : answered.total === 0 || excused.some((row) => excuses(row) !== settled)
        ? 'inconclusive'
        : 'pass';
  const serverErrors = total(errors.filter((row) => row.status >= 500));
  return {
    id: 'contract.errors',
    title: 'Valid requests get only 2xx, 429, or 402 for a new session',
    verdict,
    expected: 'no other status on a valid request',
    observed: {
      answered: answered.total,
      'without an answer': lost.total,
      unexpected: Object.fromEntries(
        unexpected.map((row) => [`${row.stage}: ${row.endpoint} ${row.status}`, row.total]),
      ),
    },
    explanation:
      verdict === 'fail'
        ? `Valid requests were answered with ${listed(errors.map(shown))}${serverErrors > 0 ? `; ${counted(serverErrors, 'server error')} in all` : ''}.`
        : answered.total === 0
          ? 'No ordinary request was answered.'
          : verdict === 'inconclusive'
            ? `Not to be blamed on the target for certain: ${listed(excused.map((row) => `${shown(row)} (${excuses(row)})`))}.`
            : `${all(answered.total, 'answer')} to ordinary requests had an expected status.`,
    evidence: errors.slice(0, 10).map((row) => ({
      what: `${row.endpoint} answered ${row.status}`,
      seqs: row.seqs,
      total: row.total,
    })),
    ...(verdict === 'fail' && caused(causesOf(errors))),
  };
}

function causesOf(errors: readonly StatusRow[]): Suspect[] {
  const server = errors.filter(({ status }) => status >= 500);
  const others = Map.groupBy(
    errors.filter((row) => !server.includes(row)),
    ({ endpoint, status }) => `${endpoint} ${status}`,
  );
  return [
    ...(server.length === 0
      ? []
      : [
          fits(
            'server-errors',
            { errors: total(server), endpoints: [...new Set(server.map(({ endpoint }) => endpoint))] },
            server.flatMap(({ seqs }) => seqs),
          ),
        ]),
    ...[...others.values()].flatMap(otherCause),
  ];
}

/** Every session that is read or acted upon was granted, and has not expired. */
function otherCause(rows: readonly StatusRow[]): Suspect[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { endpoint, status } = first;
  const requests = total(rows);
  const seqs = rows.flatMap((row) => row.seqs);
  return [
    (endpoint === 'read-session' || endpoint === 'interact') && (status === 404 || status === 410)
      ? fits('session-disappears', { reads: requests, status }, seqs)
      : fits('unexpected-status', { endpoint, status, requests }, seqs),
  ];
}

function total(rows: readonly StatusRow[]): number {
  return rows.reduce((sum, row) => sum + row.total, 0);
}

function shown(row: StatusRow): string {
  return `${row.endpoint} ${row.status} (${number(row.total)}×)`;
}

const settled = 'a form of date was being looked for, and another was accepted';

/** Why an unexpected 4xx may be the harness's own doing, where the interface does not show how to ask. */
async function findExcuses(history: History): Promise<(row: StatusRow) => string | undefined> {
  const { profile } = history;
  const acts = await find(history, `endpoint = 'interact' AND ${admitted}`);
  const analytics = await find(history, `endpoint = 'analytics' AND ${admitted}`);
  return ({ stage, endpoint, status }) => {
    if (status >= 500 || status < 400) return undefined;
    if (endpoint === 'interact' && isChannelOpen(profile.channel) && acts.total === 0) {
      return 'the interface shows no interaction channel, and none was found';
    }
    const datesSought = profile.analytics.date_format === 'discover' && (status === 400 || status === 422);
    if (endpoint === 'analytics' && datesSought) {
      if (analytics.total === 0)
        return 'the interface does not show the form of dates, and none tried was accepted';
      if (stage === 'setup') return settled;
    }
    return undefined;
  };
}
