import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Table } from '../../history/tables.ts';
import type { Bounds } from '../../vocabulary/bounds.ts';
import { dayMs } from '../../vocabulary/quantities.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { Frame } from './conventions.ts';
import type { Inferred, Separation } from './conventions-found.ts';
import { type Period, periodOf } from './period.ts';
import type { Choice } from './search.ts';
import type { ConventionName } from './vocabulary.ts';
import { utc, zonesOf } from './zones.ts';

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
      values,
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
  const [span] = await history.rows(
    z.object({ from_ms: z.number(), to_ms: z.number() }),
    `SELECT min(from_ms) AS from_ms, max(to_ms) AS to_ms FROM ${sessions} HAVING count(*) > 0`,
  );
  if (span === undefined) return null;
  const day = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);
  const periods = [-1, 0, 1].map((more) => day(span.from_ms + more * dayMs));
  const last = day(span.to_ms);
  const totals = new TotalsByPeriod({ history, sessions });
  for (const other of [...others.values()].slice(0, 12)) {
    const asked = periods.flatMap((start) =>
      [start, last].flatMap((end) => {
        const [ours, theirs] = [one, other].map((frame) => periodOf(start, end, frame.end, frame.zone));
        return end < start || ours === undefined || theirs === undefined
          ? []
          : [{ start, end, ours, theirs }];
      }),
    );
    await totals.count(asked.flatMap(({ ours, theirs }) => [ours, theirs]));
    for (const { start, end, ours, theirs } of asked) {
      const [a, b] = [totals.of(ours), totals.of(theirs)];
      if (a.max < b.min || b.max < a.min)
        return { start_date: start, end_date: end, says: { [value(one)]: a, [value(other)]: b } };
    }
  }
  return null;
}

/** total_sessions of periods as the run's own sessions make it. Many periods are one question: each question has its price. */
class TotalsByPeriod {
  readonly #run: RunSessions;
  readonly #totals = new Map<string, Bounds>();

  constructor(run: RunSessions) {
    this.#run = run;
  }

  async count(periods: readonly Period[]): Promise<void> {
    const fresh = [...new Map(periods.map((period) => [nameOf(period), period]))].filter(
      ([name]) => !this.#totals.has(name),
    );
    if (fresh.length === 0) return;
    const columns = fresh.map(
      ([, { startMs, endLowMs, endHighMs }]) =>
        `[count(*) FILTER (certain AND from_ms >= ${startMs} AND to_ms < ${endLowMs}),
          count(*) FILTER (to_ms >= ${startMs} AND from_ms < ${endHighMs})]`,
    );
    const [row] = await this.#run.history.rows(
      z.object({ totals: z.array(z.tuple([z.coerce.number(), z.coerce.number()])) }),
      `SELECT [${columns.join(', ')}] AS totals FROM ${this.#run.sessions}`,
    );
    for (const [place, [name]] of fresh.entries()) {
      const [min, max] = row?.totals[place] ?? [0, 0];
      this.#totals.set(name, { min, max });
    }
  }

  of(period: Period): Bounds {
    return this.#totals.get(nameOf(period)) ?? { min: 0, max: 0 };
  }
}

function nameOf({ startMs, endLowMs, endHighMs }: Period): string {
  return `${startMs} ${endLowMs} ${endHighMs}`;
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
