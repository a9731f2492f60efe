import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';

/**
 * The wall clock that the run takes the target's for: the run's own, until the run set it (event `clock`), and from then
 * on what it was set to, ticking at the same pace. A set clock is a step function of run time, and the instant of each
 * step is known to lie between the command and its echo. Clocks are only ever put forward.
 */
export interface MovedClock {
  /** Wall-clock time of the run's zero by the run's own clock, epoch ms. */
  readonly zeroMs: number;
  /** In order. */
  readonly moves: readonly RecordedClockMove[];
}

export interface RecordedClockMove {
  readonly askedNs: number;
  readonly setNs: number;
  readonly epochMs: number;
}

const moveRow = z.object({ asked_ns: z.number(), set_ns: z.number(), epoch_ms: z.number() });

export const setClock = oncePerHistory(async (history): Promise<MovedClock> => {
  const rows = await history.rows(
    moveRow,
    `SELECT CAST(json_extract(event, '$.askedNs') AS BIGINT) AS asked_ns, CAST(json_extract(event, '$.setNs') AS BIGINT) AS set_ns,
       CAST(json_extract(event, '$.epochMs') AS BIGINT) AS epoch_ms
     FROM events WHERE kind = 'clock' ORDER BY asked_ns`,
  );
  return {
    zeroMs: history.run.zero_epoch_ms,
    moves: rows.map((row) => ({ askedNs: row.asked_ns, setNs: row.set_ns, epochMs: row.epoch_ms })),
  };
});

/** From `atNs` of the run on, the clock shows `aheadMs` and the milliseconds of the run. */
interface ClockStep {
  readonly atNs: number;
  readonly aheadMs: number;
}

/** The earliest that the clock can show: a step counts once its echo came. Rounded down. */
function earliestSteps({ zeroMs, moves }: MovedClock): ClockStep[] {
  return [
    { atNs: Number.NEGATIVE_INFINITY, aheadMs: Math.floor(zeroMs) },
    ...moves.map(({ setNs, epochMs }) => ({ atNs: setNs, aheadMs: Math.floor(epochMs - setNs / 1e6) })),
  ];
}

/** The latest: a step counts once it was asked for. Rounded up. */
function latestSteps({ zeroMs, moves }: MovedClock): ClockStep[] {
  return [
    { atNs: Number.NEGATIVE_INFINITY, aheadMs: Math.ceil(zeroMs) },
    ...moves.map(({ askedNs, epochMs }) => ({ atNs: askedNs, aheadMs: Math.ceil(epochMs - askedNs / 1e6) })),
  ];
}

/** What the clock shows at the latest at an instant of the run, epoch ms. */
export function latestShown(clock: MovedClock, runNs: number): number {
  return (latestSteps(clock).findLast(({ atNs }) => atNs <= runNs)?.aheadMs ?? 0) + runNs / 1e6;
}

/** What it shows at the earliest. */
export function earliestShown(clock: MovedClock, runNs: number): number {
  return (earliestSteps(clock).findLast(({ atNs }) => atNs <= runNs)?.aheadMs ?? 0) + runNs / 1e6;
}

/** SQL: what the clock shows at the earliest at the instant of the run that `ns` gives, whole epoch ms rounded down. */
export function earliestSql(clock: MovedClock, ns: string): string {
  return `(${ns} // 1_000_000 + ${aheadSql(earliestSteps(clock), ns)})`;
}

/** SQL: what it shows at the latest, rounded up. */
export function latestSql(clock: MovedClock, ns: string): string {
  return `(${ns} // 1_000_000 + 1 + ${aheadSql(latestSteps(clock), ns)})`;
}

/** SQL: an `expires_at` as received, epoch ms; null where it is no UTC timestamp. */
export function expiryMs(column: string): string {
  return `epoch_ms(try_cast(replace(left(${column}, 19), 'T', ' ') AS TIMESTAMP))`;
}

function aheadSql(steps: readonly ClockStep[], ns: string): string {
  const [first, ...later] = steps;
  return stepSql(
    first?.aheadMs ?? 0,
    later.map(({ atNs, aheadMs }) => ({ at: atNs, value: aheadMs })),
    ns,
  );
}

/** A `Date` header names a whole second, and servers commonly cache it for up to another. */
export const dateHeaderSlackMs = 2_000;

/** SQL: by how much the target's clock is ahead, by the `Date` of each answer at least, and of `prompt` ones, which no cache repeats, at most. */
export function datedSql(clock: MovedClock, prompt: string): string {
  return `SELECT seq, endpoint, sent_ns, server_date_ms - ${latestSql(clock, 'answered_ns')} AS low,
       if(${prompt}, server_date_ms + ${dateHeaderSlackMs} - ${earliestSql(clock, 'sent_ns')}, NULL) AS high
     FROM requests WHERE server_date_ms IS NOT NULL AND sent_ns IS NOT NULL AND answered_ns IS NOT NULL`;
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

/** The most values that are listed one by one. */
const mostListed = 65_536;

/** Slots that the time of other steps is cut into, so that a step is found by reckoning and not by search. */
const slots = 4_096;

/**
 * SQL for a step function of `x`, a whole number: `before` up to the first step, from each step's `at` on its whole `value`. Steps in
 * order. Where all steps lie on a grid, it is a list that says the value. Else the slot in which `x` lies says which step was in force when it began, and how many of the next few were due is counted.
 */
export function stepSql(
  before: number,
  steps: readonly { readonly at: number; readonly value: number }[],
  x: string,
): string {
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return String(before);
  const grid = steps.reduce((divisor, { at }) => greatestCommonDivisor(divisor, at - first.at), 0);
  if (Number.isInteger(first.at) && grid >= (last.at - first.at) / mostListed) {
    const width = Math.max(1, grid);
    let step = 0;
    const values = Array.from({ length: (last.at - first.at) / width + 1 }, (_, slot) => {
      while ((steps[step + 1]?.at ?? Number.POSITIVE_INFINITY) <= first.at + slot * width) step++;
      return steps[step]?.value ?? before;
    });
    const place = `least(greatest(${x} - ${first.at - width}, 0) // ${width}, ${values.length})`;
    return `${listSql([before, ...values])}[${place} + 1]`;
  }
  const from = Math.floor(first.at);
  const width = Math.max(1, Math.ceil((last.at - from + 1) / slots));
  const inForce = Array.from(
    { length: slots + 1 },
    (_, slot) => steps.findLastIndex(({ at }) => at <= from + slot * width) + 1,
  );
  const within = inForce.slice(1).map((index, slot) => index - (inForce[slot] ?? 0));
  const ats = listSql(steps.map(({ at }) => Math.ceil(at)));
  const slot = `least(greatest(${x} - ${from}, 0) // ${width}, ${slots}) + 1`;
  const begun = `${listSql(inForce)}[${slot}]`;
  const due = Array.from(
    { length: Math.max(...within) },
    (_, more) => ` + CAST(coalesce(${ats}[${begun} + ${more + 1}] <= ${x}, false) AS INTEGER)`,
  );
  const inOrder = `${listSql([before, ...steps.map(({ value }) => value)])}[${begun} + 1${due.join('')}]`;
  return `if(${x} < ${from}, ${before}, ${inOrder})`;
}

/** A list as text is cast at once, where each number of a list of numbers would be an expression to plan. */
export function listSql(numbers: readonly number[]): string {
  return `('[${numbers}]'::BIGINT[])`;
}

export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
