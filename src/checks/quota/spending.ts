import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { ownText } from '../../history/tables.ts';
import { admitted, type Found, firstSeqs, seqsColumn } from '../core/found.ts';
import { apartNs } from '../core/lost-shards.ts';
import { mostSessionsSql } from '../core/redeliveries.ts';
import type { CheckFinding } from '../core/verdict.ts';
import { type Account, attemptOn, type QuotaPeriod, quotaPeriod } from './account.ts';
import { ambiguous, possible } from './made.ts';

/** A finding before it gets its name. */
export type QuotaFinding = Omit<CheckFinding, 'id'>;

const spendingRow = z.object({
  attempts: z.number(),
  admitted: z.number(),
  admitted_seqs: seqsColumn,
  ambiguous: z.number(),
  ambiguous_seqs: seqsColumn,
  rejected: z.number(),
  rejected_seqs: seqsColumn,
  limited: z.number(),
  admitted_told: z.number(),
  first_rejected_ns: z.number().nullable(),
});
const mostRow = z.object({ most: z.number() });
const elsewhereRow = z.object({ credential: z.string(), least: z.number(), most: z.number() });
const lateRow = z.object({ total: z.number(), seqs: seqsColumn });
const instantRow = z.object({ at_ns: z.number().nullable() });

/** What became of the attempts to spend the quota, on all keys of the account. */
export interface QuotaSpending {
  readonly account: Account;
  readonly period: QuotaPeriod;
  readonly attempts: number;
  /** Answered 2xx. */
  readonly admitted: Found;
  /** How many of them were on keys of which the profile says that they spend this quota. */
  readonly admittedTold: number;
  /** May have been admitted or not. */
  readonly ambiguous: Found;
  /** The most sessions that attempts can have made until a 402 came: more than were granted where requests may be redelivered. */
  readonly mostMade: number;
  /** Answered 402. */
  readonly rejected: Found;
  /** Answered 429. */
  readonly limited: number;
  /** Admitted though sent after a 402 had been answered. */
  readonly admittedLate: Found;
  /** Admitted on keys that are told to be of the account, and sent after the last session had been answered that the told quota has room for: no race lets them in. */
  readonly admittedBeyond: Found;
  /** When the quota was spent for certain, as far as answers tell: attempts sent later have to be rejected with 402. */
  readonly spentNs: number | undefined;
  /** Sessions made until a 402 came on each key that may be of the account or not. */
  readonly elsewhere: readonly SessionsOn[];
}

/** How many sessions were made with a key. */
interface SessionsOn {
  readonly credential: string;
  readonly least: number;
  readonly most: number;
}

