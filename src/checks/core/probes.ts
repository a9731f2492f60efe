import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory, sqlText } from '../../history/tables.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Got } from '../reasons/contract/answers.ts';
import { admitted, isSuccessStatus } from './found.ts';

/** A column with the name of a probe. Histories are written by this program: a name that it does not know matches nothing. */
export const probeColumn = z.custom<Probe>((value) => typeof value === 'string');

/** The part of a name before its first colon, where there is one. */
type ProbeFamily = Probe extends infer Name
  ? Name extends `${infer Family}:${string}`
    ? Family
    : never
  : never;

/** SQL: the request is one of these probes. */
export function isProbe(...probes: readonly [Probe, ...Probe[]]): string {
  return `coalesce(probe IN (${probes.map((probe) => sqlText(probe)).join(', ')}), false)`;
}

/** SQL: the request is a probe of this family. */
export function isProbeOf(family: ProbeFamily): string {
  return `starts_with(coalesce(probe, ''), ${sqlText(`${family}:`)})`;
}

const probeRow = z.object({
  seq: z.number(),
  probe: probeColumn,
  endpoint: z.string(),
  status: z.number().nullable(),
  lost: z.string().nullable(),
  not_sent: z.string().nullable(),
  session_id: z.string().nullable(),
  items: z.number().nullable(),
});
/** A request with a single purpose, such as a key that must be rejected. */
export type ProbeRow = z.output<typeof probeRow>;

/** SQL: it got no answer to what it asked (429, 5xx or none), and was sent again, which tells more. */
const wasRepeated = 'seq IN (SELECT repeats FROM requests WHERE repeats IS NOT NULL)';

/** Every probe of a run that was not repeated, in the order in which they became due: a few dozen, however long the run. */
export const readProbes = oncePerHistory(
  (history): Promise<readonly ProbeRow[]> =>
    history.rows(
      probeRow,
      `SELECT seq, probe, endpoint, status, lost, not_sent, session_id, items
     FROM requests WHERE probe IS NOT NULL AND NOT ${wasRepeated} ORDER BY seq`,
    ),
);

/** Why a probe says nothing about the target; undefined when it was answered. */
export function unanswered(row: ProbeRow): string | undefined {
  if (row.not_sent !== null) return `not sent (${row.not_sent})`;
  if (row.lost !== null) return `no answer (${row.lost})`;
  // A 429 says nothing about how the target answers such a request within the limit.
  if (row.status === 429) return 'rate limited (429)';
  return undefined;
}

/** What became of a probe, as a parameter of a reason. */
export function gotOf(row: ProbeRow | undefined): Got {
  if (row === undefined) return { notSent: null };
  if (row.not_sent !== null) return { notSent: row.not_sent };
  return row.lost === null ? { status: row.status } : { lost: row.lost };
}

export function is2xx(row: ProbeRow): boolean {
  return isSuccessStatus(row.status);
}

const answerRow = z.object({
  seq: z.number(),
  product_id: z.string().nullable(),
  total_sessions: z.number().nullable(),
});
type ProductAnswer = z.output<typeof answerRow>;

/** The last analytics answer that a probe got: its product, and the sessions that it counts. */
export async function lastProductAnswer(history: History, probe: Probe): Promise<ProductAnswer | undefined> {
  const [answer] = await history.rows(
    answerRow,
    `SELECT a.seq, json_extract_string(query, '$.product_id') AS product_id,
            try_cast(json_extract_string(body, '$.total_sessions') AS DOUBLE) AS total_sessions
     FROM answers a JOIN requests r ON r.seq = a.seq
     WHERE ${isProbe(probe)} AND ${admitted} ORDER BY a.seq DESC LIMIT 1`,
  );
  return answer;
}
