import type { Arrivals } from '../arrivals.ts';
import { keyOf, type LimiterKind, type Settled } from '../kinds/kind.ts';
import { kindOf } from '../kinds/table.ts';
import { logarithmic, type Span } from '../span.ts';
import { admitted, limited } from '../trace.ts';
import {
  admittedCounted,
  bestLimit,
  type CountedArrivals,
  middleOf,
  type Neighbourhood,
  refined,
  type Single,
  singleOf,
} from './one-of-two.ts';

/** Two limits, the shorter window first. A request has to pass both. */
export interface LimitPair {
  readonly short: Settled;
  readonly long: Settled;
  /** Asked first: it counts what it lets pass, though the other rejects it. Without it, only what passes both counts. */
  readonly first?: 'short' | 'long';
  /** How many rejections the one explains and the other does not; the smaller of the two counts. */
  readonly needed: number;
}

/** Ratio of neighbouring windows at first. */
const firstRatio = 1.05;
const rounds: readonly Neighbourhood[] = [
  { width: 1.05, steps: 24 },
  { width: 1.005, steps: 12 },
];
/**
 * A limit of a pair explains at least this part of the rejections, and both together that part; how many times the one is as
 * the other, at least.
 */
const least = { explained: 0.03, together: 0.7, ratio: 1.5, rate: 1.1 };
/** Pairs that are looked at closely. */
const mostRefined = 5;

/**
 * Pairs of limits that come nearest to the answers. Each limit is taken by itself first: it has room for all that was
 * admitted, and each rejection is explained by one of the two.
 */
export function nearestPairs(
  kinds: readonly LimiterKind[],
  requests: readonly Arrivals[],
  windows: Span,
  aligned: readonly Settled[],
): LimitPair[] {
  const arrivals = requests.map(admittedCounted);
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
    .filter(({ explains }) => explains.countWith() >= least.explained * explains.length);
  const near: Near = (single, beside, { by, round }) =>
    aligned.some(({ kind }) => kind === single.settled.kind)
      ? bestLimit(single.settled, beside, by)
      : refined(single, beside, round, by);
  return bestPairs(singles).flatMap((found) => {
    const together = nearer(found, { short: arrivals, long: arrivals }, near);
    if (explainedBy(together) < least.together * together.short.explains.length) return [];
    const chains = (['short', 'long'] as const).map((first) => {
      const counted = { short: arrivals, long: arrivals, [first]: passing(together[first], arrivals) };
      return { ...pairOf(nearer(together, counted, near)), first };
    });
    return [pairOf(together), ...chains];
  });
}

/** A limit nearer to the answers, by the requests that it counts. */
type Near = (
  single: Single,
  beside: Single,
  how: { readonly by: readonly CountedArrivals[]; readonly round: Neighbourhood },
) => Single;

interface Two {
  readonly short: Single;
  readonly long: Single;
}

function nearer(two: Two, by: Readonly<Record<keyof Two, readonly CountedArrivals[]>>, near: Near): Two {
  let { long, short } = two;
  for (const round of rounds) {
    long = near(long, short, { by: by.long, round });
    short = near(short, long, { by: by.short, round });
  }
  return { short, long };
}

function pairOf({ long, short }: Two): LimitPair {
  return { short: short.settled, long: long.settled, needed: neededFor(short, long) };
}

/** What a limit that is asked first lets pass: what was admitted, and the rejections that it does not explain. */
function passing({ explains }: Single, arrivals: readonly CountedArrivals[]): CountedArrivals[] {
  let rejection = 0;
  return arrivals.map((each) => ({
    ...each,
    counted: each.outcome.map((outcome) =>
      outcome === admitted || (outcome === limited && !explains.has(rejection++)) ? 1 : 0,
    ),
  }));
}

function scalesOf({ scale }: LimiterKind, windows: Span, arrivals: readonly Arrivals[]): Span {
  if (scale === 'window') return windows;
  const requests = arrivals.reduce((sum, { atNs }) => sum + atNs.length, 0);
  return { loNs: windows.hiNs / requests / 10, hiNs: windows.hiNs / 10 };
}

interface FoundPair {
  readonly short: Single;
  readonly long: Single;
  readonly explained: number;
}

/** The best pair of each two kinds, the best of all first. */
function bestPairs(singles: readonly Single[]): FoundPair[] {
  const found = new Map<string, FoundPair>();
  for (const [at, one] of singles.entries())
    for (let next = at + 1; next < singles.length; next++) {
      const other = singles[next] as Single;
      const [short, long] = one.windowNs < other.windowNs ? [one, other] : [other, one];
      if (!isPair(short, long)) continue;
      const explained = explainedBy({ short, long });
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

/** Rejections that the two explain, less the admissions that one of them does not. */
function explainedBy({ long, short }: Two): number {
  return short.explains.countWith(long.explains) - short.above - long.above;
}

function neededFor({ explains: a }: Single, { explains: b }: Single): number {
  return a.countWith(b) - Math.max(a.countWith(), b.countWith());
}

/** Both limits at work. */
export function decidingPair({
  first,
  long,
  short,
}: Pick<LimitPair, 'short' | 'long' | 'first'>): (atNs: number, passed?: boolean) => boolean {
  const [one, other] = (first === 'long' ? [long, short] : [short, long]).map((settled) =>
    kindOf(settled).decide(settled),
  );
  if (one === undefined || other === undefined) throw new Error('a pair has two limits');
  return (atNs, passed) => {
    if (first === undefined) {
      const byOne = one(atNs, passed);
      return other(atNs, passed) && byOne;
    }
    // Whether the first one let pass what was rejected is not seen; it decides by itself.
    const byFirst = one(atNs, passed === true ? true : undefined);
    return (byFirst || passed === true) && other(atNs, passed) && byFirst;
  };
}
