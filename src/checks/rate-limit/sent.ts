import { z } from 'zod';
import type { History } from '../../history/history.ts';

/** A column of words, few of them different: the row's word is `words[code[row]]`. `words[0]` stands for none. */
export interface Words {
  readonly words: readonly (string | null)[];
  readonly code: Uint32Array;
}

/**
 * The requests that went out, in order of sending (then of `seq`), by columns: a million of them as objects would take a
 * gigabyte. Instants in nanoseconds since the run's zero.
 */
export interface SentRequests {
  readonly length: number;
  readonly seq: Float64Array;
  readonly sentNs: Float64Array;
  /** Of one without an answer, when it was sent. */
  readonly answeredNs: Float64Array;
  /** 0 where there was no answer. */
  readonly status: Uint16Array;
  /** NaN where none was said. */
  readonly serverDateMs: Float64Array;
  readonly credential: Words;
  /** The role that the request is charged to: that of its key, or of the key that opened its session. */
  readonly chargedTo: Words;
  readonly endpoint: Words;
  readonly probe: Words;
  readonly retryAfter: Words;
  readonly limitHeaders: Words;
}

/** The most requests that are judged, a day of 1,000 a minute: each takes two hundred bytes here, and three microseconds. */
export const mostJudged = 1_500_000;

/** Some rows of `SentRequests`, ascending. */
export type Rows = Int32Array;

/** A request that went out, by itself. Instants in nanoseconds since the run's zero. */
export interface SentRequest {
  readonly seq: number;
  readonly charged_to: string | null;
  readonly endpoint: string | null;
  readonly sent_ns: number;
  readonly answered_ns: number;
  readonly status: number | null;
  readonly retry_after: string | null;
  readonly limit_headers: string | null;
}

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
  const [all] = await history.rows(
    z.object({ n: z.number(), again: z.number() }),
    'SELECT count(*) AS n, count(first_sent_ns) AS again FROM requests WHERE sent_ns IS NOT NULL',
  );
  const from = (all?.again ?? 0) === 0 ? 'requests' : withFirst;
  const left = Math.max(0, (all?.n ?? 0) + (all?.again ?? 0) - most);
  const isSent = left === 0 ? 'sent_ns IS NOT NULL' : await isAmongFirst(history, most, most + left);
  const words = new Map<string, readonly (string | null)[]>();
  for (const name of Object.values(worded)) words.set(name, await wordsOf(history, name, isSent));
  const code = (expression: string, name: string): string =>
    `CAST(coalesce(enum_code(CAST(${expression} AS sent_${name})) + 1, 0) AS DOUBLE)`;
  const columns = await history.columns(
    `SELECT CAST(seq AS DOUBLE), CAST(sent_ns AS DOUBLE), CAST(coalesce(answered_ns, sent_ns) AS DOUBLE),
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

/** The different words of a column, none first; as the type `sent_⟨name⟩` of the database, whose codes number them. */
async function wordsOf(history: History, name: string, isSent: string): Promise<(string | null)[]> {
  await history.execute(
    `DROP TYPE IF EXISTS sent_${name};
     CREATE TYPE sent_${name} AS ENUM (SELECT DISTINCT ${name} FROM requests WHERE ${name} IS NOT NULL AND ${isSent});`,
  );
  const rows = await history.rows(
    z.object({ word: z.string() }),
    `SELECT CAST(unnest(enum_range(CAST(NULL AS sent_${name}))) AS VARCHAR) AS word`,
  );
  return [null, ...rows.map(({ word }) => word)];
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

/** The rows, of all or of some, for which `holds`. */
export function rowsWhere(sent: SentRequests, holds: (row: number) => boolean, among?: Rows): Rows {
  const { length } = among ?? sent;
  const found = new Int32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const row = among === undefined ? i : (among[i] as number);
    if (holds(row)) found[count++] = row;
  }
  return found.slice(0, count);
}

/** The values of a column in some rows. */
export function valuesAt(column: Float64Array, rows: Rows): Float64Array {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = column[rows[i] as number] as number;
  return values;
}

/** `seq`s of some rows. */
export function seqsOf({ seq }: SentRequests, rows: Rows): number[] {
  return Array.from(valuesAt(seq, rows));
}

/** Whether a row has this word; finds the word once. */
export function isWord({ words, code }: Words, word: string): (row: number) => boolean {
  const sought = words.indexOf(word);
  return (row) => code[row] === sought;
}

/** Whether the row was answered with a 2xx. */
export function isSuccess({ status }: SentRequests, row: number): boolean {
  const answered = status[row] as number;
  return answered >= 200 && answered < 300;
}

/** The row's word. */
export function wordAt({ words, code }: Words, row: number): string | null {
  return words[code[row] as number] ?? null;
}

/** What a row tells of its key and endpoint: whose limit it is, is not shown, but rows that differ here may have two. */
export function limitOfRow({ chargedTo, endpoint }: SentRequests, row: number): number {
  return (chargedTo.code[row] as number) * endpoint.words.length + (endpoint.code[row] as number);
}

/** Some rows by key and endpoint, in the order in which they first come. */
export function byLimit(sent: SentRequests, rows: Rows): ReadonlyMap<number, Rows> {
  const counts = new Map<number, number>();
  for (const row of rows) {
    const limit = limitOfRow(sent, row);
    counts.set(limit, (counts.get(limit) ?? 0) + 1);
  }
  return new Map(
    [...counts.keys()].map((limit) => [
      limit,
      counts.size === 1 ? rows : rowsWhere(sent, (row) => limitOfRow(sent, row) === limit, rows),
    ]),
  );
}

export function sentRequestAt(sent: SentRequests, row: number): SentRequest {
  const status = sent.status[row] as number;
  return {
    seq: sent.seq[row] as number,
    charged_to: wordAt(sent.chargedTo, row),
    endpoint: wordAt(sent.endpoint, row),
    sent_ns: sent.sentNs[row] as number,
    answered_ns: sent.answeredNs[row] as number,
    status: status === 0 ? null : status,
    retry_after: wordAt(sent.retryAfter, row),
    limit_headers: wordAt(sent.limitHeaders, row),
  };
}
