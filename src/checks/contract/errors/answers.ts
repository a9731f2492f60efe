import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { errorTypeProblem, newToken, readProblem } from '../../../target/problems.ts';
import type { Endpoint } from '../../../vocabulary/requests.ts';
import { caused, fits, type Suspect, shown } from '../../causes/cause.ts';
import { admitted, evidenceOf, find, firstSeqs, seqsColumn } from '../../core/found.ts';
import { clockStep, datedSql, expiryMs, neverCached, setClock } from '../../core/moved-clock.ts';
import { isProbe, isProbeOf } from '../../core/probes.ts';
import { type CheckFinding, evidence } from '../../core/verdict.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import { interfaceEndpoints } from '../../reasons/words/requests.ts';

/** SQL: calls of the explorer in another form than the usual one, which may be rejected before the service. */
export const oddForms = "SELECT seq FROM explored WHERE json_extract_string(call, '$.form') IS NOT NULL";

/** SQL: errors in no JSON. */
const errorInNoJson = `(problem LIKE ${sqlText(`${errorTypeProblem} %`)}
  AND NOT ${isProbe('scope:spelled')} AND seq NOT IN (${oddForms}))`;

/** Where the interface promises 200 and not just any success. */
const promises200: readonly Endpoint[] = ['create-session', 'analytics'];

const seenRow = z.object({
  endpoint: z.string(),
  status: z.number(),
  problem: z.string().nullable(),
  total: z.number(),
  seqs: seqsColumn,
});

/** Fields, types and headers of every 2xx answer, the status where one is promised, and the media type of errors. */
export async function checkAnswers(history: History): Promise<CheckFinding[]> {
  // A 2xx for a probe that must be rejected has no promised form; the check that sent it judges it.
  const all = await history.rows(
    seenRow,
    `SELECT endpoint, status, problem, count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE ${errorInNoJson} OR ${admitted} AND credential NOT IN ('none', 'bad') AND NOT ${isProbeOf('tenancy')}
     GROUP BY ALL ORDER BY total DESC, endpoint, problem`,
  );
  const seen = all.filter(({ status }) => status < 300);
  const errors = all.filter(({ status }) => status >= 400);
  const isJsonPromised = history.profile.error_bodies === 'json';
  const malformed = (isJsonPromised ? all : seen).filter((row) => row.problem !== null);
  const reused = malformed.filter(({ problem }) => readProblem(problem)?.expected === newToken);
  const expiries = malformed.filter(
    ({ endpoint, problem }) => endpoint === 'create-session' && readProblem(problem)?.field === 'expires_at',
  );
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
  const step = await clockStep(history);
  const isStray = stray?.isAllowed === false;
  if (isStray) wrong.push(reason('answers-dates-apart', { apartMs: stray.ahead.byMs }));
  const verdict = wrong.length > 0 ? 'fail' : unseen.length > 0 ? 'inconclusive' : 'pass';
  const answered: Record<string, number> = {};
  for (const row of seen) answered[row.endpoint] = (answered[row.endpoint] ?? 0) + row.total;
  const answers: CheckFinding = {
    id: 'contract.answers',
    verdict,
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
      ...(isJsonPromised || errors.length === 0 ? [] : [reason('errors-of-other-type', whichOf(errors))]),
      ...(step === undefined ? [] : [reason('answers-clock-stepped', { byMs: step.byMs, atMs: step.atMs })]),
      ...(stray === undefined || isStray ? [] : [reason('answers-clocks-differ', stray.ahead)]),
    ],
    evidence: [
      ...[...malformed, ...otherStatus].slice(0, 10).map((row) => ({
        what: `${row.endpoint} ${row.status}: ${row.problem ?? 'not 200'}`,
        seqs: row.seqs,
        total: row.total,
      })),
      ...(stray === undefined ? [] : [evidence('dates that no single clock can have shown', stray.seqs)]),
      ...(step === undefined ? [] : [evidence('before and after the clock was set', step.seqs)]),
    ],
    ...caused([
      // One cause for all of them: what writes errors is one part of a service.
      ...(isJsonPromised && errors.length > 0
        ? [shown('errors-not-json', whichOf(errors), seqsOf(errors))]
        : []),
      ...emptySuccesses(seen),
      ...swapped(seen),
      ...(reused.length === 0
        ? []
        : [shown('session-token-reused', { sessions: totalOf(reused) }, seqsOf(reused))]),
      ...notInUtc(expiries),
      ...malformed
        .filter((row) => ![...reused, ...errors, ...expiries].includes(row))
        .map(({ endpoint, problem, seqs }) =>
          fits('answers-malformed', { endpoint, problem: problem ?? '' }, seqs),
        ),
      ...(!isStray ? [] : [fits('dates-apart', { apartMs: stray.ahead.byMs }, stray.seqs)]),
      ...otherStatus.map(({ endpoint, seqs, status }) =>
        shown('success-status-wrong', { endpoint, status }, seqs),
      ),
    ]),
  };
  return [answers, ...(await expiryFailed(history, expiries))];
}

