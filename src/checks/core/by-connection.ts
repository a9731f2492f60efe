import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { admitted, firstSeqs, seqsColumn } from './found.ts';

/** Alike requests on one connection; or about sessions opened on one connection and asked for on another. */
export interface OutcomeCount {
  readonly requests: number;
  readonly failed: number;
}

/** Requests that fail on some connections, or pairs of them, and on no others. */
export interface FailsByConnection {
  /** Whether its own connection decides over a request, or its own and the one that opened the session. */
  readonly what: 'request' | 'session';
  readonly failed: number;
  /** Connections, or pairs of them, on which requests fail, of how many that carried such requests. */
  readonly failing: number;
  readonly of: number;
  readonly seqs: readonly number[];
}

/** That outcomes are divided among connections by chance is excluded up to this. */
const mostChance = 1e-4;

/** A group of requests, and the first that failed. */
export const groupRow = z.object({ requests: z.number(), failed: z.number(), seqs: seqsColumn });
type FailingGroup = z.output<typeof groupRow>;
const pairRow = groupRow.extend({ is_same: z.boolean() });

/**
 * Whether each group failed always or never, although outcomes that do not depend on the group would be divided so with a
 * probability of at most 1 in 10,000: of all choices of those that fail, at most 2 to the number of groups are whole groups.
 */
export function isDivided(groups: readonly OutcomeCount[]): boolean {
  const requests = groups.reduce((sum, group) => sum + group.requests, 0);
  const failed = groups.reduce((sum, group) => sum + group.failed, 0);
  const isPure = groups.every((group) => group.failed === 0 || group.failed === group.requests);
  return isPure && isUnlikely({ requests, failed }, groups.length * Math.LN2);
}

/** Whether chance would choose those that fail in one of e^`logWays` ways with a probability of at most 1 in 10,000. */
export function isUnlikely({ failed, requests }: OutcomeCount, logWays: number): boolean {
  // n! / (k! (n - k)!) choices in all.
  let logChance = logWays;
  for (let place = 1; place <= failed; place++) logChance += Math.log(place / (requests - failed + place));
  return failed > 0 && failed < requests && logChance <= Math.log(mostChance);
}

/**
 * Whether the connection decides which requests fail. `asked` is SQL for the requests to compare, `failed` for those among
 * them that fail.
 */
export async function failsByConnection(
  history: History,
  asked: string,
  failed: string,
): Promise<FailsByConnection | undefined> {
  const some = await history.rows(
    groupRow,
    `${comparable(asked, failed)}
     SELECT count(*) AS requests, count(*) FILTER (failed) AS failed, ${failedSeqs}
     FROM comparable GROUP BY local_port`,
  );
  if (isDivided(some)) return { what: 'request', ...failing(some) };
  // Sessions whose connection is gone are left out: what a restarted process has forgotten is no matter of connections.
  const pairs = await history.rows(
    pairRow,
    `${comparable(asked, failed)},
     opened AS (
       SELECT session_id, any_value(local_port) AS opened_on FROM requests
       WHERE endpoint = 'create-session' AND ${admitted} AND session_id IN (SELECT session_id FROM comparable) GROUP BY session_id),
     used AS (SELECT local_port AS opened_on, max(sent_ns) AS last_ns FROM requests GROUP BY local_port)
     SELECT count(*) AS requests, count(*) FILTER (failed) AS failed, any_value(local_port = opened_on) AS is_same, ${failedSeqs}
     FROM comparable JOIN opened USING (session_id) JOIN used USING (opened_on) WHERE last_ns >= sent_ns
     GROUP BY opened_on, local_port`,
  );
  const isSameGood =
    pairs.some(({ is_same }) => is_same) && pairs.every((pair) => !pair.is_same || pair.failed === 0);
  return isSameGood && isDivided(pairs) ? { what: 'session', ...failing(pairs) } : undefined;
}

const failedSeqs = `${firstSeqs} FILTER (failed) AS seqs`;

function comparable(asked: string, failed: string): string {
  return `WITH asked AS (
       SELECT seq, sent_ns, local_port, session_id, (${failed}) AS failed FROM requests
       WHERE (${asked}) AND status IS NOT NULL AND local_port IS NOT NULL),
     comparable AS (${sameTime('asked')})`;
}

/**
 * SQL: of a table with `sent_ns` and `failed`, what was sent while some failed and others did not. Otherwise an outage or
 * a restart, which ends connections, would look like a difference between connections.
 */
export function sameTime(table: string): string {
  return `SELECT t.* FROM ${table} t, (
       SELECT greatest(min(sent_ns) FILTER (failed), min(sent_ns) FILTER (NOT failed)) AS first_ns,
         least(max(sent_ns) FILTER (failed), max(sent_ns) FILTER (NOT failed)) AS last_ns FROM ${table}) same
     WHERE t.sent_ns BETWEEN same.first_ns AND same.last_ns`;
}

/** The groups in which all failed, together. */
export function failing(groups: readonly FailingGroup[]): Omit<FailsByConnection, 'what'> {
  const bad = groups.filter(({ failed }) => failed > 0);
  return {
    failed: bad.reduce((sum, group) => sum + group.failed, 0),
    failing: bad.length,
    of: groups.length,
    seqs: bad.flatMap(({ seqs }) => seqs).toSorted((a, b) => a - b),
  };
}
