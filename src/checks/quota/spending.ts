import { z } from 'zod';
import { ownText } from '../../history/columns.ts';
import type { History } from '../../history/history.ts';
import { admitted } from '../core/found.ts';
import { mostSessionsSql } from '../core/stored.ts';
import type { CheckFinding } from '../core/verdict.ts';
import { type Account, possible, type QuotaPeriod, quotaPeriod } from './account.ts';
import { type QuotaCall, readQuotaCalls } from './log.ts';

/** A finding before it gets its name. */
export type QuotaFinding = Omit<CheckFinding, 'id'>;

/** What became of the attempts to spend the quota, on all keys of the account. */
export interface QuotaSpending {
  readonly account: Account;
  readonly period: QuotaPeriod;
  /** Of all keys, with the requests that must not spend it. */
  readonly calls: readonly QuotaCall[];
  readonly attempts: readonly QuotaCall[];
  /** Answered 2xx. */
  readonly admitted: readonly QuotaCall[];
  /** Those of them on keys of which the profile says that they spend this quota. */
  readonly admittedTold: readonly QuotaCall[];
  /** May have been admitted or not. */
  readonly ambiguous: readonly QuotaCall[];
  /** The most sessions that attempts can have made until a 402 came: more than were granted where requests may be redelivered. */
  readonly mostMade: number;
  /** Answered 402. */
  readonly rejected: readonly QuotaCall[];
  /** Admitted though sent after a 402 had been answered. */
  readonly admittedLate: readonly QuotaCall[];
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

/** What became of the attempts on the account's keys. */
export async function readSpending(history: History, account: Account): Promise<QuotaSpending> {
  const period = await quotaPeriod(history);
  const calls = await readQuotaCalls(history);
  const { quota, redeliveries } = history.profile;
  const attempts = calls.filter(({ isAttempt, role }) => isAttempt && account.keys.includes(role));
  const of = (outcome: QuotaCall['outcome']): readonly QuotaCall[] =>
    attempts.filter((call) => call.outcome === outcome);
  const [granted, rejected, ambiguous] = [of('admitted'), of('refused'), of('unclear')];
  const refusedNs = Math.min(...rejected.map(({ answeredNs }) => answeredNs));
  const until = Number.isFinite(refusedNs) ? `AND sent_ns <= ${refusedNs}` : '';
  const answers = granted.map(({ answeredNs }) => answeredNs).toSorted((a, b) => a - b);
  const lastNs = quota.sessions === undefined ? answers.at(-1) : answers[quota.sessions - 1];
  const isOpen = ({ outcome }: QuotaCall): boolean => outcome === 'admitted' || outcome === 'unclear';
  const early = attempts.filter(({ sentNs }) => sentNs <= refusedNs);
  return {
    ...{ account, period, calls, attempts, admitted: granted, ambiguous, rejected },
    admittedTold: granted.filter(({ role }) => account.toldKeys.includes(role)),
    admittedLate: granted.filter(({ sentNs }) => sentNs > refusedNs),
    mostMade: early.reduce((sum, call) => sum + (isOpen(call) ? 1 : 0) + redeliveries, 0),
    elsewhere: await elsewhere(history, account, `${period.within} ${until}`),
    spentNs: Number.isFinite(refusedNs) ? Math.min(refusedNs, lastNs ?? refusedNs) : lastNs,
  };
}

/** Whether keys that may be of the account, or redeliveries, can have spent exactly so much of the quota with the account's own keys. */
export function canBeSpentBy(
  { admitted: granted, ambiguous, elsewhere: on, mostMade }: QuotaSpending,
  sessions: number,
): 'own-keys' | 'redeliveries' | 'other-keys' | undefined {
  const least = granted.length;
  if (least > sessions) return undefined;
  if (least + ambiguous.length >= sessions) return 'own-keys';
  const most = Math.max(least + ambiguous.length, mostMade);
  if (most >= sessions) return 'redeliveries';
  const reaches = (from: number, low: number, high: number): boolean =>
    (low <= sessions && high >= sessions) ||
    on.slice(from).some((each, index) => reaches(from + index + 1, low + each.least, high + each.most));
  return reaches(0, least, most) ? 'other-keys' : undefined;
}

/** A session granted to a bad key may be counted in any account, whatever the profile says of keys. */
async function elsewhere(history: History, account: Account, until: string): Promise<SessionsOn[]> {
  const apart = [
    ...account.keys,
    ...account.otherKeys,
    ...(history.profile.data_scope === 'per-key' ? ['pool'] : []),
  ];
  return history.rows(
    z.object({ credential: z.string(), least: z.number(), most: z.number() }),
    `SELECT credential, count(*) FILTER (${admitted}) AS least, sum(${mostSessionsSql(history.profile, possible)}) AS most
     FROM requests
     WHERE endpoint = 'create-session' AND credential NOT IN (${apart.map(ownText).join(', ')}) AND sent_ns IS NOT NULL ${until}
       AND (${possible} OR credential NOT IN ('bad', 'none')) AND NOT contains(coalesce(probe, ''), 'unknown-')
     GROUP BY credential HAVING most > 0 ORDER BY credential`,
  );
}
