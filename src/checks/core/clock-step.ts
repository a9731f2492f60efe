import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import { earliestSql, latestSql, type MovedClock, setClock } from './moved-clock.ts';

/** A `Date` header names a whole second, and servers commonly cache it for up to another. */
export const dateHeaderSlackMs = 2_000;

/** SQL: by how much the target's clock is ahead, at least and at most, by each answer with a `Date`. */
export function datedSql(clock: MovedClock, where: string): string {
  return `SELECT seq, sent_ns, server_date_ms - ${latestSql(clock, 'answered_ns')} AS low,
       server_date_ms + ${dateHeaderSlackMs} - ${earliestSql(clock, 'sent_ns')} AS high
     FROM requests WHERE ${where} AND server_date_ms IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL`;
}

/** Requests whose answers no cache repeats with an old date. */
export const neverCached = "endpoint IN ('create-session', 'import-shades', 'interact')";

/** The target's clock was set, once. */
export interface DateStep {
  /** Forward; back where it is negative. */
  readonly byMs: number;
  readonly atMs: number;
  /** The last answer before it, and the first after it. */
  readonly seqs: readonly number[];
}

const stepRow = z.object({ at_ns: z.number(), by_ms: z.number(), before_seq: z.number(), seq: z.number() });

/** One answer with a strange date is no step: this number on each side agree with each other. */
const fewest = 3;

/**
 * A step of the target's clock by its `Date` headers: all answers before an instant agree on one clock, all after it on another
 * one. Undefined without a step, and where several clocks answer in turn.
 */
export const clockStep = oncePerHistory(async (history: History): Promise<DateStep | undefined> => {
  const clock = await setClock(history);
  // A cache may repeat old dates, so that only those that it never repeats tell.
  return (await stepIn(history, datedSql(clock, 'true'))) ?? stepIn(history, datedSql(clock, neverCached));
});

async function stepIn(history: History, dated: string): Promise<DateStep | undefined> {
  // Of a sound target that is all: to compare all sides of millions of requests takes ten times as long.
  const [whole] = await history.rows(
    z.object({ apart: z.boolean().nullable() }),
    `SELECT max(low) > min(high) AS apart FROM (${dated})`,
  );
  if (whole?.apart !== true) return undefined;
  const [found] = await history.rows(
    stepRow,
    `WITH dated AS (${dated}),
     sides AS (
       SELECT seq, sent_ns, lag(seq) OVER (ORDER BY sent_ns) AS before_seq,
         max(low) OVER past AS low_past, min(high) OVER past AS high_past, count(*) OVER past AS past,
         max(low) OVER later AS low_later, min(high) OVER later AS high_later, count(*) OVER later AS later
       FROM dated
       WINDOW past AS (ORDER BY sent_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
         later AS (ORDER BY sent_ns ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING))
     SELECT sent_ns AS at_ns, CAST((low_later + high_later - low_past - high_past) / 2 AS DOUBLE) AS by_ms, before_seq, seq FROM sides
     WHERE past >= ${fewest} AND later >= ${fewest} AND low_past <= high_past AND low_later <= high_later
       AND (low_later > high_past OR high_later < low_past)
     ORDER BY sent_ns LIMIT 1`,
  );
  if (found === undefined) return undefined;
  return { byMs: found.by_ms, atMs: found.at_ns / 1e6, seqs: [found.before_seq, found.seq] };
}
