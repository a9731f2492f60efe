import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { SentRequests, Words } from '../../../sent/columns.ts';
import { clockErrorNs } from '../../core/lost-shards.ts';

/** The most requests that are judged, a day of 1,000 a minute: each takes two hundred bytes here, and three microseconds. */
export const mostJudged = 1_500_000;

/** The columns of words, each with the name that it has in the history. */
const worded = {
  credential: 'credential',
  endpoint: 'endpoint',
  probe: 'probe',
  retryAfter: 'retry_after',
  limitHeaders: 'limit_headers',
} as const;

/**
 * The first `most` requests that went out, and how many more went out after them. What was answered only when more were on
 * their way counts as unanswered: it may be theirs that a limiter met first.
 */
export async function sentRequests(
  history: History,
  most: number,
): Promise<{ readonly sent: SentRequests; readonly left: number }> {
  const counts = Object.values(worded).map((name) => `if(count(${name}) > 0, '${name}', NULL)`);
  const [all] = await history.rows(
    z.object({ n: z.number(), again: z.number(), said: z.array(z.string().nullable()) }),
    `SELECT count(*) AS n, count(first_sent_ns) AS again, [${counts.join(', ')}] AS said FROM requests WHERE sent_ns IS NOT NULL`,
  );
  const from = (all?.again ?? 0) === 0 ? 'requests' : withFirst;
  const left = Math.max(0, (all?.n ?? 0) + (all?.again ?? 0) - most);
  const isSent = left === 0 ? 'sent_ns IS NOT NULL' : await isAmongFirst(history, most, most + left);
  const words = await wordsOf(
    history,
    (all?.said ?? []).filter((name) => name !== null),
    isSent,
  );
  const code = (expression: string, name: string): string =>
    words.has(name)
      ? `CAST(coalesce(enum_code(CAST(${expression} AS sent_${name})) + 1, 0) AS DOUBLE)`
      : 'CAST(0 AS DOUBLE)';
  // Of several shards, each instant is only known within the error of its clock.
  const errorNs = clockErrorNs(history.run);
  const columns = await history.columns(
    `SELECT CAST(seq AS DOUBLE), CAST(sent_ns - ${errorNs} AS DOUBLE), CAST(coalesce(answered_ns, sent_ns) + ${errorNs} AS DOUBLE),
            CAST(coalesce(status, 0) AS DOUBLE), coalesce(CAST(server_date_ms AS DOUBLE), CAST('NaN' AS DOUBLE)),
            ${code('coalesce(opener.credential, r.credential)', 'credential')},
            ${Object.values(worded)
              .map((name) => code(`r.${name}`, name))
              .join(', ')}
     FROM ${from} r
     LEFT JOIN (
       SELECT session_id, any_value(credential) AS credential FROM requests
       WHERE endpoint = 'create-session' AND session_id IS NOT NULL AND credential IN ('load', 'quota', 'twin', 'bystander')
         AND ${isSent}
       GROUP BY session_id
     ) opener ON opener.session_id = if(r.credential = 'session', r.session_id, NULL)
     WHERE ${isSent}
     ORDER BY sent_ns, seq LIMIT ${most + 1}`,
    undefined,
    Math.min(most, (all?.n ?? 0) + (all?.again ?? 0)) + 1,
  );
  return { sent: untilNext(columns, words, most), left };
}

/**
 * SQL: the requests, and apart from that once more, without an answer, each that was sent again: that the target had closed the
 * connection of the first is likely and not certain, so that it may have counted, too.
 */
const withFirst = `(FROM requests UNION ALL BY NAME
  SELECT seq, stage, phase, credential, endpoint, session_id, intended_ns, ready_ns, first_sent_ns AS sent_ns, sent_ns AS answered_ns, 'closed-idle' AS lost
  FROM requests WHERE first_sent_ns IS NOT NULL)`;

/**
 * SQL: holds for the first `most` requests of `all` that went out and the next one, and for few more. So neither words nor
 * order are sought among millions that are not judged.
 */
async function isAmongFirst(history: History, most: number, all: number): Promise<string> {
  const [cut] = await history.rows(
    z.object({ sent_ns: z.number() }),
    `SELECT approx_quantile(sent_ns, ${Math.min(1, (most / all) * 1.05)}) AS sent_ns FROM requests WHERE sent_ns IS NOT NULL`,
  );
  const condition = `sent_ns <= ${cut?.sent_ns ?? 0}`;
  const [among] = await history.rows(
    z.object({ n: z.number() }),
    `SELECT count(*) AS n FROM requests WHERE ${condition}`,
  );
  return (among?.n ?? 0) > most ? condition : 'sent_ns IS NOT NULL';
}

/**
 * The different words of some columns, none first; each as the type `sent_⟨name⟩` of the database, whose codes number them.
 */
async function wordsOf(
  history: History,
  names: readonly string[],
  isSent: string,
): Promise<ReadonlyMap<string, readonly (string | null)[]>> {
  if (names.length === 0) return new Map();
  await history.execute(
    names
      .map(
        (name) =>
          `CREATE OR REPLACE TYPE sent_${name} AS ENUM (SELECT DISTINCT ${name} FROM requests WHERE ${name} IS NOT NULL AND ${isSent});`,
      )
      .join('\n'),
  );
  const [found] = await history.rows(
    z.record(z.string(), z.array(z.string())),
    `SELECT ${names.map((name) => `enum_range(CAST(NULL AS sent_${name})) AS ${name}`).join(', ')}`,
  );
  return new Map(names.map((name) => [name, [null, ...(found?.[name] ?? [])]]));
}

/** The first `most` rows, as far as they were over before the next one went out. */
function untilNext(
  columns: readonly Float64Array[],
  words: ReadonlyMap<string, readonly (string | null)[]>,
  most: number,
): SentRequests {
  const column = (k: number): Float64Array => columns[k]?.subarray(0, most) ?? new Float64Array();
  const coded = (k: number, name: string): Words => ({
    words: words.get(name) ?? [null],
    code: Uint32Array.from(column(k)),
  });
  const sent: SentRequests = {
    length: column(0).length,
    seq: column(0),
    sentNs: column(1),
    answeredNs: column(2),
    status: Uint16Array.from(column(3)),
    serverDateMs: column(4),
    chargedTo: coded(5, worded.credential),
    credential: coded(6, worded.credential),
    endpoint: coded(7, worded.endpoint),
    probe: coded(8, worded.probe),
    retryAfter: coded(9, worded.retryAfter),
    limitHeaders: coded(10, worded.limitHeaders),
  };
  const nextNs = columns[1]?.[most] ?? Number.POSITIVE_INFINITY;
  for (let row = 0; row < sent.length; row++) {
    if ((sent.answeredNs[row] as number) < nextNs) continue;
    sent.status[row] = 0;
    sent.serverDateMs[row] = Number.NaN;
    sent.retryAfter.code[row] = 0;
    sent.limitHeaders.code[row] = 0;
  }
  return sent;
}
