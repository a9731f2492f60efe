import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { orderOf, valuesAt } from '../../../limits/arrays.ts';
import type { SentRequests, WordColumn } from '../../../limits/sent/columns.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { clockErrorNs } from '../../core/unanswered.ts';

/** The most requests that are judged, a day of 1,000 a minute: each takes two hundred bytes here, and three microseconds. */
export const mostJudged = 1_500_000;

/** The columns of words, each with the name that it has in the history. */
const worded = {
  credential: 'credential',
  endpoint: 'endpoint',
  catalog: 'catalog_id',
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
  const counts = Object.values(worded).map((name) => `if(count(${name}) > 0, ${sqlText(name)}, NULL)`);
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
  const codes = [...words.keys()].map(
    (name) => `coalesce(CAST(enum_code(CAST(${name} AS sent_${name})) AS DOUBLE) + 1, CAST(0 AS DOUBLE))`,
  );
  // Of several shards, each instant is only known within the error of its clock.
  const errorNs = clockErrorNs(history.run);
  // As many bits of a hash as a number holds: neither text nor a join for each row.
  const columns = await history.columns(
    `SELECT CAST(seq AS DOUBLE), CAST(sent_ns - ${errorNs} AS DOUBLE), CAST(coalesce(answered_ns, sent_ns) + ${errorNs} AS DOUBLE),
            coalesce(CAST(server_date_ms AS DOUBLE), CAST('NaN' AS DOUBLE)),
            coalesce(CAST(CASE WHEN credential = 'session' OR endpoint = 'create-session' THEN hash(session_id) >> 11 END AS DOUBLE), CAST(0 AS DOUBLE)),
            ${['CAST(coalesce(status, 0) AS DOUBLE)', ...codes].join(', ')}
     FROM ${from} WHERE ${isSent}`,
    undefined,
    Math.min(1.1 * most, (all?.n ?? 0) + (all?.again ?? 0)) + 1,
  );
  return { sent: untilNext(inOrderOfSending(columns), words, most), left };
}

/** Rows by when they were sent, then by `seq`. As they are written they mostly are; to sort a million in the database takes 0.1 s. */
function inOrderOfSending(columns: readonly Float64Array[]): readonly Float64Array[] {
  const [seq = new Float64Array(), sentNs = new Float64Array()] = columns;
  const isBefore = (at: number): boolean =>
    (sentNs[at - 1] as number) < (sentNs[at] as number) ||
    (sentNs[at - 1] === sentNs[at] && (seq[at - 1] as number) < (seq[at] as number));
  if (seq.every((_, at) => at === 0 || isBefore(at))) return columns;
  const bySeq = orderOf(seq);
  const bySent = orderOf(valuesAt(sentNs, bySeq));
  const order = bySent.map((at) => bySeq[at] as number);
  return columns.map((column) => valuesAt(column, order));
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
  // Those that became due first were mostly sent first.
  const [cut] = await history.rows(
    z.object({ sent_ns: z.number().nullable() }),
    `SELECT max(sent_ns) AS sent_ns FROM requests
     WHERE seq <= (SELECT min(seq) + ${Math.min(1, (most / all) * 1.05)} * (max(seq) - min(seq)) FROM requests)`,
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
  const places = [...words.keys()];
  const coded = (name: keyof typeof worded): WordColumn => {
    const place = places.indexOf(worded[name]);
    const code = place < 0 ? new Uint32Array(column(0).length) : Uint32Array.from(column(6 + place));
    return { words: words.get(worded[name]) ?? [null], code };
  };
  const [credential, endpoint] = [coded('credential'), coded('endpoint')];
  const sent: SentRequests = {
    length: column(0).length,
    seq: column(0),
    sentNs: column(1),
    answeredNs: column(2),
    status: Uint16Array.from(column(5)),
    serverDateMs: column(3),
    chargedTo: chargedTo(column(4), credential, endpoint),
    credential,
    endpoint,
    catalog: coded('catalog'),
    probe: coded('probe'),
    retryAfter: coded('retryAfter'),
    limitHeaders: coded('limitHeaders'),
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

/** Whose key opened the session of each request that has its token; of the others, whose key they have. `session`: its hash, 0 for none. */
function chargedTo(session: Float64Array, credential: WordColumn, endpoint: WordColumn): WordColumn {
  const { words, code } = credential;
  const opening = endpoint.words.indexOf('create-session');
  const inSession = words.indexOf('session');
  const isKey = words.map((word) => roles.some((role) => role === word));
  const openers = new Map<number, number>();
  for (let row = 0; row < code.length; row++) {
    const own = session[row] as number;
    const opens = endpoint.code[row] === opening && own !== 0 && isKey[code[row] as number] === true;
    if (opens && !openers.has(own)) openers.set(own, code[row] as number);
  }
  const charged = code.slice();
  for (let row = 0; row < code.length; row++)
    if (code[row] === inSession) charged[row] = openers.get(session[row] as number) ?? (code[row] as number);
  return { words, code: charged };
}
