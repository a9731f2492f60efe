import { z } from 'zod';
import { oncePerHistory } from '../../history/tables.ts';

/** Stretches of the load. Their rates are compared without interactions, which come when shoppers act and not at a pace. */
const blocks = 64;
/** Shorter loads tell uptime from nothing. */
export const shortestLoadMs = 60_000;

/** SQL for the blocks of a load. */
interface LoadBlocks {
  /** After WITH: `blocked`, the requests of the load with their `block`, and `busy`, the `load` of each block. */
  readonly blocked: string;
  /** After that: the load of the block in which another request was sent; null if there was none. */
  readonly loadAround: string;
}

/** Undefined for a short load, or none. */
export const loadBlocks = oncePerHistory(async (history): Promise<LoadBlocks | undefined> => {
  const [span] = await history.rows(
    z.object({ from_ns: z.number().nullable(), span_ns: z.number().nullable() }),
    `SELECT min(sent_ns) AS from_ns, max(sent_ns) - min(sent_ns) AS span_ns FROM requests WHERE stage = 'load'`,
  );
  if (span === undefined || (span.span_ns ?? 0) < shortestLoadMs * 1e6) return undefined;
  const number = `least(${blocks - 1}, floor((sent_ns - ${span.from_ns}) * ${blocks} / ${span.span_ns}))::INTEGER`;
  return {
    blocked: `blocked AS NOT MATERIALIZED (
     SELECT *, ${number} AS block FROM requests WHERE stage = 'load' AND sent_ns IS NOT NULL),
   busy AS (SELECT block, count(*) AS load FROM blocked WHERE endpoint <> 'interact' GROUP BY block)`,
    loadAround: `(SELECT load FROM busy WHERE block = ${number})`,
  };
});

/**
 * Whether a series rises while everything else stays the same: Mann and Kendall's rank test, over pairs of blocks that are
 * comparable. Neighbouring blocks of a real series are alike, so the variance grows with their correlation (Bayley and
 * Hammersley's effective number of a series in which each value depends on the one before). Pure.
 */

/** A stretch of the run. */
export interface Block {
  /** What is followed: the median of a latency, say. */
  readonly value: number;
  /** Under which circumstances: requests in the same time. Blocks are compared only where these are alike. */
  readonly load: number;
}

export interface MonotoneTrend {
  /** Standard deviations by which later blocks are above earlier ones. */
  readonly z: number;
  /** Medians of the first and of the last quarter of the comparable blocks. */
  readonly before: number;
  readonly after: number;
}

/** Blocks whose loads differ by more than this factor are not compared. */
const alike = 1.25;
/** Comparable blocks are joined to this many: the longer they are, the less each depends on the one before. */
export const joined = 16;

/** The trend of the longest series of comparable blocks; undefined where there are too few. */
export function trendOf(blocks: readonly Block[]): MonotoneTrend | undefined {
  const comparable = mostComparable(blocks);
  if (comparable.length < joined) return undefined;
  const n = joined;
  const values = joinedParts(comparable).map((part) => median(part.map(({ value }) => value)));
  let s = 0;
  let ties = 0;
  for (let j = 1; j < n; j++)
    for (let i = 0; i < j; i++) {
      const sign = Math.sign((values[j] ?? 0) - (values[i] ?? 0));
      s += sign;
      if (sign === 0) ties++;
    }
  // Equal values only make the test more careful.
  const variance = (n * (n - 1) * (2 * n + 5)) / 18;
  const z = (s - Math.sign(s)) / Math.sqrt(variance * inflation(values));
  return {
    z: ties === (n * (n - 1)) / 2 ? 0 : z,
    before: median(values.slice(0, n / 4)),
    after: median(values.slice(-n / 4)),
  };
}

/** Comparable blocks in `joined` parts of about the same length; none where there are fewer. */
export function joinedParts<Each>(comparable: readonly Each[]): readonly (readonly Each[])[] {
  if (comparable.length < joined) return [];
  return Array.from({ length: joined }, (_, place) => {
    const [from, to] = [place, place + 1].map((each) => Math.floor((each * comparable.length) / joined));
    return comparable.slice(from, to);
  });
}

/** The largest group of blocks with alike loads. */
export function mostComparable<Each extends Pick<Block, 'load'>>(blocks: readonly Each[]): readonly Each[] {
  let best: readonly Each[] = [];
  for (const { load } of blocks) {
    const group = blocks.filter((each) => each.load >= load && each.load <= load * alike);
    if (group.length > best.length) best = group;
  }
  return best;
}

/** How much correlation of neighbours widens the test: by what is left of the series without its straight line. */
function inflation(values: readonly number[]): number {
  const n = values.length;
  const ranks = ranksOf(withoutLine(ranksOf(values)));
  const mean = (n - 1) / 2;
  let [own, next] = [0, 0];
  for (const [place, rank] of ranks.entries()) {
    own += (rank - mean) ** 2;
    if (place > 0) next += (rank - mean) * ((ranks[place - 1] ?? mean) - mean);
  }
  // A short series shows too little correlation (Kendall 1954), all the more without its line; too much is the safe side.
  const seen = own === 0 ? 0 : next / own;
  const correlation = Math.min(0.9, Math.max(0, seen + (2 + 4 * seen) / n));
  return (1 + correlation) / (1 - correlation);
}

function withoutLine(values: readonly number[]): number[] {
  const n = values.length;
  const centre = (n - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  let [over, under] = [0, 0];
  for (const [x, y] of values.entries()) {
    over += (x - centre) * (y - mean);
    under += (x - centre) ** 2;
  }
  return values.map((y, x) => y - (over / under) * (x - centre));
}

/** Places from 0, equal values in the middle of theirs. */
function ranksOf(values: readonly number[]): number[] {
  return values.map((value) => {
    const less = values.filter((each) => each < value).length;
    const equal = values.filter((each) => each === value).length;
    return less + (equal - 1) / 2;
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}
