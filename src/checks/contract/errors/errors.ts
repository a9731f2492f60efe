import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { oddProbes } from '../../../vocabulary/probes.ts';
import { caused, fits, type Suspect, shown } from '../../causes/cause.ts';
import { admitted, areErrorsByChance, find, firstSeqs, seqsColumn } from '../../core/found.ts';
import { inCommon, requestTraits, traitsOfRequests } from '../../core/in-common.ts';
import { expiryMs, latestSql, setClock } from '../../core/moved-clock.ts';
import { findExcuses, noData, searches } from '../../core/no-data.ts';
import { sessionVisible } from '../../core/session-visible.ts';
import type { CheckFinding, Verdict } from '../../core/verdict.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import { isKeyRefusal, keyRefusals, keyRefused } from '../auth/keys.ts';
import { exploredFindings } from '../explored/findings.ts';
import { burstsIn, growthCauses, growthOf, growthReasons } from './growing.ts';

const statusRow = z.object({
  stage: z.string(),
  endpoint: z.string(),
  status: z.number(),
  /** Server errors that chance explains: a request without a probe, or one that got another answer when it was repeated. */
  by_chance: z.boolean(),
  total: z.number(),
  seqs: seqsColumn,
});
type StatusRow = z.output<typeof statusRow>;

/** SQL: sent again, once or twice, it got another answer. Of one that was sent again once, there is no second. */
const wasAnsweredAgain = `coalesce(seq IN (SELECT unnest([a.repeats, b.repeats])
  FROM requests b LEFT JOIN requests a ON a.seq = b.repeats WHERE b.repeats IS NOT NULL AND b.status < 500 AND b.status <> 429), false)`;
const byChance = `(status >= 500 AND (probe IS NULL OR ${wasAnsweredAgain}))`;

/**
 * SQL: a probe with a good key that a target answers as it likes, but never with a server error. At its limit a limiter may
 * use 503; `rate-limit.algorithm` judges that.
 */
const brokenProbe = `(probe IS NOT NULL AND status >= 500 AND credential NOT IN ('none', 'bad')
  AND NOT (status = 503 AND stage = 'study')
  AND (${wasAnsweredAgain} OR split_part(probe, ':', 1) NOT IN (${oddProbes.map(ownText).join(', ')})))`;

/**
 * Ordinary requests are valid, so they get 2xx, 429 or, for a new session, 402. The checks of the limits judge whether a
 * 429 or a 402 was right. Of probes only server errors, and a 401 for a valid key, are judged here.
 */
export async function checkErrors(history: History): Promise<CheckFinding> {
  const answered = await find(history, 'probe IS NULL AND status IS NOT NULL');
  const lost = await find(history, 'probe IS NULL AND lost IS NOT NULL');
  // What a request that was rejected would have got is not known.
  const rejected = await find(history, 'probe IS NULL AND status = 429');
  const answers = answered.total - rejected.total;
  // What happens to a session after its expiry is not specified, so a 4xx is no error then.
  const visible = await sessionVisible(history);
  const { emptyPeriods, isRefused, newProducts } = await noData(history);
  const unexpected = await history.rows(
    statusRow,
    `WITH odd AS MATERIALIZED (
       SELECT seq, stage, endpoint, status, session_id, sent_ns, answered_ns, ${byChance} AS by_chance FROM requests
       WHERE ${brokenProbe} OR ${await leftOutErrors(history)} OR ${keyRefused} OR (probe IS NULL AND NOT ${admitted} AND status <> 429 AND NOT (status = 402 AND endpoint = 'create-session')
         AND NOT coalesce(${isRefused}, false))),
     expiries AS (SELECT session_id, min(${expiryMs('expires_at')}) AS expiry_ms, min(requests.answered_ns) AS granted_ns
                  FROM requests SEMI JOIN odd USING (session_id) WHERE endpoint = 'create-session' GROUP BY session_id)
     SELECT stage, endpoint, status, by_chance, count(*) AS total, ${firstSeqs} AS seqs
     FROM odd LEFT JOIN expiries USING (session_id)
     WHERE NOT coalesce(status IN (401, 403, 404, 410) AND endpoint IN ('read-session', 'interact')
       AND expiry_ms <= ${latestSql(await setClock(history), 'answered_ns')} + ${history.profile.clock_skew_bound}, false)
       AND NOT coalesce(status IN (404, 410) AND endpoint IN ('read-session', 'interact') AND sent_ns >= granted_ns
       AND sent_ns < granted_ns + ${Math.round(visible.afterMs * 1e6)}, false)
     GROUP BY ALL ORDER BY total DESC, endpoint, status, stage`,
  );
  const excuses = await findExcuses(history);
  const excused = unexpected.flatMap((row) => {
    const why = excuses(row);
    return why === undefined ? [] : [{ ...row, why }];
  });
  const inexcusable = unexpected.filter((row) => excuses(row) === undefined);
  const growth = await growthOf(history, 'status >= 500');
  const divided =
    inexcusable.length === 0 ? undefined : await whatDivides(history, comparedRequests(inexcusable));
  const sporadic = await sporadicErrors(history, inexcusable);
  // What depends on a value or on a connection is no chance, however seldom it is asked.
  const isTolerated = divided === undefined && Math.max(sporadic.share, growth?.after ?? 0) <= sporadic.bound;
  const failing = isTolerated && sporadic.errors > 0 ? await mostlyFailing(history) : new Set<string>();
  const errors = isTolerated
    ? inexcusable.filter((row) => !row.by_chance || failing.has(row.endpoint))
    : inexcusable;
  const observed = {
    answered: answered.total,
    'without an answer': lost.total,
    unexpected: Object.fromEntries(
      unexpected.map((row) => [`${row.stage}: ${row.endpoint} ${row.status}`, row.total]),
    ),
  };
  if (errors.length > 0) {
    const refusals = errors.some(isKeyRefusal) ? await keyRefusals(history) : [];
    return failed(errors, observed, sporadic, { growth, refusals, divided });
  }
  const verdict: Verdict =
    answers === 0 || excused.some(({ why }) => !searches.has(why)) ? 'inconclusive' : 'pass';
  return {
    id: 'contract.errors',
    verdict,
    observed,
    reasons:
      answers === 0
        ? [reason('errors-no-answers')]
        : verdict === 'inconclusive'
          ? firstReasons(
              excused.map(({ endpoint, status, total: answers, why }) =>
                reason('errors-excused', { endpoint, status, answers, why }),
              ),
            )
          : [
              sporadic.errors > 0
                ? reason('errors-within', sporadic)
                : reason('errors-none', { answers, rejected: rejected.total }),
              ...burstReasons(sporadic.bursts),
              ...(emptyPeriods === undefined ? [] : [reason('errors-empty-periods', emptyPeriods)]),
              ...(newProducts === 0 ? [] : [reason('errors-new-products', { requests: newProducts })]),
              ...(visible.reads > 0
                ? [reason('sessions-visible-after', { afterMs: visible.afterMs, reads: visible.reads })]
                : []),
            ],
  };
}

