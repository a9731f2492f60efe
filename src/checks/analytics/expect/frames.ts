import { type EndConvention, type SessionDay, sessionDays } from '../../../vocabulary/analytics.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { type Accounts, waysToShare } from '../conventions/whose-data.ts';
import { isDateTime, zonesOf } from '../conventions/zones.ts';
import { allProducts } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { periodIn, rankIn } from './cells.ts';
import type { SessionCounts } from './expectation.ts';
import type { Cuts } from './summary.ts';

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

/** How many of some instants, told by their cuts, lie before each cut. */
function countBefore(
  cuts: Cuts,
  counts: readonly { readonly cut: number; readonly n: number }[],
): (atMs: number) => number {
  const sums = new Float64Array(cuts.instants.length + 2);
  for (const { cut, n } of counts) sums[cut + 1] = (sums[cut + 1] ?? 0) + n;
  for (let cut = 1; cut < sums.length; cut++) sums[cut] = (sums[cut] ?? 0) + (sums[cut - 1] ?? 0);
  return (atMs) => sums[rankIn(cuts, atMs)] ?? 0;
}

/** Where the run's sessions, and the events of those that go on past a cut, lie among the cuts. */
interface Spans {
  readonly created: readonly ((atMs: number) => number)[];
  readonly acts: readonly ((atMs: number) => number)[];
  /** How many sessions began before an instant and went on past it. */
  straddling(atMs: number): number;
}

function spansOf({ cells, crossers, cuts }: SessionCounts): Spans {
  const all = cells.get(allProducts) ?? [];
  const crossing = crossers.get(allProducts) ?? [];
  const at = (instants: readonly number[]): ((atMs: number) => number) =>
    countBefore(
      cuts,
      instants.map((atMs) => ({ cut: rankIn(cuts, atMs), n: 1 })),
    );
  const acts = crossing.flatMap((crosser) => crosser.acts);
  const begun = at(crossing.map(({ fromMs }) => fromMs));
  const over = at(crossing.map(({ lastToMs }) => lastToMs));
  return {
    created: [
      countBefore(
        cuts,
        all.map(({ from, n }) => ({ cut: from, n })),
      ),
      countBefore(
        cuts,
        all.map(({ n, to }) => ({ cut: to, n })),
      ),
    ],
    acts: [at(acts.map(({ fromMs }) => fromMs)), at(acts.map(({ toMs }) => toMs))],
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
  const spans = spansOf(sessions);
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
