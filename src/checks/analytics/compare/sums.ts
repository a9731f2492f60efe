import type { AnswerField, MeanField } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Returned } from '../record/questions.ts';

/**
 * What answers have to do with each other whatever an account holds: one counts what others count. Whatever is unknown of the past
 * is in both, and cancels.
 */

/** A question, and two answers to it between which it is compared; twice the same one where nothing moves. */
export interface AskedPart {
  /** The question, in words. */
  readonly asked: string;
  readonly first: Returned;
  readonly last: Returned;
  readonly seqs: readonly number[];
}

/** An answer that counts the sessions of others, each once. */
export interface Cover {
  readonly whole: AskedPart;
  readonly parts: readonly AskedPart[];
  /** Sessions of the whole that are in no part. */
  readonly rest: Bounds;
}

/** A number that sessions add up to. */
export interface Sum {
  readonly field: AnswerField;
  /** Of selections, the shade. */
  readonly sku: string | null;
  /** What an answer says of it; null where it says nothing. */
  readonly of: (answer: Returned) => Bounds | null;
  /** What one session adds. */
  readonly each: Bounds;
}

export const none: Bounds = { min: 0, max: 0 };
export const anyNumber: Bounds = { min: 0, max: Number.POSITIVE_INFINITY };

export const sessions: Sum = {
  field: 'total_sessions',
  sku: null,
  of: ({ totalSessions }) => (totalSessions === null ? null : { min: totalSessions, max: totalSessions }),
  each: { min: 1, max: 1 },
};

const meanNames = {
  avg_shades_per_session: 'avgShadesPerSession',
  cart_intent_rate: 'cartIntentRate',
} as const;

export const meanIn = (field: MeanField, answer: Returned): number | null => answer[meanNames[field]];

/** What the values of all sessions add up to, by their mean: a whole number. */
function sumOfMean(field: MeanField, decimals: number): Sum {
  return {
    field,
    sku: null,
    of: (answer) => {
      const mean = meanIn(field, answer);
      const { totalSessions } = answer;
      return mean === null || totalSessions === null ? null : wholeNumbers(mean, totalSessions, decimals);
    },
    each: field === 'cart_intent_rate' ? { min: 0, max: 1 } : anyNumber,
  };
}

function wholeNumbers(mean: number, count: number, decimals: number): Bounds {
  const sum = mean * count;
  const wide = 0.5 * 10 ** -decimals * count + slack(sum);
  const [min, max] = [Math.ceil(sum - wide), Math.floor(sum + wide)];
  // A mean that no such number of sessions can have is found by itself.
  return min <= max ? { min: Math.max(0, min), max } : { min: sum - wide, max: sum + wide };
}

/** Whether a mean over a number of sessions can be that of whole numbers. */
export function isMeanOfWholes(mean: number, count: number, decimals: number): boolean {
  const { max, min } = wholeNumbers(mean, count, decimals);
  return Number.isInteger(max) && Number.isInteger(min);
}

/** Selections of a shade. `cut`: from this length on a list may have been cut off, and has others at most as often as its last. */
export function selectionsOf(sku: string, cut: number): Sum {
  return {
    field: 'top_shades',
    sku,
    of: ({ topShades }) => {
      if (topShades === null) return null;
      const listed = topShades.find((each) => each.sku === sku)?.selections;
      const left = topShades.length < cut ? 0 : (topShades.at(-1)?.selections ?? 0);
      return listed === undefined ? { min: 0, max: left } : { min: listed, max: listed };
    },
    each: anyNumber,
  };
}

/** Accuracy of double-precision arithmetic in another order. */
const slack = (value: number): number => (Number.isFinite(value) ? Math.abs(value) * 2 ** -40 : 0);

/** What a number was between two answers. */
export function between({ first, last }: AskedPart, { of }: Pick<Sum, 'of'>): Bounds | null {
  const [one, other] = [of(first), of(last)];
  if (one === null || other === null) return null;
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}

/** A number of a whole, and what it has to be by its parts. */
interface ComparedSum {
  readonly whole: Bounds;
  readonly parts: Bounds;
  readonly due: Bounds;
  readonly isBroken: boolean;
}

/** Undefined where some answer does not say the number. */
export function compareSum({ parts, rest, whole }: Cover, sum: Sum): ComparedSum | undefined {
  const all = between(whole, sum);
  let [min, max] = [0, 0];
  for (const part of parts) {
    const own = between(part, sum);
    if (own === null) return undefined;
    min += own.min;
    max += own.max;
  }
  if (all === null) return undefined;
  const due = {
    min: min + rest.min * sum.each.min,
    max: max + (rest.max === 0 ? 0 : rest.max * sum.each.max),
  };
  const isBroken = due.min > all.max + slack(all.max) || due.max < all.min - slack(all.min);
  return { whole: all, parts: { min, max }, due, isBroken };
}

