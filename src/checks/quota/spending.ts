import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { admitted, type Found, firstSeqs, seqsColumn } from '../found.ts';
import { mostSessionsSql } from '../redeliveries.ts';
import type { CheckResult } from '../verdict.ts';

/** A result before it gets its name. */
export type Judged = Omit<CheckResult, 'id' | 'title'>;

/** SQL: a request for a new session on the `quota` key that should be admitted or meet the quota. */
export const attempt =
  "endpoint = 'create-session' AND credential = 'quota' AND sent_ns IS NOT NULL AND NOT starts_with(coalesce(probe, ''), 'unknown-')";

/**
 * SQL: an attempt that may or may not have opened a session: no answer came, or one that says only that something
 * went wrong on the way.
 */
export const ambiguous = '(lost IS NOT NULL OR status >= 500)';

const spendingRow = z.object({
  attempts: z.number(),
  admitted: z.number(),
  admitted_seqs: seqsColumn,
  ambiguous: z.number(),
  ambiguous_seqs: seqsColumn,
  refused: z.number(),
  refused_seqs: seqsColumn,
  limited: z.number(),
  first_refused_ns: z.number().nullable(),
});
const mostRow = z.object({ most: z.number() });
const lateRow = z.object({ total: z.number(), seqs: seqsColumn });
const instantRow = z.object({ at_ns: z.number().nullable() });

/** SQL: an attempt that was or may have been answered with a session. */
export const possible = `(${admitted} OR ${ambiguous})`;

/** What became of the attempts to spend the quota. */
export interface Spending {
  readonly attempts: number;
  /** Answered 2xx. */
  readonly admitted: Found;
  /** May have been admitted or not. */
  readonly ambiguous: Found;
  /** The most sessions that attempts can have made until a 402 came: more than were granted where requests may be redelivered. */
  readonly mostMade: number;
  /** Answered 402. */
  readonly refused: Found;
  /** Answered 429. */
  readonly limited: number;
  /** Admitted though sent after a 402 had been answered. */
  readonly admittedLate: Found;
  /** When the quota was spent for certain, as far as answers tell: attempts sent later have to be refused with 402. */
  readonly spentNs: number | undefined;
  /** Sessions made on other keys, at most, which may be of the same account unless the profile says otherwise. */
  readonly onOtherKeys: number;
}

/** Reads what became of the attempts on the `quota` key. */
export async function readSpending(history: History): Promise<Spending> {
  const [row] = await history.rows(
    spendingRow,
    `SELECT count(*) AS attempts,
            count(*) FILTER (${admitted}) AS admitted, ${firstSeqs} FILTER (${admitted}) AS admitted_seqs,
            count(*) FILTER (${ambiguous}) AS ambiguous, ${firstSeqs} FILTER (${ambiguous}) AS ambiguous_seqs,
            count(*) FILTER (status = 402) AS refused, ${firstSeqs} FILTER (status = 402) AS refused_seqs,
            count(*) FILTER (status = 429) AS limited, min(answered_ns) FILTER (status = 402) AS first_refused_ns
     FROM requests WHERE ${attempt}`,
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  const [late] =
    row.first_refused_ns === null
      ? []
      : await history.rows(
          lateRow,
          `SELECT count(*) AS total, ${firstSeqs} AS seqs FROM requests
           WHERE ${attempt} AND ${admitted} AND sent_ns > ${row.first_refused_ns}`,
        );
  return {
    attempts: row.attempts,
    admitted: { total: row.admitted, seqs: row.admitted_seqs },
    ambiguous: { total: row.ambiguous, seqs: row.ambiguous_seqs },
    refused: { total: row.refused, seqs: row.refused_seqs },
    limited: row.limited,
    admittedLate: late ?? { total: 0, seqs: [] },
    mostMade: await mostMade(history, row.first_refused_ns),
    onOtherKeys: await onOtherKeys(history),
    spentNs: earliest(row.first_refused_ns ?? undefined, await lastAdmissionNs(history)),
  };
}

async function mostMade(history: History, firstRefusedNs: number | null): Promise<number> {
  const until = firstRefusedNs === null ? '' : `AND sent_ns <= ${firstRefusedNs}`;
  const [row] = await history.rows(
    mostRow,
    `SELECT coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS most FROM requests WHERE ${attempt} ${until}`,
  );
  return row?.most ?? 0;
}

async function onOtherKeys(history: History): Promise<number> {
  if (history.profile.data_scope === 'per-key') return 0;
  const [row] = await history.rows(
    mostRow,
    `SELECT coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS most FROM requests
     WHERE endpoint = 'create-session' AND credential <> 'quota' AND (${possible} OR credential IN ('load', 'twin', 'bystander'))`,
  );
  return row?.most ?? 0;
}

/** When the last session that the quota has room for was answered; without a known quota, the last one of all. */
async function lastAdmissionNs(history: History): Promise<number | undefined> {
  const sessions = history.profile.quota.sessions;
  const [row] =
    sessions === undefined
      ? await history.rows(
          instantRow,
          `SELECT max(answered_ns) AS at_ns FROM requests WHERE ${attempt} AND ${admitted}`,
        )
      : await history.rows(
          instantRow,
          `SELECT answered_ns AS at_ns FROM requests WHERE ${attempt} AND ${admitted}
           ORDER BY answered_ns LIMIT 1 OFFSET ${sessions - 1}`,
        );
  return row?.at_ns ?? undefined;
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
