import { countBelow, countUpTo, nearBelow, nearUpTo } from '../../../limits/arrays.ts';
import { type Claims, type HeaderContext, lagNs } from './claims.ts';
import { repeatedly } from './comparison.ts';

/** Claims with bounds of something that they show: at most, as the earlier of two, and at least, as the later. NaN: nothing. */
export interface Points extends Pick<Claims, 'length' | 'seq' | 'sentNs' | 'answeredNs' | 'byAnswer'> {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/** Two answers, by index, the first given before the second was asked for, and how much more the second shows at least. */
export interface Rise {
  readonly first: number;
  readonly last: number;
  readonly by: number;
}

/** The rises by more than `slack` that follow upon each other, each as early as it can be told: no two share an instant. */
export function disjointRises(
  { answeredNs, byAnswer, from, length, sentNs, to }: Points,
  slack: number,
): Rise[] {
  const rises: Rise[] = [];
  let answered = 0;
  let endNs = Number.NEGATIVE_INFINITY;
  let lowest = -1;
  for (let i = 0; i < length; i++) {
    for (; answered < length; answered++) {
      const earlier = byAnswer[answered] as number;
      if ((answeredNs[earlier] as number) >= (sentNs[i] as number)) break;
      if ((sentNs[earlier] as number) <= endNs || Number.isNaN(from[earlier])) continue;
      if (lowest < 0 || (from[earlier] as number) < (from[lowest] as number)) lowest = earlier;
    }
    if (lowest < 0) continue;
    const by = (to[i] as number) - (from[lowest] as number);
    // Also if there is no value.
    if (!(by > slack)) continue;
    rises.push({ first: lowest, last: i, by });
    endNs = answeredNs[i] as number;
    lowest = -1;
  }
  return rises;
}

/** The most rises that lie together within a span of time shorter than `spanNs`. */
export function mostWithin(
  { answeredNs, sentNs }: Pick<Points, 'answeredNs' | 'sentNs'>,
  rises: readonly Rise[],
  spanNs: number,
): number {
  let most = 0;
  let from = 0;
  rises.forEach(({ last }, to) => {
    const endNs = answeredNs[last] as number;
    while (from <= to && endNs - (sentNs[(rises[from] as Rise).first] as number) >= spanNs) from++;
    most = Math.max(most, to - from + 1);
  });
  return most;
}

/** Counts that are rounded either way, at both ends. */
const rounding = 2;
/** Buckets that are refilled in lumps do so each second at the latest, or once a window, as a window would begin. */
const lumpNs = 1e9;
/** Rejections of other users are not seen, and counters may count them: say this part of what was sent. */
const unseenPart = 1 / 4;
/** Logs are often kept in parts of a window: each leaves at once. */
const logPart = 1 / 4;

/** One way in which places may become free again: at most so much between two instants. */
interface Freeing {
  /** What has been freed by `ns` at the most, and at the least; only differences have a meaning. */
  readonly byAtMost: (ns: number) => number;
  readonly byAtLeast: (ns: number) => number;
  readonly slack: number;
  /** Nothing is known of what was freed before. */
  readonly fromNs?: number;
}

/**
 * Places must have become free where `remaining` does not fall by what was admitted. Returns where, if no limiter frees
 * places like that: neither windows (all at once, once a window), nor a bucket (steadily, or in lumps of a second), nor a log
 * (what was counted a window ago), nor a weighted counter (as steadily as the window before was filled). Else nothing.
 */
export function impossiblyFreed(claims: Claims, context: HeaderContext): Rise[] {
  // What remains plus what had been admitted: it rises by nothing but what becomes free.
  const lag = lagNs(context);
  const sentUpTo = nearUpTo(claims.spent.sentNs);
  const answeredBelow = nearBelow(claims.spent.answeredNs);
  const points = {
    ...claims,
    from: claims.remaining.map((left, i) => left + sentUpTo(claims.answeredNs[i] as number)),
    to: claims.remaining.map((left, i) => left + answeredBelow((claims.sentNs[i] as number) - lag)),
  };
  const { requests, windowNs } = context.promised;
  // The promised one, the one that is claimed, and one as much shorter as the limit is smaller.
  const windowsNs = [
    ...new Set([windowNs, windowNs * Math.min(1, claims.limit / requests), claims.windowNs ?? windowNs]),
  ];
  const jumps = disjointRises(points, rounding);
  // A span shorter than a window holds at most one beginning of a window.
  if (mostWithin(claims, jumps, 0.9 * Math.min(...windowsNs)) <= repeatedly) return [];
  /** Requests a nanosecond that the limit allows in the long run, by the promise or by what is claimed. */
  const rate = Math.max(requests / windowNs, claims.limit / (claims.windowNs ?? windowNs));
  const taken = takenBeside(claims, context);
  const freeings = [
    bucket(rate),
    ...windowsNs.flatMap((ns) => [log(claims, context, ns, taken), counter(claims, context, ns, rate)]),
  ];
  const isExplained = freeings.some((freeing) => restRises(points, freeing).length < repeatedly);
  return isExplained ? [] : jumps;
}

/** Where places were surely taken beyond what was sent: by another user, or by requests that count more than once. */
export function takenBeside(claims: Claims, context: HeaderContext): Rise[] {
  const { answeredNs, possible, remaining, sentNs } = claims;
  const lag = lagNs(context);
  const answeredBelow = nearBelow(possible.answeredNs);
  const sentUpTo = nearUpTo(possible.sentNs);
  const from = remaining.map((left, i) => -left - answeredBelow((sentNs[i] as number) - lag));
  const to = remaining.map((left, i) => -left - sentUpTo(answeredNs[i] as number));
  return disjointRises({ ...claims, from, to }, rounding);
}

function restRises(
  points: Points,
  { byAtMost, byAtLeast, slack, fromNs = Number.NEGATIVE_INFINITY }: Freeing,
): Rise[] {
  const { answeredNs, from, sentNs, to } = points;
  const isKnown = (i: number): boolean => (sentNs[i] as number) >= fromNs;
  return disjointRises(
    {
      ...points,
      from: from.map((value, i) => (isKnown(i) ? value - byAtLeast(sentNs[i] as number) : Number.NaN)),
      to: to.map((value, i) => (isKnown(i) ? value - byAtMost(answeredNs[i] as number) : Number.NaN)),
    },
    slack,
  );
}

function bucket(rate: number): Freeing {
  const filled = (ns: number): number => rate * ns;
  return { byAtMost: filled, byAtLeast: filled, slack: rate * lumpNs + rounding };
}

/** What was counted leaves a window later, also what another user took. */
function log(
  { answeredNs, possible, sentNs }: Claims,
  { isFresh }: HeaderContext,
  windowNs: number,
  taken: readonly Rise[],
): Freeing {
  const partNs = windowNs * logPart;
  // The rises follow upon each other, so both lists of instants ascend.
  const fromNs = Float64Array.from(taken, ({ first }) => sentNs[first] as number);
  const toNs = Float64Array.from(taken, ({ last }) => answeredNs[last] as number);
  const sums = [0];
  for (const { by } of taken) sums.push((sums.at(-1) ?? 0) + by);
  return {
    byAtMost: (ns) => {
      const leftNs = ns - windowNs + partNs;
      return countUpTo(possible.sentNs, leftNs) + (sums[countUpTo(fromNs, leftNs)] ?? 0);
    },
    byAtLeast: (ns) => {
      const leftNs = ns - windowNs - partNs;
      return countBelow(possible.answeredNs, leftNs) + (sums[countBelow(toNs, leftNs)] ?? 0);
    },
    slack: rounding,
    ...(isFresh ? {} : { fromNs: (possible.sentNs[0] ?? 0) + windowNs }),
  };
}

/** A weighted counter fades as fast as the fullest window until then was filled, or as the limit allows. */
function counter(
  { possible: { sentNs } }: Claims,
  { isFresh }: HeaderContext,
  windowNs: number,
  rate: number,
): Freeing {
  const seenPart = isFresh ? 1 : 1 + unseenPart;
  const rates = new Float64Array(sentNs.length);
  const fadedBy = new Float64Array(sentNs.length);
  let highest = rate;
  for (let i = 0; i < sentNs.length; i++) {
    const atNs = sentNs[i] as number;
    fadedBy[i] = i === 0 ? 0 : (fadedBy[i - 1] as number) + highest * (atNs - (sentNs[i - 1] as number));
    highest = Math.max(highest, (seenPart * (i + 1 - countBelow(sentNs, atNs - windowNs))) / windowNs);
    rates[i] = highest;
  }
  const faded = (ns: number): number => {
    const i = Math.max(0, countUpTo(sentNs, ns) - 1);
    return (fadedBy[i] ?? 0) + (rates[i] ?? rate) * (ns - (sentNs[i] ?? ns));
  };
  return { byAtMost: faded, byAtLeast: faded, slack: rounding };
}
