import type { History } from '../../history/history.ts';
import type { Profile } from '../../target/profile.ts';
import { clockErrorNs } from '../lost-shards.ts';
import { type ClockOffset, dateHeaderSlackMs } from './clock.ts';
import { earliestSql, latestSql } from './moved-clock.ts';

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

/**
 * Makes the SQL macros `analytics_earliest` and `analytics_latest`: between which instants of the target's clock (epoch
 * ms, rounded outwards) it did what a request asked for, from `(sent_ns, answered_ns, ok, date_ms)`, `ok` meaning a 2xx
 * answer and `date_ms` its `Date` header. Sent…answered, moved by the clock's offset; where an answer names its own
 * instant, that holds even if the target's clock is moved during the run.
 */
export async function defineInstants(history: History, offset: ClockOffset): Promise<void> {
  const lateNs = `if(ok, 0, ${lateArrivalMs(history.profile) * 1e6})`;
  const errorMs = clockErrorNs(history.run) / 1e6;
  const bySending = `${earliestSql(offset.clock, 'sent_ns')} + ${Math.floor(offset.lowMs - errorMs)}`;
  const byAnswer = `${latestSql(offset.clock, `(coalesce(answered_ns, sent_ns) + ${lateNs})`)} + ${Math.ceil(offset.highMs + errorMs)}`;
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
