import type { History } from '../../history/history.ts';
import { type ClockOffset, dateHeaderSlackMs } from './clock.ts';
import { earliestSql, latestSql } from './moved-clock.ts';

/**
 * A request that was given up on may still be on its way to the target. After this time it has arrived, if ever: far
 * above any queueing of a single request inside a network path, far below the time a run takes to settle.
 */
export const lateArrivalMs = 1_000;

/**
 * Makes the SQL macros `analytics_earliest` and `analytics_latest`: between which instants of the target's clock (epoch
 * ms, rounded outwards) it did what a request asked for, from `(sent_ns, answered_ns, ok, date_ms)`, `ok` meaning a 2xx
 * answer and `date_ms` its `Date` header. Sent…answered, moved by the clock's offset; where an answer names its own
 * instant, that holds even if the target's clock is moved during the run.
 */
export async function defineInstants(history: History, offset: ClockOffset): Promise<void> {
  const late = `if(ok, 0, ${lateArrivalMs})`;
  const bySending = `${earliestSql(offset.clock, 'sent_ns')} + ${Math.floor(offset.lowMs)}`;
  const byAnswer = `${latestSql(offset.clock, `(coalesce(answered_ns, sent_ns) + ${late} * 1_000_000)`)} + ${Math.ceil(offset.highMs)}`;
  const dated = 'ok AND date_ms IS NOT NULL AND answered_ns IS NOT NULL';
  // A steady offset has every Date header in it already.
  const [from, to] = offset.steady
    ? [bySending, byAnswer]
    : [
        `if(${dated}, date_ms - (answered_ns - sent_ns) // 1_000_000 - 1, ${bySending})`,
        `if(${dated}, date_ms + ${dateHeaderSlackMs}, ${byAnswer})`,
      ];
  await history.execute(`
    CREATE OR REPLACE TEMP MACRO analytics_earliest(sent_ns, answered_ns, ok, date_ms) AS ${from};
    CREATE OR REPLACE TEMP MACRO analytics_latest(sent_ns, answered_ns, ok, date_ms) AS ${to};
  `);
}
