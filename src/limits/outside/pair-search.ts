import type { Arrivals } from '../arrivals.ts';
import { keyOf, type LimiterKind, type Settled, scaleNsOf, windowNsOf } from '../kinds/kind.ts';
import { kindOf } from '../kinds/table.ts';
import { roundestMs } from '../round-number.ts';
import { logarithmic, type Span } from '../span.ts';
import { admitted, ambiguous } from '../trace.ts';

/** Two limits, the shorter window first. A request has to pass both, and only what passes both is counted. */
export interface Pair {
  readonly short: Settled;
  readonly long: Settled;
  /** How many rejections the one explains and the other does not; the smaller of the two counts. */
  readonly needed: number;
}

/** A limit by itself, with what it had counted when each request arrived. */
interface Single {
  readonly settled: Settled;
  readonly windowNs: number;
  readonly loads: Loads;
  /** Rejections that the limit explains. */
  readonly explains: Uint8Array;
  /** Admissions above the limit. */
  readonly above: number;
}

/** The loads at admissions and at rejections, each in the order of arrival. */
interface Loads {
  readonly admitted: Float64Array;
  readonly rejected: Float64Array;
}

/** Ratio of neighbouring windows at first. */
const firstRatio = 1.05;
/** How far around a window others are tried, and in how many steps. */
const rounds = [
  { width: 1.05, steps: 24 },
  { width: 1.005, steps: 12 },
] as const;
/** Guessed arrivals put this part of the admissions, and this many, above a limit that is right. */
const misplaced = { part: 0.002, count: 2 };
/** A limit of a pair explains at least this part of the rejections; how many times the one is as the other, at least. */
const least = { explained: 0.03, ratio: 1.5, rate: 1.1 };
/** Pairs that are looked at closely. */
const mostRefined = 5;
/** Noise of the target's arithmetic, in tokens. */
const tokenNoise = 0.02;

/**
 * Pairs of limits that come nearest to the answers. Each limit is taken by itself first: it has room for all that was
 * admitted, and each rejection is explained by one of the two.
 */
export function nearestPairs(
  kinds: readonly LimiterKind[],
  arrivals: readonly Arrivals[],
  windows: Span,
  aligned: readonly Settled[],
): Pair[] {
  const anyLimit = { limit: 0, boundaryNs: 0 };
  const tried = kinds.flatMap((kind) =>
    logarithmic(scalesOf(kind, windows, arrivals), firstRatio).map((scale) => ({
      ...anyLimit,
      kind: keyOf(kind),
      scaleNs: middleOf(scale),
    })),
  );
  const singles = [...tried, ...aligned]
    .map((settled) => singleOf(settled, arrivals))
    .filter(({ explains }) => countOf(explains) >= least.explained * explains.length);
  return bestPairs(singles).map(({ long, short }) => {
    const isFree = ({ settled }: Single): boolean => !aligned.some(({ kind }) => kind === settled.kind);
    let [one, other] = [short, long];
    const near = (single: Single, beside: Single, round: (typeof rounds)[number]): Single =>
      isFree(single)
        ? refined(single, beside, round, arrivals)
        : bestLimit(single.settled, beside, arrivals).single;
    for (const round of rounds) {
      other = near(other, one, round);
      one = near(one, other, round);
    }
    return { short: one.settled, long: other.settled, needed: neededFor(one, other) };
  });
}

function scalesOf({ scale }: LimiterKind, windows: Span, arrivals: readonly Arrivals[]): Span {
  if (scale === 'window') return windows;
  const requests = arrivals.reduce((sum, { atNs }) => sum + atNs.length, 0);
  return { loNs: windows.hiNs / requests / 10, hiNs: windows.hiNs / 10 };
}

function middleOf({ loNs, hiNs }: Span): number {
  return Math.sqrt(loNs * hiNs);
}

/** The smallest limit that leaves room for all that was admitted, but for wrong guesses. */
function singleOf(settled: Settled, arrivals: readonly Arrivals[]): Single {
  const loads = loadsOf(settled, arrivals);
  const descending = loads.admitted.toSorted().toReversed();
  const spare = Math.floor(misplaced.count + misplaced.part * descending.length);
  return withLimit(settled, loads, Math.ceil((descending[spare] ?? 0) - tokenNoise) + 1);
}

function withLimit(settled: Settled, loads: Loads, limit: number): Single {
  return {
    settled: { ...settled, limit },
    windowNs: windowNsOf(kindOf(settled), limit, settled.scaleNs),
    loads,
    explains: Uint8Array.from(loads.rejected, (load) => (load > limit - 1 ? 1 : 0)),
    above: loads.admitted.reduce((sum, load) => sum + (load > limit - 1 + tokenNoise ? 1 : 0), 0),
  };
}

/** What a limit has counted does not depend on its size, as long as only what was admitted counts. */
function loadsOf(settled: Settled, arrivals: readonly Arrivals[]): Loads {
  const kind = kindOf(settled);
  const loads = { admitted: [] as number[], rejected: [] as number[] };
  for (const { atNs, outcome } of arrivals) {
    let load = 0;
    const decide = kind.decide({ ...settled, limit: Number.MAX_SAFE_INTEGER }, (met) => {
      load = met;
    });
    for (let k = 0; k < atNs.length; k++) {
      const isAdmitted = outcome[k] === admitted;
      decide(atNs[k] as number, isAdmitted);
      if (outcome[k] !== ambiguous) loads[isAdmitted ? 'admitted' : 'rejected'].push(load);
    }
  }
  return { admitted: Float64Array.from(loads.admitted), rejected: Float64Array.from(loads.rejected) };
}

