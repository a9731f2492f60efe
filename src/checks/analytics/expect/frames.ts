import { countBelow, floats } from '../../../limits/arrays.ts';
import { type EndConvention, type SessionDay, sessionDays } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { Allowed, Frame } from '../conventions/conventions.ts';
import { type Accounts, waysToShare } from '../conventions/whose-data.ts';
import { isDateTime, type Period, zonesOf } from '../conventions/zones.ts';
import { allProducts } from '../record/facts.ts';
import type { Query } from '../record/questions.ts';
import { periodIn, rankIn, type SessionCell } from './cells.ts';
import { ownersOf, productOf, type SessionCounts } from './expectation.ts';

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

/** How many of some things lie below a cut, each `n` times at its own. */
type Below = (cut: number) => number;

function below(counts: readonly { readonly at: number; readonly n: number }[]): Below {
  const inOrder = counts.toSorted((a, b) => a.at - b.at);
  const places = floats(inOrder.length, (k) => inOrder[k]?.at ?? 0);
  const sums = new Float64Array(inOrder.length + 1);
  for (const [k, { n }] of inOrder.entries()) sums[k + 1] = (sums[k] ?? 0) + n;
  return (cut) => sums[countBelow(places, cut)] ?? 0;
}

/** A period among the cuts, and how many sessions go on past its ends. */
type PeriodPlace = Readonly<Record<'start' | 'low' | 'high' | 'straddling', number>>;

/** Where the run's sessions, and the events of those that go on past a cut, lie among the cuts. */
export class Spans {
  readonly #counts: SessionCounts;
  /** By product and credential. */
  readonly #ends = new Map<number, Map<number, Ends>>();
  readonly #places = new WeakMap<Period, PeriodPlace>();
  readonly #begun: Below;
  readonly #over: Below;
  readonly #marks: readonly Below[];
  readonly #actMarks: readonly Below[];

  constructor(counts: SessionCounts) {
    const crossing = counts.crossers.get(allProducts) ?? [];
    const at = (instants: readonly number[]): Below =>
      below(instants.map((atMs) => ({ at: rankIn(counts.cuts, atMs), n: 1 })));
    const acts = crossing.flatMap((crosser) => crosser.acts);
    const { from, to } = endsOf(counts.cells.get(allProducts));
    this.#counts = counts;
    this.#begun = at(crossing.map(({ from_ms }) => from_ms));
    this.#over = at(crossing.map(({ last_to_ms }) => last_to_ms));
    this.#marks = [from, to];
    this.#actMarks = [at(acts.map(({ from_ms }) => from_ms)), at(acts.map(({ to_ms }) => to_ms))];
  }

  #rank(atMs: number): number {
    return rankIn(this.#counts.cuts, atMs);
  }

  /** How many sessions began before an instant and went on past it. */
  straddling(atMs: number): number {
    const cut = this.#rank(atMs);
    return this.#begun(cut) - this.#over(cut);
  }

  /** Between which sessions an instant lies, and between which events of those that go on past a cut. */
  marks(atMs: number): readonly [created: number[], acts: number[]] {
    const cut = this.#rank(atMs);
    return [this.#marks.map((count) => count(cut)), this.#actMarks.map((count) => count(cut))];
  }

  /**
   * Quick bounds of total_sessions, for sorting out frames before they are evaluated in full. Too wide at most, never too
   * narrow. `moved`: for how many sessions it turns on what dates them.
   */
  total(frame: Frame, query: Query): (Bounds & { readonly moved: number }) | undefined {
    const period = periodIn(frame, query);
    if (period === undefined) return undefined;
    const { high, low, start, straddling } = this.#placeOf(period);
    const moved = frame.day === 'creation' ? 0 : straddling;
    const owners = ownersOf(frame, query.credential);
    let [min, max] = [-moved, moved];
    for (const [credential, { from, sureFrom, sureTo, to }] of this.#endsIn(productOf(this.#counts, query)))
      if (owners.includes(credential)) {
        min += sureTo(low) - sureFrom(start);
        max += from(high) - to(start);
      }
    return { min: Math.max(0, min), max, moved };
  }

  /** Many questions are about few periods. */
  #placeOf(period: Period): PeriodPlace {
    const place = this.#places.get(period) ?? {
      start: this.#rank(period.startMs),
      low: this.#rank(period.endLowMs),
      high: this.#rank(period.endHighMs),
      straddling: this.straddling(period.startMs) + this.straddling(period.endHighMs),
    };
    this.#places.set(period, place);
    return place;
  }

  #endsIn(product: number): Map<number, Ends> {
    const known = this.#ends.get(product);
    if (known !== undefined) return known;
    const byOwner = Map.groupBy(this.#counts.cells.get(product), ({ credential }) => credential);
    const ends = new Map([...byOwner].map(([credential, cells]) => [credential, endsOf(cells)]));
    this.#ends.set(product, ends);
    return ends;
  }
}

/** How many sessions began before a cut: surely, or by what is certain, and at most. */
type Ends = Readonly<Record<'from' | 'to' | 'sureFrom' | 'sureTo', Below>>;

function endsOf(cells: readonly SessionCell[]): Ends {
  const sure = cells.filter(({ certain }) => certain === 1);
  const at = (of: readonly SessionCell[], end: 'from_cut' | 'to_cut'): Below =>
    below(of.map((cell) => ({ at: cell[end], n: cell.n })));
  return {
    ...{ from: at(cells, 'from_cut'), to: at(cells, 'to_cut') },
    ...{ sureFrom: at(sure, 'from_cut'), sureTo: at(sure, 'to_cut') },
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
  const marks = ends.map((atMs) => spans.marks(atMs));
  const created = marks.map(([own]) => own);
  const acts = marks.map(([, own]) => own);
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