/** SQL: server errors that the explorer's checks leave out, as those of an outage: they are judged here, or nowhere. */
async function leftOutErrors(history: History): Promise<string> {
  const { leftOut = new Set() } = (await exploredFindings(history)) ?? {};
  const isLeftOut = leftOut.size > 0 && !(await areErrorsByChance(history));
  return isLeftOut ? `(status >= 500 AND seq IN (${[...leftOut].join(', ')}))` : 'false';
}

/** Server errors on probes alone, for runs that do not judge the contract; nothing where there are none. */
export async function checkProbeErrors(history: History): Promise<CheckFinding[]> {
  const errors = await history.rows(
    statusRow,
    `SELECT stage, endpoint, status, ${byChance} AS by_chance, count(*) AS total, ${firstSeqs} AS seqs FROM requests WHERE ${brokenProbe}
     GROUP BY ALL ORDER BY total DESC, endpoint, status, stage`,
  );
  const sporadic = await sporadicErrors(history, errors);
  const left = sporadic.share <= sporadic.bound ? errors.filter((row) => !row.by_chance) : errors;
  return left.length === 0 ? [] : [failed(left, { 'server errors on probes': total(left) }, sporadic, {})];
}

function failed(
  errors: readonly StatusRow[],
  observed: CheckFinding['observed'],
  sporadic: SporadicErrors,
  {
    divided,
    growth,
    refusals = [],
  }: {
    readonly growth?: Awaited<ReturnType<typeof growthOf>>;
    readonly refusals?: readonly Suspect[];
    readonly divided?: Suspect | undefined;
  },
): CheckFinding {
  return {
    id: 'contract.errors',
    verdict: 'fail',
    observed,
    reasons: [...errorReasons(errors, sporadic), ...growthReasons(growth)],
    evidence: errors.slice(0, 10).map((row) => ({
      what: `${row.endpoint} answered ${row.status}`,
      seqs: row.seqs,
      total: row.total,
    })),
    ...caused(
      divided === undefined
        ? [...growthCauses(growth), ...refusals, ...causesOf(errors, sporadic)]
        : [divided, ...refusals],
    ),
  };
}

/** Server errors that chance explains, of all answers, and the share of them that the profile allows. */
interface SporadicErrors {
  readonly errors: number;
  /** With those that depend on something, or that another check judges. */
  readonly inAll: number;
  readonly endpoints: readonly string[];
  readonly answers: number;
  readonly share: number;
  readonly bound: number;
  /** Where all come in a few spans of the run. */
  readonly bursts: Awaited<ReturnType<typeof burstsIn>>;
}