/** Reads what became of the attempts on the account's keys. */
export async function readSpending(history: History, account: Account): Promise<QuotaSpending> {
  const period = await quotaPeriod(history);
  const attempt = `${attemptOn(account.keys)} ${period.within}`;
  const [row] = await history.rows(
    spendingRow,
    `SELECT count(*) AS attempts,
            count(*) FILTER (${admitted}) AS admitted, ${firstSeqs} FILTER (${admitted}) AS admitted_seqs,
            count(*) FILTER (${admitted} AND ${attemptOn(account.toldKeys)}) AS admitted_told,
            count(*) FILTER (${ambiguous}) AS ambiguous, ${firstSeqs} FILTER (${ambiguous}) AS ambiguous_seqs,
            count(*) FILTER (status = 402) AS rejected, ${firstSeqs} FILTER (status = 402) AS rejected_seqs,
            count(*) FILTER (status = 429) AS limited, min(answered_ns) FILTER (status = 402) + ${apartNs(history.run)} AS first_rejected_ns
     FROM requests WHERE ${attempt}`,
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  const [late] =
    row.first_rejected_ns === null
      ? []
      : await history.rows(
          lateRow,
          `SELECT count(*) AS total, ${firstSeqs} AS seqs FROM requests
           WHERE ${attempt} AND ${admitted} AND sent_ns > ${row.first_rejected_ns}`,
        );
  const until = `${period.within} ${row.first_rejected_ns === null ? '' : `AND sent_ns <= ${row.first_rejected_ns}`}`;
  return {
    account,
    period,
    attempts: row.attempts,
    admitted: { total: row.admitted, seqs: row.admitted_seqs },
    admittedTold: row.admitted_told,
    ambiguous: { total: row.ambiguous, seqs: row.ambiguous_seqs },
    rejected: { total: row.rejected, seqs: row.rejected_seqs },
    limited: row.limited,
    admittedLate: late ?? { total: 0, seqs: [] },
    admittedBeyond: await admittedBeyond(history, account),
    mostMade: await mostMade(history, attempt, until),
    elsewhere: await elsewhere(history, account, until),
    spentNs: earliest(row.first_rejected_ns ?? undefined, await lastAdmissionNs(history, attempt)),
  };
}

async function admittedBeyond(history: History, { toldKeys }: Account): Promise<Found> {
  const { sessions } = history.profile.quota;
  const told = `${attemptOn(toldKeys)} ${(await quotaPeriod(history)).within}`;
  const spentNs = sessions === undefined ? undefined : await lastAdmissionNs(history, told);
  if (spentNs === undefined) return { total: 0, seqs: [] };
  const [found] = await history.rows(
    lateRow,
    `SELECT count(*) AS total, ${firstSeqs} AS seqs FROM requests
     WHERE ${told} AND ${admitted} AND sent_ns > ${spentNs}`,
  );
  return found ?? { total: 0, seqs: [] };
}

/** Whether keys that may be of the account, or redeliveries, can have spent exactly so much of the quota with the account's own keys. */
export function canBeSpentBy(
  { admitted, ambiguous, mostMade, elsewhere }: QuotaSpending,
  sessions: number,
): 'own-keys' | 'redeliveries' | 'other-keys' | undefined {
  const least = admitted.total;
  if (least > sessions) return undefined;
  if (least + ambiguous.total >= sessions) return 'own-keys';
  const most = Math.max(least + ambiguous.total, mostMade);
  if (most >= sessions) return 'redeliveries';
  const reaches = (from: number, low: number, high: number): boolean =>
    (low <= sessions && high >= sessions) ||
    elsewhere.slice(from).some((on, index) => reaches(from + index + 1, low + on.least, high + on.most));
  return reaches(0, least, most) ? 'other-keys' : undefined;
}

async function mostMade(history: History, attempt: string, until: string): Promise<number> {
  const [row] = await history.rows(
    mostRow,
    `SELECT coalesce(sum(${mostSessionsSql(history.profile, possible)}), 0) AS most FROM requests WHERE ${attempt} ${until}`,
  );
  return row?.most ?? 0;
}

/** A session granted to a bad key may be counted in any account, whatever the profile says of keys. */
async function elsewhere(history: History, account: Account, until: string): Promise<SessionsOn[]> {
  const apart = [
    ...account.keys,
    ...account.otherKeys,
    ...(history.profile.data_scope === 'per-key' ? ['pool'] : []),
  ];
  return history.rows(
    elsewhereRow,
    `SELECT credential, count(*) FILTER (${admitted}) AS least, sum(${mostSessionsSql(history.profile, possible)}) AS most
     FROM requests
     WHERE endpoint = 'create-session' AND credential NOT IN (${apart.map(ownText).join(', ')}) AND sent_ns IS NOT NULL ${until}
       AND (${possible} OR credential NOT IN ('bad', 'none')) AND NOT contains(coalesce(probe, ''), 'unknown-')
     GROUP BY credential HAVING most > 0 ORDER BY credential`,
  );
}

/** When the last session that the quota has room for was answered; without a known quota, the last one of all. */
async function lastAdmissionNs(history: History, attempt: string): Promise<number | undefined> {
  const sessions = history.profile.quota.sessions;
  const [row] =
    sessions === undefined
      ? await history.rows(
          instantRow,
          `SELECT max(answered_ns) + ${apartNs(history.run)} AS at_ns FROM requests WHERE ${attempt} AND ${admitted}`,
        )
      : await history.rows(
          instantRow,
          `SELECT answered_ns + ${apartNs(history.run)} AS at_ns FROM requests WHERE ${attempt} AND ${admitted}
           ORDER BY answered_ns LIMIT 1 OFFSET ${sessions - 1}`,
        );
  return row?.at_ns ?? undefined;
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
