import { countBelow, floats } from '../../../limits/arrays.ts';
import { type EndConvention, type SessionDay, sessionDays } from '../../../vocabulary/analytics.ts';
import { dayMs } from '../../../vocabulary/quantities.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { type Accounts, waysToShare } from '../conventions/whose-data.ts';
import { isDateTime, zonesOf } from '../conventions/zones.ts';
import { allProducts } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { periodIn, rankIn } from './cells.ts';
import type { SessionCounts } from './expectation.ts';

/** Frames of conventions that no query of the run tells apart, since each session is in or out alike. */
export interface FrameClass {
  /** The one that is evaluated for all. */
  readonly frame: Frame;
  readonly members: readonly Frame[];
}

/** No session of a run is that far from its start. */
const farMs = 400 * dayMs;

/**
 * Every frame of conventions that the queries can be asked in, sessions dated by their creation, in order of preference.
 * `keys`: those that opened sessions or asked. `promisedZone`: stands for its group of zones under its own name; `zeroMs`: when the run began.
 */
export function candidateFrames(
  queries: readonly Query[],
  keys: readonly Role[],
  allowed: Pick<Allowed, 'account'>,
  promisedZone: string | undefined,
  zeroMs: number,
): Frame[] {
  const withTimes = queries.some((query) => isDateTime(query.endDate));
  const ends: EndConvention[] = withTimes
    ? ['inclusive', 'inclusive-day', 'exclusive']
    : ['inclusive', 'exclusive'];
  const ways = waysSeen(queries, waysToShare(keys), allowed);
  const days = queries.flatMap(({ startDate, endDate }) => [startDate.slice(0, 10), endDate.slice(0, 10)]);
  // What zones were like long ago does not matter to a run.
  const zones = zonesOf(
    days.filter((day) => Math.abs(Date.parse(day) - zeroMs) < farMs),
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

/** How many of some things lie below an instant, each `n` times at its own cut. */
type Below = (atMs: number) => number;

/** Between which sessions an instant lies, and between which events of those that go on past a cut. */
interface Marks {
  readonly created: readonly Below[];
  readonly acts: readonly Below[];
  /** How many sessions began before an instant and went on past it. */
  readonly straddling: Below;
}

function marksOf({ cells, crossers, cuts }: SessionCounts): Marks {
  const below = (things: readonly { readonly at: number; readonly n: number }[]): Below => {
    const inOrder = things.toSorted((a, b) => a.at - b.at);
    const places = floats(inOrder.length, (k) => inOrder[k]?.at ?? 0);
    const sums = new Float64Array(inOrder.length + 1);
    for (const [k, { n }] of inOrder.entries()) sums[k + 1] = (sums[k] ?? 0) + n;
    return (atMs) => sums[countBelow(places, rankIn(cuts, atMs))] ?? 0;
  };
  const at = (instants: readonly number[]): Below =>
    below(instants.map((atMs) => ({ at: rankIn(cuts, atMs), n: 1 })));
  const crossing = crossers.get(allProducts) ?? [];
  const acts = crossing.flatMap((crosser) => crosser.acts);
  const all = cells.get(allProducts);
  const begun = at(crossing.map(({ from_ms }) => from_ms));
  const over = at(crossing.map(({ last_to_ms }) => last_to_ms));
  return {
    created: [
      below(all.map(({ from_cut, n }) => ({ at: from_cut, n }))),
      below(all.map(({ n, to_cut }) => ({ at: to_cut, n }))),
    ],
    acts: [at(acts.map(({ from_ms }) => from_ms)), at(acts.map(({ to_ms }) => to_ms))],
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
  sessions: SessionCounts,
): FrameClass[] {
  const marks = marksOf(sessions);
  const asked = [...new Map(queries.map((query) => [`${query.startDate} ${query.endDate}`, query])).values()];
  const classes = new Map<string, Frame[]>();
  // Where sessions are cut, whatever their account: the same for every way to share accounts.
  const cutsOfDays = new Map<string, ReadonlyMap<SessionDay, string>>();
  for (const frame of frames) {
    const name = `${frame.end} ${frame.zone.name}`;
    const ofDays = cutsOfDays.get(name) ?? cutsByDay(asked, frame, marks);
    cutsOfDays.set(name, ofDays);
    for (const day of sessionDays) {
      const signature = `${frame.account.id} ${ofDays.get(day)}`;
      classes.set(signature, [...(classes.get(signature) ?? []), { ...frame, day }]);
    }
  }
  return [...classes.values()].map((members) => ({ frame: first(members), members }));
}

/** Between which sessions, and which events in them, a frame cuts, by what dates a session. */
function cutsByDay(
  asked: readonly Query[],
  frame: Frame,
  { acts, created, straddling }: Marks,
): ReadonlyMap<SessionDay, string> {
  const ends = asked.flatMap((query) => {
    const period = periodIn(frame, query);
    return period === undefined ? [] : [period.startMs, period.endLowMs, period.endHighMs];
  });
  const placed = (marks: readonly Below[]): number[] =>
    ends.flatMap((atMs) => marks.map((mark) => mark(atMs)));
  const [plain, split] = [placed(created), ends.some((atMs) => straddling(atMs) > 0)];
  const within = split ? placed(acts) : [];
  return new Map(
    sessionDays.map((day) => [
      day,
      JSON.stringify([plain, day === 'creation' || !split ? [] : [day, within]]),
    ]),
  );
}

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw new Error('a class without members');
  return one;
}
