/** A step at which events recur in a numbered sequence. */
export interface Periodicity {
  /** Every how many events of the sequence. */
  readonly every: number;
  /** How many of the events stand at that step. */
  readonly hits: number;
  readonly events: number;
  /** The decimal logarithm of a bound on the chance that this many would do so by accident. */
  readonly log10Chance: number;
}

/**
 * Events nearer to each other than this are one: what is slow together has one cause. However many follow each other so,
 * they have no step of their own.
 */
const apart = 8;
/** Fewer events show no step. */
const leastEvents = 6;
/** More are not looked at: this many settle it. */
const mostEvents = 400;
/** How far off its place an event may stand: requests arrive in another order than they were sent in. */
const widths = [1, 3, 5, 9] as const;
/** This many gaps between neighbours are tried as the step. */
const mostGaps = 100;
/** The part of the events that has to stand at the step. */
const leastPart = 0.8;

/**
 * The step at which events recur that is the least likely by accident; undefined where there are too few events, or most
 * of them fit no step. `ranks`: the events' places in the sequence, rising.
 *
 * Were the events anywhere, each of the other m − 1 would stand within a width w of a step k from a given one with chance
 * w/k, so that h of m do with at most m · C(m−1, h−1) · (w/k)^(h−1). That is multiplied by the number of steps and widths
 * that could have been tried, whether or not they were.
 */
export function findPeriod(ranks: readonly number[]): Periodicity | undefined {
  const events = separate(ranks).slice(0, mostEvents);
  if (events.length < leastEvents) return undefined;
  const gaps = events.slice(1, mostGaps).map((rank, n) => rank - (events[n] ?? 0));
  const steps = new Set(gaps.flatMap((gap) => [-2, -1, 0, 1, 2].map((off) => gap + off)));
  const tried = widths.length * Math.max(...gaps);
  let best: Periodicity | undefined;
  for (const every of steps) {
    for (const width of widths) {
      if (width * 4 > every) continue;
      const hits = mostInPlace(events, every, width);
      if (hits < leastPart * events.length) continue;
      const log10Chance = chanceOf(hits, events.length, width / every) + Math.log10(tried);
      if (best === undefined || log10Chance < best.log10Chance)
        best = { every, hits, events: events.length, log10Chance };
    }
  }
  return best;
}

function separate(ranks: readonly number[]): number[] {
  return ranks.filter((rank, n) => rank - (ranks[n - 1] ?? Number.NEGATIVE_INFINITY) >= apart);
}

/** The most events that lie within a width of the same remainder. */
function mostInPlace(events: readonly number[], every: number, width: number): number {
  const remainders = events.map((rank) => rank % every).toSorted((a, b) => a - b);
  // Once around, since the last remainders neighbour the first.
  const around = [...remainders, ...remainders.map((remainder) => remainder + every)];
  let most = 0;
  let from = 0;
  for (const [to, remainder] of around.entries()) {
    while ((around[from] ?? remainder) <= remainder - width) from++;
    most = Math.max(most, to - from + 1);
  }
  return Math.min(most, events.length);
}

function chanceOf(hits: number, events: number, chance: number): number {
  let log10 = Math.log10(events) + (hits - 1) * Math.log10(chance);
  for (let n = 1; n < hits; n++) log10 += Math.log10((events - n) / (hits - n));
  return log10;
}