/** SQL: a 5xx of a target that is ready. */
const serverError = "status >= 500 AND coalesce(probe, '') <> 'ready'";

const burstReasons = (bursts: SporadicErrors['bursts']): readonly Reason[] =>
  bursts.length === 0 ? [] : [reason('errors-bursts', { bursts })];

async function sporadicErrors(history: History, rows: readonly StatusRow[]): Promise<SporadicErrors> {
  const { total: answers } = await find(history, 'status IS NOT NULL');
  const errors = total(rows.filter((row) => row.by_chance));
  const all = await history.rows(
    z.object({ endpoint: z.string(), total: z.number() }),
    `SELECT endpoint, count(*) AS total FROM requests WHERE ${serverError} GROUP BY endpoint ORDER BY total DESC, endpoint`,
  );
  return {
    errors,
    inAll: all.reduce((sum, row) => sum + row.total, 0),
    endpoints: all.map(({ endpoint }) => endpoint),
    answers,
    share: errors / Math.max(1, answers),
    bound: history.profile.server_errors,
    bursts: await burstsIn(history, serverError),
  };
}

/** Endpoints at which 5xx are the rule: however few of all requests go there, that is no chance. */
async function mostlyFailing(history: History): Promise<ReadonlySet<string>> {
  const rows = await history.rows(
    z.object({ endpoint: z.string() }),
    `SELECT endpoint FROM requests WHERE probe IS NULL AND status IS NOT NULL AND status <> 429
     GROUP BY endpoint HAVING count(*) FILTER (status >= 500) > count(*) FILTER (status < 500)`,
  );
  return new Set(rows.map(({ endpoint }) => endpoint));
}

/** SQL: ordinary requests to the endpoints at which some failed, whose answers no limit explains. */
function comparedRequests(errors: readonly StatusRow[]): string {
  const endpoints = [...new Set(errors.map(({ endpoint }) => ownText(endpoint)))];
  return `probe IS NULL AND status NOT IN (402, 429) AND endpoint IN (${endpoints.join(', ')})`;
}

/** What decides over which of these requests fail: the connection, or something that they are about. */
async function whatDivides(history: History, compared: string): Promise<Suspect | undefined> {
  const found = await inCommon(history, traitsOfRequests(compared, `NOT ${admitted}`), requestTraits);
  if (found === undefined) return undefined;
  const { failed, of, others, seqs, trait, values } = found;
  if (trait !== 'connection' && trait !== 'connections')
    return shown('depends-on-value', { what: 'request', failed, others, trait, values }, seqs);
  const what = trait === 'connection' ? 'request' : 'session';
  return shown('depends-on-connection', { what, failed, failing: values.length, of }, seqs);
}

function causesOf(errors: readonly StatusRow[], { answers, endpoints, inAll }: SporadicErrors): Suspect[] {
  const server = errors.filter(({ status }) => status >= 500);
  const others = Map.groupBy(
    errors.filter((row) => !server.includes(row) && !isKeyRefusal(row)),
    ({ endpoint, status }) => `${endpoint} ${status}`,
  );
  return [
    ...(server.length === 0
      ? []
      : [
          fits(
            'server-errors',
            { errors: inAll, of: answers, endpoints },
            server.flatMap(({ seqs }) => seqs),
          ),
        ]),
    ...[...others.values()].flatMap(otherCause),
  ];
}

/** Each session in such a request exists and has not expired. */
function otherCause(rows: readonly StatusRow[]): Suspect[] {
  const requests = total(rows);
  const seqs = rows.flatMap((row) => row.seqs);
  return rows
    .slice(0, 1)
    .map(({ endpoint, status }) =>
      (endpoint === 'read-session' || endpoint === 'interact') && (status === 404 || status === 410)
        ? fits('session-disappears', { reads: requests, status }, seqs)
        : fits('unexpected-status', { endpoint, status, requests }, seqs),
    );
}

function total(rows: readonly StatusRow[]): number {
  return rows.reduce((sum, row) => sum + row.total, 0);
}

function errorReasons(
  errors: readonly StatusRow[],
  { answers, bound, bursts, inAll }: SporadicErrors,
): readonly Reason[] {
  const alike = Map.groupBy(errors, ({ endpoint, status }) => `${endpoint} ${status}`);
  return [
    ...(errors.some(({ status }) => status >= 500)
      ? [reason('errors-5xx', { errors: inAll, answers, bound }), ...burstReasons(bursts)]
      : []),
    ...firstReasons(
      [...alike.values()].flatMap(([first, ...more]) =>
        first === undefined
          ? []
          : [
              reason('errors-status', {
                endpoint: first.endpoint,
                status: first.status,
                answers: total([first, ...more]),
              }),
            ],
      ),
    ),
  ];
}
