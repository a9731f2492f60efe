import type { CountedFeature } from '../../causes/analytics-counts.ts';
import { fits, type Suspect } from '../../causes/cause.ts';

/** How many of some items an answer counts. */
export interface Claim<Item> {
  readonly items: readonly Item[];
  readonly counted: number;
}

/** Which items do not count, or how often: what explains every claim. */
export interface PartFound<Item> {
  readonly suspect: Suspect;
  readonly times: (item: Item) => number;
  /** Chance leaves out as many of each product now and then: something else has to show it as well. */
  readonly mayBeChance?: boolean;
  /** So few are left out that other properties choose the same. */
  readonly isFew?: boolean;
}

/** The span in which a property of an item lies; both ends are equal where it is known. */
export type Measured<Item> = (item: Item) => readonly [least: number, most: number];

/** Between which values a bound lies. */
interface CountBound {
  readonly over: number;
  readonly under: number;
}

/**
 * The bound that explains every claim: just those items count that lie below it. Law: of n counted items, it is over the n-th
 * smallest, and under the next one.
 */
export function cutOf<Item>(claims: readonly Claim<Item>[], feature: Measured<Item>): CountBound | undefined {
  let [over, under] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  // The smallest refute a bound at the least expense.
  for (const { counted, items } of claims.toSorted((a, b) => a.items.length - b.items.length)) {
    if (counted < 0 || counted > items.length || over >= under) return undefined;
    const least = Float64Array.from(items, (item) => feature(item)[0]).sort();
    const most = Float64Array.from(items, (item) => feature(item)[1]).sort();
    over = Math.max(over, least[counted - 1] ?? Number.NEGATIVE_INFINITY);
    under = Math.min(under, most[counted] ?? Number.POSITIVE_INFINITY);
  }
  return over < under && Number.isFinite(over) && Number.isFinite(under) ? { over, under } : undefined;
}

/** The values of a trait whose items are just those that do not count; none where no set of values explains every claim. */
export function valuesLeftOut<Item>(
  claims: readonly Claim<Item>[],
  traitOf: (item: Item) => string,
): readonly string[] {
  const numbers = claims.map(({ counted, items }) => ({
    missing: items.length - counted,
    of: Map.groupBy(items, traitOf),
  }));
  const values = [...new Set(numbers.flatMap(({ of }) => [...of.keys()]))];
  const left = values.filter((value) =>
    numbers.every(({ missing, of }) => (of.get(value)?.length ?? 0) <= missing),
  );
  const isAll = numbers.every(
    ({ missing, of }) => left.reduce((sum, value) => sum + (of.get(value)?.length ?? 0), 0) === missing,
  );
  return isAll ? left : [];
}

/** That as many are chosen of each product as a bound chooses: chance does that more rarely. Ours. */
export const mostChance = 0.01;

/** A number that items have, by which some of them may be left out: its name in the words of the cause. */
export type NumberOf<Item> = readonly [feature: CountedFeature, of: (item: Item) => number];

/** One in each number of items is left out, whichever comes first. */
const nths = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 50, 100];
/** Of fewer items that are left out, many properties would choose the same. Ours. */
const fewestLeft = 5;
/** Single numbers that are tried. */
const mostNumbers = 50;

/**
 * Items that all have one number are left out, or those over or under a bound, or every n-th. `apart`: claims on different items.
 */
export function byFeature<Item>(
  what: 'session' | 'selection',
  claims: readonly Claim<Item>[],
  apart: readonly Claim<Item>[],
  features: readonly NumberOf<Item>[],
): PartFound<Item>[] {
  const ways = features.length * 3 + nths.length * 2;
  const mayBeChance = chanceOf(apart) * ways > mostChance;
  const items = apart.reduce((sum, each) => sum + each.items.length, 0);
  const left = items - apart.reduce((sum, each) => sum + each.counted, 0);
  const smallestFirst = claims.toSorted((a, b) => a.items.length - b.items.length);
  const explains = (isLeft: (item: Item) => boolean): boolean =>
    smallestFirst.every((each) => each.items.filter(isLeft).length === each.items.length - each.counted);
  return features.flatMap(([feature, of]): PartFound<Item>[] => {
    const found = (
      how: 'equal' | 'over' | 'under' | 'every',
      bound: number,
      isLeft: (item: Item) => boolean,
    ): PartFound<Item> => ({
      suspect: fits('part-not-counted', { what, feature, how, number: bound, left, of: items }),
      times: (item) => Number(!isLeft(item)),
      mayBeChance,
      isFew: left < fewestLeft,
    });
    if (feature === 'ordinal') {
      for (const n of nths)
        for (let first = 1; first <= n; first++) {
          const isLeft = (item: Item): boolean => of(item) % n === first % n;
          if (explains(isLeft)) return [found('every', n, isLeft)];
        }
      return [];
    }
    const numbers = [...new Set(apart.flatMap((each) => each.items.map(of)))].slice(0, mostNumbers);
    const one = numbers.find((each) => explains((item) => of(item) === each));
    if (one !== undefined) return [found('equal', one, (item) => of(item) === one)];
    const below = cutOf(claims, (item) => [of(item), of(item)]);
    if (below !== undefined) return [found('over', below.over, (item) => of(item) > below.over)];
    const above = cutOf(claims, (item) => [-of(item), -of(item)]);
    return above === undefined ? [] : [found('under', -above.over, (item) => of(item) < -above.over)];
  });
}

/** The probability that of as many items left out at random, as many are of each claim (multivariate hypergeometric). */
export function chanceOf(claims: readonly Claim<unknown>[], whole?: Claim<unknown>): number {
  const missingOf = ({ counted, items }: Claim<unknown>): number => items.length - counted;
  const all = (of: (claim: Claim<unknown>) => number): number =>
    claims.reduce((sum, each) => sum + of(each), 0);
  const [items, missing] = [all((each) => each.items.length), all(missingOf)];
  if (claims.some((each) => missingOf(each) < 0 || each.counted < 0)) return 1;
  const [of, ofMissing] = whole === undefined ? [items, missing] : [whole.items.length, missingOf(whole)];
  // Answers for products that are more than the whole have been given at another time.
  const [others, othersMissing] = [of - items, ofMissing - missing];
  if (others < 0 || othersMissing < 0 || othersMissing > others) return 1;
  return Math.exp(
    all((each) => logChoices(each.items.length, missingOf(each))) +
      logChoices(others, othersMissing) -
      logChoices(of, ofMissing),
  );
}

/** The logarithm of n! / (k! (n - k)!). */
function logChoices(n: number, k: number): number {
  let sum = 0;
  for (let place = 1; place <= k; place++) sum += Math.log((n - k + place) / place);
  return sum;
}