type SeenRow = z.output<typeof seenRow>;

const totalOf = (rows: readonly SeenRow[]): number => rows.reduce((sum, { total }) => sum + total, 0);

const notInUtc = (rows: readonly SeenRow[]): readonly Suspect[] =>
  rows.length === 0 ? [] : [shown('expiry-not-utc', { sessions: totalOf(rows) }, seqsOf(rows))];

/** New sessions whose expiry cannot be read, or had passed by the target's own clock, or by ours: the explorer's calls tell of all others. */
async function expiryFailed(history: History, rows: readonly SeenRow[]): Promise<CheckFinding[]> {
  const { profile, run } = history;
  const now = `coalesce(server_date_ms, ${run.zero_epoch_ms} + sent_ns / 1e6 - ${profile.clock_skew_bound})`;
  const past = await find(
    history,
    `endpoint = 'create-session' AND ${admitted} AND ${expiryMs('expires_at')} <= ${now}`,
  );
  const sessions = totalOf(rows) + past.total;
  if (sessions === 0) return [];
  const malformed = rows.map(({ endpoint, problem, total }) =>
    reason('answers-form-wrong', { endpoint, problem: problem ?? '', answers: total }),
  );
  return [
    {
      ...{ id: 'contract.expiry', verdict: 'fail', observed: { sessions } },
      reasons: [...malformed, ...(past.total === 0 ? [] : [reason('expiry-past', { sessions: past.total })])],
      evidence: [
        ...evidenceOf('expires_at in another form', { seqs: seqsOf(rows), total: totalOf(rows) }),
        ...evidenceOf('expires_at that had passed already', past),
      ],
      ...caused(notInUtc(rows)),
    },
  ];
}

/** Reads of a session that get another one, while other reads get their own. */
function swapped(seen: readonly SeenRow[]): Suspect[] {
  const reads = seen.filter(({ endpoint }) => endpoint === 'read-session');
  // The id that was asked for, in quotes, and another one; what is no text has none.
  const others = reads.filter(({ problem }) => {
    const { expected, field, got } = readProblem(problem) ?? {};
    return field === 'session_id' && expected?.startsWith('"') === true && got?.startsWith('"') === true;
  });
  const [answers, seqs] = [totalOf(others), seqsOf(others)];
  return answers === 0 || reads.every(({ problem }) => problem !== null)
    ? []
    : [shown('answers-swapped', { answers }, seqs)];
}

/** The answers whose `Date` is ahead of that of others, and two of them that show it best. */
const strayRow = z.object({
  half_ms: z.number().nullable(),
  seqs: seqsColumn,
  answers: z.number(),
  of: z.number(),
  endpoints: z.array(z.string()),
});

