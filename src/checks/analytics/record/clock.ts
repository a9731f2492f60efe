import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { Profile } from '../../../target/profile.ts';
import { caused, shown } from '../../causes/cause.ts';
import { admitted, firstSeqs, seqsColumn } from '../../core/found.ts';
import {
  dateHeaderSlackMs,
  earliestSql,
  expiryMs,
  latestSql,
  type MovedClock,
  setClock,
} from '../../core/moved-clock.ts';
import { clockErrorNs } from '../../core/unanswered.ts';
import { type CheckFinding, evidenceIfAny } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';

/** How far the target's clock is ahead of what the run takes it for (see `MovedClock`): somewhere in `[lowMs, highMs]`. */
export interface ClockOffset {
  readonly lowMs: number;
  readonly highMs: number;
  /** One offset fits every `Date` header. If not, the target's clock moved, or several clocks answered. */
  readonly steady: boolean;
  readonly clock: MovedClock;
}

const rowSchema = z.object({
  low: z.number().nullable(),
  high: z.number().nullable(),
  lowest: z.number().nullable(),
  highest: z.number().nullable(),
});

/**
 * Bounds the target's clock offset. A header `D` of a request sent at `s` and answered at `a` was made at a target time
 * in `[D, D + slack)` and at a time that the run's idea of the clock shows within `[s, a]`, so the offset lies in
 * `[D − a, D + slack − s]`: the intersection over all requests if there is one, else the hull. Without headers: ± the
 * profile's `clock_skew_bound`.
 */
export async function clockOffset(history: History): Promise<ClockOffset> {
  const clock = await setClock(history);
  const [from, to] = bounds(clock);
  const errorMs = clockErrorNs(history.run) / 1e6;
  const [row] = await history.rows(
    rowSchema,
    `SELECT max(low) / 1e6 - ${errorMs} AS low, min(high) / 1e6 + ${errorMs} AS high,
            min(low) / 1e6 - ${errorMs} AS lowest, max(high) / 1e6 + ${errorMs} AS highest
     FROM (SELECT server_date_ms * 1_000_000 - ${to} AS low,
                  (server_date_ms + ${dateHeaderSlackMs}) * 1_000_000 - ${from} AS high
           FROM requests WHERE server_date_ms IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL)`,
  );
  if (row === undefined || row.low === null || row.high === null) {
    const bound = history.profile.clock_skew_bound;
    return { lowMs: -bound, highMs: bound, steady: true, clock };
  }
  const steady = row.low <= row.high;
  return {
    lowMs: steady ? row.low : (row.lowest ?? row.low),
    highMs: steady ? row.high : (row.highest ?? row.high),
    steady,
    clock,
  };
}

/** SQL: epoch ns that the clock shows when a request is sent, and when it is answered; exact where it was never set. */
function bounds(clock: MovedClock): [from: string, to: string] {
  if (clock.moves.length === 0) {
    const zeroNs = BigInt(Math.round(clock.zeroMs * 1e3)) * 1_000n;
    return [`(${zeroNs} + sent_ns)`, `(${zeroNs} + answered_ns)`];
  }
  return [`${earliestSql(clock, 'sent_ns')} * 1_000_000`, `${latestSql(clock, 'answered_ns')} * 1_000_000`];
}

/** Far above any queueing of a single request inside a network path. */
const leastLateMs = 1_000;

/**
 * A request that was given up on may still be on its way to the target. After this time it has arrived, if ever. How long
 * that is can only be guessed: a proxy or a gateway keeps an undelivered request until a time-out that it does not
 * announce. The time that the profile waits for an answer is the best known measure of it: on that path, a request that takes longer is thought to have failed.
 */
export function lateArrivalMs({ timeouts }: Pick<Profile, 'timeouts'>): number {
  return Math.max(leastLateMs, timeouts.headers);
}

/** Even a target that shows everything at once may read a session elsewhere than where it writes it. */
const leastShownMs = 1_000;

/** A session may be read where what happened shows as late as in analytics: within this time it has to be there, ns. */
export function shownWithinNs({ analytics }: Pick<Profile, 'analytics'>): number {
  return Math.max(leastShownMs, analytics.freshness) * 1e6;
}

