import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { Table } from '../../../history/tables.ts';
import type { ConventionName } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Frame } from '../conventions/conventions.ts';
import { type Period, periodOf } from '../conventions/period.ts';
import { utc, zonesOf } from '../conventions/zones.ts';
import type { Inferred, Separation } from './conventions-found.ts';
import type { Choice } from './search.ts';

/** The sessions of a run, and what they can be asked by. */
export interface RunSessions {
  readonly history: History;
  readonly sessions: Table<'certain from_ms to_ms'>;
}

/** For each open convention, the query or the event that would tell. */
export async function separations(
  { history, sessions }: RunSessions,
  conventions: readonly Inferred[],
  fitting: readonly Choice[],
  allowed: (frame: Frame) => boolean,
): Promise<Separation[]> {
  const frames = fitting.flatMap(({ evaluation }) => evaluation.of.members.filter(allowed));
  const found: Separation[] = [];
  for (const { name, values } of conventions) {
    if (values.length < 2 || name === 'date_format') continue;
    const query =
      name === 'end_date' || name === 'time_zone'
        ? await separatingQuery({ history, sessions }, name, frames)
        : null;
    found.push({
      convention: name,
      query,
      reason:
        query !== null
          ? queryReason(name, query)
          : name === 'time_zone'
            ? zoneReason(frames)
            : reason('separation-session', { convention: name }),
    });
  }
  return found;
}

/** A period about this run for which two values say different totals; null where none does. */
async function separatingQuery(
  { history, sessions }: RunSessions,
  name: 'end_date' | 'time_zone',
  frames: readonly Frame[],
): Promise<Separation['query']> {
  const value = (frame: Frame): string => (name === 'end_date' ? frame.end : frame.zone.name);
  const [one] = frames;
  const others = new Map(
    frames
      .filter((frame) => one !== undefined && value(frame) !== value(one))
      .map((frame) => [value(frame), frame]),
  );
  if (one === undefined) return null;
  if (others.size === 0) return null;
  const minutes = await history.rows(
    minuteRow,
    `SELECT certain, from_ms // ${minuteMs} * ${minuteMs} AS from_ms, to_ms // ${minuteMs} * ${minuteMs} AS to_ms, count(*) AS n
     FROM ${sessions} GROUP BY ALL ORDER BY from_ms`,
  );
  const [first] = minutes;
  if (first === undefined) return null;
  const day = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);
  const periods = [-1, 0, 1].map((more) => day(first.from_ms + more * dayMs));
  const last = day(minutes.reduce((latest, { to_ms }) => Math.max(latest, to_ms), 0));
  for (const other of [...others.values()].slice(0, 12)) {
    for (const start of periods) {
      for (const end of [start, last]) {
        const [ours, theirs] = [one, other].map((frame) => periodOf(start, end, frame.end, frame.zone));
        if (end < start || ours === undefined || theirs === undefined) continue;
        const [a, b] = [totalOf(minutes, ours), totalOf(minutes, theirs)];
        if (a.max < b.min || b.max < a.min)
          return { start_date: start, end_date: end, says: { [value(one)]: a, [value(other)]: b } };
      }
    }
  }
  return null;
}

/** Days begin at whole minutes in every zone, so sessions of the same minutes are in the same periods of days. */
const minuteMs = 60_000;

const minuteRow = z.object({ certain: z.boolean(), from_ms: z.number(), to_ms: z.number(), n: z.number() });

/** total_sessions of a period of days as the run's own sessions make it. */
function totalOf(
  minutes: readonly z.output<typeof minuteRow>[],
  { endHighMs, endLowMs, startMs }: Period,
): Bounds {
  let [min, max] = [0, 0];
  for (const { certain, from_ms, n, to_ms } of minutes) {
    if (certain && from_ms >= startMs && to_ms < endLowMs) min += n;
    if (to_ms >= startMs && from_ms < endHighMs) max += n;
  }
  return { min, max };
}

function queryReason(
  convention: ConventionName,
  { start_date: start, end_date: end, says }: NonNullable<Separation['query']>,
): Reason {
  const totals = Object.entries(says).map(([value, total]) => ({ value, total }));
  return reason('separation-query', { convention, start, end, says: totals });
}

/** When a session has to be created for two of the zones to date it differently. */
function zoneReason(frames: readonly Frame[]): Reason {
  const zones = [...new Map(frames.map(({ zone }) => [zone.name, zone])).values()];
  const [one = utc] = zones;
  const other = zones.find((zone) => zone.name !== one.name) ?? zonesOf(['2026-01-01'])[1] ?? utc;
  const starts = [one, other].map((zone) => zone.dayStartMs('2026-06-15')).sort((a, b) => a - b);
  const [from = '', to = ''] = starts.map((epochMs) => new Date(epochMs).toISOString().slice(11, 16));
  return reason('separation-zones', { from, to, zones: [one.label, other.label] });
}
