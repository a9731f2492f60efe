import type { AnswerField, MeanField } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { Returned } from '../record/questions.ts';

/**
 * What answers have to do with each other whatever an account holds: one counts what others count. Whatever is unknown of the past
 * is in both, and cancels.
 */

/** Two answers to one question, between which it is compared; twice the same one where nothing moves. */
export type AnswerPair = readonly [first: Returned, last: Returned];

/** An answer that counts the sessions of others, each once. */
export interface Cover {
  readonly whole: AnswerPair;
  readonly parts: readonly AnswerPair[];
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
export function sumOfMean(field: MeanField, decimals: number): Sum {
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
export function between([first, last]: AnswerPair, { of }: Pick<Sum, 'of'>): Bounds | null {
  const [one, other] = [of(first), of(last)];
  if (one === null || other === null) return null;
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}

/** A number of a whole, and what it has to be by its parts. */
export interface ComparedSum {
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

/** Where a mean over some of the sessions lies at least: between those of the parts. Undefined where a rest is in none of them. */
export function compareHull(
  { parts, rest, whole }: Cover,
  field: MeanField,
  decimals: number,
): { readonly due: Bounds; readonly isBroken: boolean; readonly isApart: boolean } | undefined {
  const of = (answer: Returned): Bounds | null => {
    const mean = meanIn(field, answer);
    return mean === null ? null : { min: mean, max: mean };
  };
  const filled = parts.filter((part) => (between(part, sessions)?.min ?? 0) > 0);
  const means = filled.flatMap((part) => between(part, { of }) ?? []);
  const mean = between(whole, { of });
  if (rest.max > 0 || mean === null || means.length < filled.length || filled.length === 0) return undefined;
  const [low, high] = [Math.min(...means.map(({ min }) => min)), Math.max(...means.map(({ max }) => max))];
  const step = 10 ** -decimals;
  return {
    due: { min: low - step / 2, max: high + step / 2 },
    isBroken: mean.max < low - step - slack(low) || mean.min > high + step + slack(high),
    isApart: high - low > step,
  };
}

/** Sessions of the whole that no part can have: below 0 at most where the parts have more than the whole. */
export function restOf(cover: Pick<Cover, 'whole' | 'parts'>): Bounds {
  const compared = compareSum({ ...cover, rest: none }, sessions);
  if (compared === undefined) return anyNumber;
  const { parts, whole } = compared;
  return { min: Math.max(0, whole.min - parts.max), max: whole.max - parts.min };
}
