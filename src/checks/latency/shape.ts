import { z } from 'zod';
import { counted, number } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { aloneAmong } from './alone.ts';

/** So many of the late requests have to share a shape for it to be named. */
const most = 0.8;
/** Late requests beyond this many are not looked at one by one. */
const mostLookedAt = 2_000;
/** Fewer that wait for one answer are no stall: a single slow request at a low rate looks like it. */
const fewestHeld = 3;
/** A target that does not keep up is slower in each of so many parts of the load than in the one before, by so much. */
const parts = 5;
const growth = 1.2;

const stillRow = z.object({ gap_ns: z.number(), from_ns: z.number(), held: z.number() });
const partRow = z.object({ median_ns: z.number() });

/**
 * What the requests over a bound have in common, in a sentence; empty where nothing is plain. `late`: SQL, which requests they
 * are; `sample`: among which.
 */
export async function shapeOf(
  history: History,
  sample: string,
  late: string,
  count: number,
): Promise<string> {
  return (
    (await stoodStill(history, sample, late, count)) ??
    (await fellBehind(history, sample)) ??
    (await byThemselves(history, sample, late, count)) ??
    ''
  );
}

/** The longest time in which nothing was answered, whoever had asked, and how many of the late had to wait until its end. */
async function stoodStill(
  history: History,
  sample: string,
  late: string,
  count: number,
): Promise<string | undefined> {
  const [row] = await history.rows(
    stillRow,
    `WITH gaps AS (
       SELECT answered_ns AS until_ns, lag(answered_ns) OVER (ORDER BY answered_ns) AS from_ns
       FROM requests WHERE stage = 'load' AND status IS NOT NULL),
     longest AS (SELECT * FROM gaps WHERE from_ns IS NOT NULL ORDER BY until_ns - from_ns DESC LIMIT 1)
     SELECT until_ns - from_ns AS gap_ns, from_ns - (SELECT min(intended_ns) FROM requests WHERE stage = 'load') AS from_ns,
       (SELECT count(*) FROM requests
        WHERE ${sample} AND ${late} AND intended_ns < until_ns AND coalesce(answered_ns, until_ns) >= until_ns) AS held
     FROM longest`,
  );
  // Where little is asked little is answered: a pause counts only if it held up those that were late.
  if (row === undefined || row.held < fewestHeld || row.held < most * count) return undefined;
  return ` Nothing at all was answered for ${(row.gap_ns / 1e9).toFixed(2)} s, from ${(row.from_ns / 1e9).toFixed(1)} s after the load's beginning on, and ${number(row.held)} of the ${number(count)} over the bound waited for that: the target, or the way to it, stood still.`;
}

/** Slower and slower while the load went on. */
async function fellBehind(history: History, sample: string): Promise<string | undefined> {
  const rows = await history.rows(
    partRow,
    `SELECT quantile_disc(response_ns, 0.5) AS median_ns FROM (
       SELECT answered_ns - intended_ns AS response_ns, ntile(${parts}) OVER (ORDER BY intended_ns) AS part
       FROM requests WHERE ${sample} AND lost IS NULL)
     GROUP BY part ORDER BY part`,
  );
  const medians = rows.map(({ median_ns }) => median_ns);
  if (medians.length < parts || !medians.every((ns, n) => n === 0 || ns > growth * (medians[n - 1] ?? 0)))
    return undefined;
  const shown = medians.map((ns) => (ns / 1e6).toFixed(ns < 1e7 ? 1 : 0));
  return ` It grew as long as the load lasted, in ${parts} parts of it ${shown.join(', ')} ms (medians): the target did not keep up.`;
}

/** Late while others came and went. */
async function byThemselves(
  history: History,
  sample: string,
  late: string,
  count: number,
): Promise<string | undefined> {
  const [row] = await history.rows(
    z.object({ alone: z.number() }),
    `WITH late AS (
       SELECT seq, sent_ns, answered_ns FROM requests
       WHERE ${sample} AND ${late} AND lost IS NULL ORDER BY sent_ns LIMIT ${mostLookedAt})
     SELECT count(*) FILTER (alone) AS alone FROM (${aloneAmong('late')})`,
  );
  const alone = row?.alone ?? 0;
  if (alone === 0 || alone < most * Math.min(count, mostLookedAt)) return undefined;
  return ` ${number(alone)} of ${counted(count, 'request')} over the bound took so long by themselves, while others came and went in a fraction of it.`;
}
