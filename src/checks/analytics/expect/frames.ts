import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import type { TableWith } from '../../../history/tables.ts';
import { type EndConvention, type SessionDay, sessionDays } from '../../../vocabulary/analytics.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { type Accounts, waysToShare } from '../conventions/whose-data.ts';
import { isDateTime, zonesOf } from '../conventions/zones.ts';
import type { Query } from '../record/questions.ts';
import { type Cells, periodIn, rankIn } from './cells.ts';
import type { Crossings } from './crossings.ts';
import type { Cuts, Summary } from './summary.ts';

/** Frames of conventions that no query of the run tells apart, since each session is in or out alike. */
export interface FrameClass {
  /** The one that is evaluated for all. */
  readonly frame: Frame;
  readonly members: readonly Frame[];
}

/**
 * Every frame of conventions that the queries can be asked in, sessions dated by their creation, in order of preference.
 * `keys`: those that opened sessions or asked. `promisedZone`: stands for its group of zones under its own name.
 */
export function candidateFrames(
  queries: readonly Query[],
  keys: readonly Role[],
  allowed: Pick<Allowed, 'account'>,
  promisedZone: string | undefined,
): Frame[] {
  const withTimes = queries.some((query) => isDateTime(query.endDate));
  const ends: EndConvention[] = withTimes
    ? ['inclusive', 'inclusive-day', 'exclusive']
    : ['inclusive', 'exclusive'];
  const ways = waysSeen(queries, waysToShare(keys), allowed);
  const days = queries.flatMap(({ startDate, endDate }) => [startDate.slice(0, 10), endDate.slice(0, 10)]);
  const zones = zonesOf(
    days.filter((day) => !Number.isNaN(Date.parse(day))),
    promisedZone,
  );
  return ways.flatMap((account) =>
    zones.flatMap((zone) => ends.map((end): Frame => ({ end, account, zone, day: 'creation' }))),
  );
}

/** One of each of the ways that the keys that asked can tell apart, an allowed one where there is any. */
function waysSeen(
  queries: readonly Query[],
  ways: readonly Accounts[],
  allowed: Pick<Allowed, 'account'>,
): Accounts[] {
  const asked = [...new Set(queries.map(({ credential }) => credential))];
  const seen = ({ of }: Accounts): string => asked.map((key) => of[key].join('+')).join(' ');
  return [...Map.groupBy(ways, seen).values()].map(
    (alike) => alike.find((way) => allowed.account(way)) ?? first(alike),
  );
}

const rankRow = z.object({ cut: z.number(), n: z.number() });

/** How many of some instants lie before each cut. */
async function countBefore(history: History, cuts: Cuts, sql: string): Promise<(atMs: number) => number> {
  const sums = new Float64Array(cuts.instants.length + 2);
  for (const { cut, n } of await history.rows(rankRow, sql)) sums[cut + 1] = n;
  for (let cut = 1; cut < sums.length; cut++) sums[cut] = (sums[cut] ?? 0) + (sums[cut - 1] ?? 0);
  return (atMs) => sums[rankIn(cuts, atMs)] ?? 0;
}

/** Where the run's sessions, and the events of those that go on past a cut, lie among the cuts. */
export interface Spans {
  readonly created: readonly ((atMs: number) => number)[];
  readonly acts: readonly ((atMs: number) => number)[];
  /** How many sessions began before an instant and went on past it. */
  straddling(atMs: number): number;
}

interface SpanSource {
  readonly cells: Cells;
  readonly cutTable: Summary['cuts'];
  readonly crossings: Crossings | undefined;
}

export async function spansOf(
  history: History,
  cuts: Cuts,
  { cells, crossings, cutTable }: SpanSource,
): Promise<Spans> {
  const before = (sql: string): Promise<(atMs: number) => number> => countBefore(history, cuts, sql);
  const ranked = <Column extends string>(
    column: Column,
    table: TableWith<Column>,
  ): Promise<(atMs: number) => number> =>
    before(
      `SELECT coalesce(c.cut, 0) AS cut, count(*) AS n FROM ${table} a ASOF LEFT JOIN ${cutTable} c ON a.${column} >= c.at_ms GROUP BY 1`,
    );
  const celled = `SELECT cut AS from_cut, cut AS to_cut, n FROM ${cells.solid} UNION ALL SELECT from_cut, to_cut, n FROM ${cells.loose}`;
  const created = [
    await before(`SELECT from_cut AS cut, sum(n) AS n FROM (${celled}) GROUP BY 1`),
    await before(`SELECT to_cut AS cut, sum(n) AS n FROM (${celled}) GROUP BY 1`),
  ];
  if (crossings === undefined) return { created, acts: [], straddling: () => 0 };
  const begun = await ranked('from_ms', crossings.sessions);
  const over = await ranked('last_to_ms', crossings.sessions);
  return {
    created,
    acts: [await ranked('from_ms', crossings.acts), await ranked('to_ms', crossings.acts)],
    straddling: (atMs) => begun(atMs) - over(atMs),
  };
}

/**
 * Groups frames by what they do to the run's sessions: two that cut between the same sessions are one class. Frames that
 * date sessions by interactions are added where some session goes on past one of the ends.
 */
export function frameClasses(
  queries: readonly Query[],
  frames: readonly Frame[],
  spans: Spans,
): FrameClass[] {
  const asked = [...new Map(queries.map((query) => [`${query.startDate} ${query.endDate}`, query])).values()];
  const classes = new Map<string, Frame[]>();
  // Where sessions are cut, whatever their account: the same for every way to share accounts.
  const cutsOfDays = new Map<string, ReadonlyMap<SessionDay, string>>();
  for (const frame of frames) {
    const name = `${frame.end} ${frame.zone.name}`;
    const ofDays = cutsOfDays.get(name) ?? cutsByDay(asked, frame, spans);
    cutsOfDays.set(name, ofDays);
    for (const day of sessionDays) {
      const signature = `${frame.account.id} ${ofDays.get(day)}`;
      classes.set(signature, [...(classes.get(signature) ?? []), { ...frame, day }]);
    }
  }
  return [...classes.values()].map((members) => ({ frame: first(members), members }));
}

/** Between which sessions, and which events in them, a frame cuts, by what dates a session. */
function cutsByDay(asked: readonly Query[], frame: Frame, spans: Spans): ReadonlyMap<SessionDay, string> {
  const ends = asked.flatMap((query) => {
    const period = periodIn(frame, query);
    return period === undefined ? [] : [period.startMs, period.endLowMs, period.endHighMs];
  });
  const created = ends.map((atMs) => spans.created.map((count) => count(atMs)));
  const acts = ends.map((atMs) => spans.acts.map((count) => count(atMs)));
  const split = ends.some((atMs) => spans.straddling(atMs) > 0);
  return new Map(
    sessionDays.map((day) => [
      day,
      JSON.stringify([created, day === 'creation' || !split ? [] : [day, acts]]),
    ]),
  );
}

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw new Error('a class without members');
  return one;
}
