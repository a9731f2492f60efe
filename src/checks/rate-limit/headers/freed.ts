import { countBelow, countUpTo, floats, nearBelow, nearUpTo, valuesAt } from '../../../limits/arrays.ts';
import { repeatedly } from './finding.ts';
import { disjointRises, mostWithin, type Points, type Rise } from './rises.ts';
import { type HeaderContext, lagNs, limitOf, type Series, windowNsOf } from './series.ts';

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
export function impossiblyFreed(series: Series, context: HeaderContext): Rise[] {
  const points = remainingPoints(series, context);
  const windowsNs = windowsOf(series, context);
  const jumps = disjointRises(points, rounding);
  // A span shorter than a window holds at most one beginning of a window.
  if (mostWithin(jumps, 0.9 * Math.min(...windowsNs)) <= repeatedly) return [];
  const taken = takenBeside(series, context);
  const freeings = [
    bucket(series, context),
    ...windowsNs.flatMap((windowNs) => [
      log(series, context, windowNs, taken),
      counter(series, context, windowNs),
    ]),
  ];
  const isExplained = freeings.some((freeing) => restRises(points, freeing).length < repeatedly);
  return isExplained ? [] : jumps;
}

/** Where places were surely taken beyond what was sent: by another user, or by requests that count more than once. */
export function takenBeside(series: Series, context: HeaderContext): Rise[] {
  const { possible } = series;
  const lag = lagNs(context);
  const answeredBelow = nearBelow(possible.answeredNs);
  const sentUpTo = nearUpTo(possible.sentNs);
  const points = pointsOf(series, {
    from: (remaining, sentNs) => -remaining - answeredBelow(sentNs - lag),
    to: (remaining, _sentNs, answeredNs) => -remaining - sentUpTo(answeredNs),
  });
  return disjointRises(points, rounding);
}

/** What remains plus what had been admitted: it rises by nothing but what becomes free. */
function remainingPoints(series: Series, context: HeaderContext): Points {
  const { spent } = series;
  const lag = lagNs(context);
  const sentUpTo = nearUpTo(spent.sentNs);
  const answeredBelow = nearBelow(spent.answeredNs);
  return pointsOf(series, {
    from: (remaining, _sentNs, answeredNs) => remaining + sentUpTo(answeredNs),
    to: (remaining, sentNs) => remaining + answeredBelow(sentNs - lag),
  });
}

/** A bound of a point, from what remains by an answer and when that was asked for and given. */
type Bound = (remaining: number, sentNs: number, answeredNs: number) => number;

/** Points of the answers that say what remains. A count that went below nothing is none left. */
function pointsOf({ told }: Series, { from, to }: Readonly<Record<'from' | 'to', Bound>>): Points {
  const remaining = floats(told.length, (i) => Math.max(0, told.sayings[i]?.said.remaining ?? Number.NaN));
  const says = (i: number): boolean => !Number.isNaN(remaining[i]);
  const bounds = (bound: Bound): Float64Array =>
    remaining.map((left, i) => bound(left, told.sentNs[i] as number, told.answeredNs[i] as number));
  return pointsWhere({ ...told, from: bounds(from), to: bounds(to) }, says);
}

/** The points for which `holds`. */
function pointsWhere(points: Points, holds: (index: number) => boolean): Points {
  const { answeredNs, byAnswer, from, length, sentNs, seq, to } = points;
  const places = new Int32Array(length).fill(-1);
  const kept = new Int32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++)
    if (holds(i)) {
      places[i] = count;
      kept[count++] = i;
    }
  if (count === length) return points;
  const rows = kept.slice(0, count);
  const at = (column: Float64Array): Float64Array => valuesAt(column, rows);
  return {
    length: count,
    seq: at(seq),
    sentNs: at(sentNs),
    answeredNs: at(answeredNs),
    from: at(from),
    to: at(to),
    byAnswer: byAnswer.filter((i) => (places[i] as number) >= 0).map((i) => places[i] as number),
  };
}

/** Windows that the limiter may have: the promised one, the one that is said, and one as much shorter as the limit is smaller. */
function windowsOf(series: Series, context: HeaderContext): number[] {
  const { requests, windowNs } = context.promised;
  const said = windowNsOf(series, context);
  const scaled = windowNs * Math.min(1, limitOf(series, context) / requests);
  return [...new Set([windowNs, scaled, ...(said === undefined ? [] : [said])])];
}

/** Requests a nanosecond that the limit allows in the long run, by the promise or by what is said. */
function perNs(series: Series, context: HeaderContext): number {
  const { requests, windowNs } = context.promised;
  const saidNs = windowNsOf(series, context) ?? windowNs;
  return Math.max(requests / windowNs, limitOf(series, context) / saidNs);
}

function restRises(points: Points, { byAtMost, byAtLeast, slack, fromNs }: Freeing): Rise[] {
  const known =
    fromNs === undefined ? points : pointsWhere(points, (i) => (points.sentNs[i] as number) >= fromNs);
  const { answeredNs, from, sentNs, to } = known;
  return disjointRises(
    {
      ...known,
      from: from.map((value, i) => value - byAtLeast(sentNs[i] as number)),
      to: to.map((value, i) => value - byAtMost(answeredNs[i] as number)),
    },
    slack,
  );
}

function bucket(series: Series, context: HeaderContext): Freeing {
  const rate = perNs(series, context);
  const filled = (ns: number): number => rate * ns;
  return { byAtMost: filled, byAtLeast: filled, slack: rate * lumpNs + rounding };
}

/** What was counted leaves a window later, also what another user took. */
function log(series: Series, context: HeaderContext, windowNs: number, taken: readonly Rise[]): Freeing {
  const { possible } = series;
  const partNs = windowNs * logPart;
  // The rises follow upon each other, so both lists of instants ascend.
  const fromNs = Float64Array.from(taken, ({ first }) => first.sentNs);
  const toNs = Float64Array.from(taken, ({ last }) => last.answeredNs);
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
    ...(context.isFresh ? {} : { fromNs: (possible.sentNs[0] ?? 0) + windowNs }),
  };
}

/** A weighted counter fades as fast as the fullest window until then was filled, or as the limit allows. */
function counter(series: Series, context: HeaderContext, windowNs: number): Freeing {
  const { sentNs } = series.possible;
  const rate = perNs(series, context);
  const seenPart = context.isFresh ? 1 : 1 + unseenPart;
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