/**
 * Whether the dates of answers advance with time. A clock may be set once, so both halves of the run have to contradict
 * themselves before no machines can have shown them. Undefined where the dates can be those of one clock.
 */
async function strayDates(history: History) {
  const dated = `dated AS NOT MATERIALIZED (${datedSql(await setClock(history), neverCached)})`;
  // Of a sound target that is all: to halve millions of requests takes ten times as long.
  const [whole] = await history.rows(
    z.object({ apart_ms: z.number().nullable() }),
    `WITH ${dated} SELECT max(low) - min(high) AS apart_ms FROM dated`,
  );
  const byMs = whole?.apart_ms ?? 0;
  if (byMs <= 0) return undefined;
  const [found] = await history.rows(
    strayRow,
    `WITH ${dated},
     halves AS (SELECT max(low) - min(high) AS apart FROM dated
       GROUP BY sent_ns <= (SELECT quantile_disc(sent_ns, 0.5) FROM dated)),
     placed AS (SELECT *, low > (SELECT min(high) FROM dated) AS is_ahead FROM dated)
     SELECT (SELECT min(apart) FROM halves) AS half_ms, [arg_max(seq, low), arg_min(seq, high)] AS seqs,
       count(*) FILTER (is_ahead) AS answers, count(*) AS of, list(DISTINCT endpoint ORDER BY endpoint) FILTER (is_ahead) AS endpoints
     FROM placed`,
  );
  if (found === undefined) return undefined;
  const { half_ms, seqs, ...ahead } = found;
  // Several machines may answer, each with a clock that is off as far as the profile allows.
  const isAllowed = byMs <= 2 * history.profile.clock_skew_bound || (half_ms ?? 0) <= 0;
  if (isAllowed && (await clockStep(history)) !== undefined) return undefined;
  return { isAllowed, ahead: { ...ahead, byMs }, seqs };
}

/** How the problem of a 2xx answer begins that holds nothing of what it should: an error has no such fields. */
const contentMissing: Readonly<Record<string, string>> = {
  'create-session': 'session_id: expected string, got nothing',
  'list-shades': 'body: expected a list of shades',
  analytics: 'period: expected string, got nothing',
};

interface ProblemCount {
  readonly endpoint: string;
  readonly problem: string | null;
  readonly total: number;
  readonly seqs: readonly number[];
}

/** Answers with 2xx that hold nothing, at endpoints that answer otherwise as well: errors, most likely. */
export function emptySuccesses(seen: readonly ProblemCount[]): Suspect[] {
  const isEmpty = ({ endpoint, problem }: ProblemCount): boolean =>
    problem?.startsWith(contentMissing[endpoint] ?? '\0') === true;
  const empty = seen.filter(
    (row) =>
      isEmpty(row) && seen.some(({ endpoint, problem }) => endpoint === row.endpoint && problem === null),
  );
  if (empty.length === 0) return [];
  const endpoints = [...new Set(empty.map(({ endpoint }) => endpoint))];
  const of = seen.filter(({ endpoint }) => endpoints.includes(endpoint));
  const sum = (rows: readonly ProblemCount[]): number => rows.reduce((all, { total }) => all + total, 0);
  return [fits('errors-as-successes', { answers: sum(empty), of: sum(of), endpoints }, seqsOf(empty))];
}

interface ErrorRow {
  readonly endpoint: string;
  readonly status: number;
  readonly seqs: readonly number[];
}

const seqsOf = (rows: readonly { readonly seqs: readonly number[] }[]): number[] =>
  rows.flatMap(({ seqs }) => seqs);

function whichOf(rows: readonly ErrorRow[]): { readonly statuses: number[]; readonly endpoints: string[] } {
  return {
    statuses: [...new Set(rows.map(({ status }) => status))].toSorted((a, b) => a - b),
    endpoints: [...new Set(rows.map(({ endpoint }) => endpoint))],
  };
}