/** A request, as SQL expressions. `ok`: it got a 2xx answer; `dateMs`: the answer's `Date` header. */
export interface RequestSql {
  readonly sentNs: string;
  readonly answeredNs: string;
  readonly ok: string;
  readonly dateMs: string;
}

/**
 * SQL: between which instants of the target's clock (epoch ms, rounded outwards) it did what a request asked for.
 * Sent…answered, moved by the clock's offset; where an answer names its own instant, that holds even if the target's
 * clock is moved during the run.
 */
export interface Instants {
  earliest(request: RequestSql): string;
  latest(request: RequestSql): string;
}

export function instantsOf(history: Pick<History, 'profile' | 'run'>, offset: ClockOffset): Instants {
  const errorMs = clockErrorNs(history.run) / 1e6;
  const lateNs = lateArrivalMs(history.profile) * 1e6;
  const dated = ({ ok, dateMs, answeredNs }: RequestSql): string =>
    `(${ok}) AND ${dateMs} IS NOT NULL AND ${answeredNs} IS NOT NULL`;
  // A steady offset has every Date header in it already.
  const either = (request: RequestSql, byDate: string, byRun: string): string =>
    offset.steady ? `(${byRun})` : `if(${dated(request)}, ${byDate}, ${byRun})`;
  return {
    earliest: (request) =>
      either(
        request,
        `${request.dateMs} - (${request.answeredNs} - ${request.sentNs}) // 1_000_000 - 1`,
        `${earliestSql(offset.clock, request.sentNs)} + ${Math.floor(offset.lowMs - errorMs)}`,
      ),
    latest: (request) =>
      either(
        request,
        `${request.dateMs} + ${dateHeaderSlackMs}`,
        `${latestSql(offset.clock, `(coalesce(${request.answeredNs}, ${request.sentNs}) + if(${request.ok}, 0, ${lateNs}))`)} + ${Math.ceil(offset.highMs + errorMs)}`,
      ),
  };
}

/** A request in the table `alias`, answered or not as `ok` says. */
export function requestIn(alias: string, ok: string): RequestSql {
  const column = (name: string): string => `${alias}.${name}`;
  return {
    sentNs: column('sent_ns'),
    answeredNs: column('answered_ns'),
    ok,
    dateMs: column('server_date_ms'),
  };
}

/** What was at one instant of the run. */
export function momentOf(ns: string): RequestSql {
  return { sentNs: ns, answeredNs: ns, ok: 'true', dateMs: 'NULL' };
}

const setRow = z.object({ sessions: z.number(), expired: z.number(), seqs: seqsColumn });

/**
 * Where the run set the target's clock, new sessions expire after the time that it was set to. A `Date` header shows nothing: a
 * proxy may have made it, whose clock was not set. No finding where no clock was set.
 */
export async function checkClockSet(history: History): Promise<CheckFinding[]> {
  const clock = await setClock(history);
  const [first] = clock.moves;
  if (first === undefined) return [];
  const [row] = await history.rows(
    setRow,
    `WITH opened AS (
       SELECT seq, ${expiryMs('expires_at')} < ${earliestSql(clock, 'sent_ns')} - ${history.profile.clock_skew_bound} AS expired
       FROM requests WHERE endpoint = 'create-session' AND ${admitted} AND sent_ns > ${first.setNs})
     SELECT count(expired) AS sessions, count(*) FILTER (expired) AS expired, ${firstSeqs} FILTER (expired) AS seqs FROM opened`,
  );
  const { expired = 0, seqs = [], sessions = 0 } = row ?? {};
  const verdict = sessions === 0 ? 'inconclusive' : expired > 0 ? 'fail' : 'pass';
  return [
    {
      id: 'analytics.clock-set',
      verdict,
      expected: { 'new sessions that have expired': 0 },
      observed: { 'new sessions': sessions, 'that have expired': expired },
      reasons: [
        sessions === 0
          ? reason('clock-set-untold')
          : expired > 0
            ? reason('clock-set-without-effect', { expired, sessions })
            : reason('clock-set', { sessions }),
      ],
      evidence: evidenceIfAny('new sessions that have expired', seqs),
      ...(expired > 0 && caused([shown('clock-not-set', { expired }, seqs)])),
    },
  ];
}