interface Found {
  readonly short: Single;
  readonly long: Single;
  readonly explained: number;
}

/** The best pair of each two kinds, the best of all first. */
function bestPairs(singles: readonly Single[]): Found[] {
  const found = new Map<string, Found>();
  for (const [at, one] of singles.entries())
    for (const other of singles.slice(at + 1)) {
      const [short, long] = one.windowNs < other.windowNs ? [one, other] : [other, one];
      if (!isPair(short, long)) continue;
      const explained = unionOf(short.explains, long.explains) - short.above - long.above;
      const key = `${short.settled.kind} ${long.settled.kind}`;
      if (explained > (found.get(key)?.explained ?? 0)) found.set(key, { short, long, explained });
    }
  return [...found.values()].toSorted((a, b) => b.explained - a.explained).slice(0, mostRefined);
}

/** A shorter window with as large a limit, or with a lower rate, would leave nothing to the other. */
function isPair(short: Single, long: Single): boolean {
  const [one, other] = [short.settled.limit, long.settled.limit];
  return (
    long.windowNs >= least.ratio * short.windowNs &&
    other >= least.ratio * one &&
    one / short.windowNs >= least.rate * (other / long.windowNs)
  );
}

function neededFor({ explains: a }: Single, { explains: b }: Single): number {
  const both = unionOf(a, b);
  return Math.min(both - countOf(a), both - countOf(b));
}

function unionOf(a: Uint8Array, b: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < a.length; at++) count += (a[at] as number) | (b[at] as number);
  return count;
}

function countOf(bits: Uint8Array): number {
  return bits.reduce((sum, bit) => sum + bit, 0);
}

/** The window around a limit's, and the limit, with which it errs least beside another; of a range, the roundest. */
function refined(
  single: Single,
  beside: Single,
  { steps, width }: (typeof rounds)[number],
  arrivals: readonly Arrivals[],
): Single {
  const { scaleNs } = single.settled;
  const span = { loNs: scaleNs / width, hiNs: scaleNs * width };
  const tried = logarithmic(span, width ** (2 / steps)).map((scale) =>
    bestLimit({ ...single.settled, scaleNs: middleOf(scale) }, beside, arrivals),
  );
  const fewest = Math.min(...tried.map(({ wrong }) => wrong));
  const near = tried.filter(({ wrong }) => wrong <= fewest + 1).map((each) => each.single.settled);
  const [first, last] = [near[0] ?? single.settled, near.at(-1) ?? single.settled];
  const kind = kindOf(first);
  const [loMs, hiMs] = [first, last].map(({ limit, scaleNs: ns }) => windowNsOf(kind, limit, ns) / 1e6);
  const roundMs = roundestMs(loMs as number, hiMs as number);
  const candidates = [
    ...(roundMs === undefined ? [] : [scaleNsOf(kind, first.limit, roundMs * 1e6)]),
    (first.scaleNs + last.scaleNs) / 2,
  ].map((ns) => bestLimit({ ...single.settled, scaleNs: ns }, beside, arrivals));
  const [best] = [...candidates, ...tried].toSorted((a, b) => a.wrong - b.wrong);
  const round = candidates.find(({ wrong }) => wrong <= fewest + 1);
  return (round ?? best)?.single ?? single;
}

/** The limit that errs least: admissions above it, and rejections below it that nothing else explains. */
function bestLimit(
  settled: Settled,
  beside: Single,
  arrivals: readonly Arrivals[],
): { readonly single: Single; readonly wrong: number } {
  const loads = loadsOf(settled, arrivals);
  const unexplained = loads.rejected.filter((_, at) => beside.explains[at] === 0);
  // By the limit with which a load is just too high.
  const limitOf = (load: number): number => Math.ceil(load - tokenNoise);
  const most = loads.admitted.reduce((all, load) => Math.max(all, limitOf(load)), 0) + 1;
  const balance = new Int32Array(most + 2);
  // With a limit of L, admissions at a load above L − 1 are wrong, and rejections at a load of L − 1 or less.
  for (const load of loads.admitted) balance[limitOf(load) + 1] = (balance[limitOf(load) + 1] as number) - 1;
  for (const load of unexplained) {
    const from = Math.min(most + 1, limitOf(load) + 1);
    balance[from] = (balance[from] as number) + 1;
  }
  let wrong = loads.admitted.length;
  let best = { limit: 1, wrong: Number.POSITIVE_INFINITY };
  for (let limit = 1; limit <= most; limit++) {
    wrong += balance[limit] as number;
    if (wrong < best.wrong) best = { limit, wrong };
  }
  return { single: withLimit(settled, loads, best.limit), wrong: best.wrong };
}

/** Both limits at work. */
export function decidingPair({
  short,
  long,
}: Pick<Pair, 'short' | 'long'>): (atNs: number, passed?: boolean) => boolean {
  const [one, other] = [short, long].map((settled) => kindOf(settled).decide(settled));
  if (one === undefined || other === undefined) throw new Error('a pair has two limits');
  return (atNs, passed) => {
    const byShort = one(atNs, passed);
    return other(atNs, passed) && byShort;
  };
}
