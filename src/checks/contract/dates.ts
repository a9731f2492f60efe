import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { dateHeaderSlackMs } from '../analytics/clock.ts';
import { earliestSql, latestSql, setClock } from '../analytics/moved-clock.ts';

/** `Date` headers that no clock can have shown. */
export interface StrayDates {
  /** By how much two of them contradict each other. */
  readonly apartMs: number;
  /** The answers that show it best: one whose date is too early, and one whose date is too late. */
  readonly seqs: readonly number[];
}

const row = z.object({
  half_ms: z.number().nullable(),
  early_seq: z.number().nullable(),
  late_seq: z.number().nullable(),
});

/**
 * Whether the dates of answers advance with time. Several machines may answer, each with a clock that is off as far as the
 * profile allows, and a clock may be set once, so both halves of the run have to contradict themselves. Only answers to POST
 * are compared: a cache may repeat an answer to GET with its old date. Undefined where the dates can be right.
 */
export async function strayDates(history: History): Promise<StrayDates | undefined> {
  const clock = await setClock(history);
  const dated = `dated AS NOT MATERIALIZED (
       SELECT seq, sent_ns, server_date_ms - ${latestSql(clock, 'answered_ns')} AS low,
         server_date_ms + ${dateHeaderSlackMs} - ${earliestSql(clock, 'sent_ns')} AS high
       FROM requests WHERE endpoint IN ('create-session', 'import-shades', 'interact')
         AND server_date_ms IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL)`;
  // Of a sound target that is all: to halve millions of requests takes ten times as long.
  const [whole] = await history.rows(
    z.object({ apart_ms: z.number().nullable() }),
    `WITH ${dated} SELECT max(low) - min(high) AS apart_ms FROM dated`,
  );
  const apartMs = whole?.apart_ms ?? 0;
  if (apartMs <= 2 * history.profile.clock_skew_bound) return undefined;
  const [found] = await history.rows(
    row,
    `WITH ${dated},
     halves AS (
       SELECT max(low) AS low, min(high) AS high, arg_max(seq, low) AS late_seq, arg_min(seq, high) AS early_seq
       FROM dated GROUP BY sent_ns <= (SELECT quantile_disc(sent_ns, 0.5) FROM dated))
     SELECT arg_max(late_seq, low) AS late_seq, arg_min(early_seq, high) AS early_seq, min(low - high) AS half_ms
     FROM halves`,
  );
  if ((found?.half_ms ?? 0) <= 0) return undefined;
  return { apartMs, seqs: [found?.late_seq, found?.early_seq].flatMap((seq) => seq ?? []) };
}