/** A number in which a whole and its parts contradict each other, and the requests that show it. */
export interface Broken {
  readonly reason: Reason;
  readonly seqs: readonly number[];
}

const seqsIn = ({ parts, whole }: Cover): number[] => [...parts, whole].flatMap(({ seqs }) => seqs);

/** `maybeEachDay`: it is right if a session counts on each day with events. */
export function sumBroken(cover: Cover, sum: Sum, maybeEachDay = false): Broken | undefined {
  const { isBroken, parts, whole } = compareSum(cover, sum) ?? {};
  if (isBroken !== true || parts === undefined || whole === undefined) return undefined;
  const each = cover.parts.map((part) => ({ name: part.asked, count: between(part, sum) ?? none }));
  return {
    reason: reason('sum-broken', {
      ...{ sku: sum.sku, whole: cover.whole.asked, total: whole, parts: each, sum: parts },
      ...{ isExact: cover.rest.max === 0, maybeEachDay },
    }),
    seqs: seqsIn(cover),
  };
}

/** Which sessions a mean is taken over. Over those with shades alone, the weights are not in the answers. */
export type Over = 'all' | 'with-shades';

interface ComparedMean {
  readonly broken: Broken | undefined;
  /** Whether a mean that is weighted otherwise would be found. */
  readonly isTold: boolean;
}

/**
 * A mean of a whole is that of its parts weighted by their sessions; over sessions with shades alone it lies at least between
 * them, where no rest is in none of them. Undefined where that cannot be compared.
 */
export function compareMean(
  cover: Cover,
  field: MeanField,
  decimals: number,
  over: Over = 'all',
): ComparedMean | undefined {
  const of = (part: AskedPart): Bounds | null =>
    between(part, {
      of: (answer) => {
        const mean = meanIn(field, answer);
        return mean === null ? null : { min: mean, max: mean };
      },
    });
  const count = (part: AskedPart): Bounds => between(part, sessions) ?? none;
  const got = of(cover.whole);
  const filled = cover.parts.filter((part) => count(part).min > 0);
  const means = filled.flatMap((part) => of(part) ?? []);
  if (got === null || means.length < filled.length) return undefined;
  const compared =
    over === 'all' ? weighted(cover, field, decimals, means) : hull(cover, got, decimals, means);
  if (compared === undefined) return undefined;
  const { due, isBroken, isTold } = compared;
  const parts = cover.parts.filter((part) => count(part).max > 0);
  return {
    isTold,
    broken: isBroken
      ? {
          reason: reason('mean-not-of-parts', {
            ...{ asked: cover.whole.asked, field, got },
            expected: { min: due.min, max: Math.min(due.max, Number.MAX_VALUE) },
            parts: parts.slice(0, 4).map((part) => ({ mean: of(part) ?? none, sessions: count(part) })),
          }),
          seqs: seqsIn({ ...cover, parts }),
        }
      : undefined,
  };
}

interface MeanDue {
  readonly due: Bounds;
  readonly isBroken: boolean;
  readonly isTold: boolean;
}

function weighted(
  cover: Cover,
  field: MeanField,
  decimals: number,
  means: readonly Bounds[],
): MeanDue | undefined {
  const found = compareSum(cover, sumOfMean(field, decimals));
  const whole = between(cover.whole, sessions);
  if (found === undefined || whole === null || whole.min === 0) return undefined;
  const most = field === 'cart_intent_rate' ? 1 : Number.POSITIVE_INFINITY;
  const due = { min: found.due.min / whole.max, max: Math.min(most, found.due.max / whole.min) };
  const unweighted = (end: keyof Bounds): number =>
    means.reduce((sum, mean) => sum + mean[end], 0) / means.length;
  const step = 10 ** -decimals;
  return {
    due,
    isBroken: found.isBroken,
    isTold: means.length > 1 && (unweighted('max') + step < due.min || unweighted('min') - step > due.max),
  };
}

function hull({ rest }: Cover, got: Bounds, decimals: number, means: readonly Bounds[]): MeanDue | undefined {
  if (rest.max > 0 || means.length === 0) return undefined;
  const [low, high] = [Math.min(...means.map(({ min }) => min)), Math.max(...means.map(({ max }) => max))];
  const step = 10 ** -decimals;
  return {
    due: { min: low - step / 2, max: high + step / 2 },
    isBroken: got.max < low - step - slack(low) || got.min > high + step + slack(high),
    isTold: high - low > step,
  };
}

/** Sessions of the whole that no part can have: below 0 at most where the parts have more than the whole. */
export function restOf(cover: Pick<Cover, 'whole' | 'parts'>): Bounds {
  const compared = compareSum({ ...cover, rest: none }, sessions);
  if (compared === undefined) return anyNumber;
  const { parts, whole } = compared;
  return { min: Math.max(0, whole.min - parts.max), max: whole.max - parts.min };
}
