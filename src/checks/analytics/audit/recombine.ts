import type { MeanField } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import {
  type AskedQuestion,
  type Audit,
  between,
  familiesOf,
  haveCommonInstant,
  sessionsOf,
  standing,
} from './audit.ts';
import type { Report } from './records.ts';
import { fittingSums } from './sums.ts';

/** A mean over sessions that analytics report. */
export interface Mean {
  readonly field: MeanField;
  readonly of: (report: Report) => number;
  /** The most that a single session can add to the sum. */
  readonly most: number;
}

export const means: readonly Mean[] = [
  { field: 'avg_shades_per_session', of: ({ average }) => average, most: Number.POSITIVE_INFINITY },
  { field: 'cart_intent_rate', of: ({ rate }) => rate, most: 1 },
];

/** Which sessions a mean is taken over. Over those with shades alone, the weights are not in the answers. */
export type Over = 'all' | 'with-shades';

/** A period, and what makes it up, session by session. */
export interface Union {
  readonly whole: AskedQuestion;
  readonly parts: readonly AskedQuestion[];
  /** Sessions that are in the whole and in no part: those of products that are not known. */
  readonly rest: Bounds;
}

/** What a mean of the whole has to be by its parts, and whether it is. */
interface Recombined {
  readonly expected: Bounds;
  readonly isBroken: boolean;
  /** Whether a mean that is not weighted by sessions would be found. */
  readonly isTold: boolean;
}

/** Periods whose parts are known: two shorter periods, or single products with a rest of others. */
export function unionsOf(audit: Audit): { readonly unions: Union[]; readonly skipped: number } {
  const periods = fittingSums(audit);
  const stillPeriods = periods.filter(
    ({ parts, whole }) => stands([whole, ...parts]) && haveCommonInstant(audit, [whole, ...parts]),
  );
  // One session among all says nothing of how they are weighted.
  const families = familiesOf(audit).filter(({ products }) => products.some(({ isOwn }) => !isOwn));
  const comparable = families.filter(({ products, whole }) => haveCommonInstant(audit, [whole, ...products]));
  return {
    unions: [
      ...stillPeriods.flatMap((union) => (restOf(union).max === 0 ? { ...union, rest: none } : [])),
      ...comparable.map(({ products, whole }) => ({
        whole,
        parts: products,
        rest: restOf({ whole, parts: products }),
      })),
    ].filter(({ rest, whole }) => rest.max >= 0 && between(whole, sessionsOf).min > 0),
    skipped: periods.length - stillPeriods.length + families.length - comparable.length,
  };
}

const none: Bounds = { min: 0, max: 0 };

function stands(questions: readonly AskedQuestion[]): boolean {
  return questions.every((each) => standing(each) !== undefined);
}

/** Below 0 at most where the parts have more than the whole. */
function restOf({ parts, whole }: Pick<Union, 'whole' | 'parts'>): Bounds {
  const total = between(whole, sessionsOf);
  const known = added(parts.map((part) => between(part, sessionsOf)));
  return { min: Math.max(0, total.min - known.max), max: total.max - known.min };
}

/** Compares a whole with its parts; undefined where others have moved what the comparison rests on. */
export function recombine({ profile }: Audit, union: Union, mean: Mean, over: Over): Recombined | undefined {
  const half = 0.5 * 10 ** -profile.decimals;
  // Sums only grow while others are at work; what is last in a session may change.
  const onlyGrows = over === 'all' && (mean.field !== 'cart_intent_rate' || profile.cart_intent === 'ever');
  if (!onlyGrows && !stands([union.whole, ...union.parts])) return undefined;
  return over === 'all' ? weighted(union, mean, half) : withinHull(union, mean, half);
}

/** A mean over all sessions is that of the parts weighted by their sessions. */
function weighted({ parts, rest, whole }: Union, mean: Mean, half: number): Recombined {
  const sum = sumOf(whole, mean, half);
  const known = added(parts.map((part) => sumOf(part, mean, half)));
  const most = known.max + (rest.max === 0 ? 0 : rest.max * mean.most);
  const sessions = between(whole, sessionsOf);
  const expected = { min: known.min / sessions.max, max: Math.min(mean.most, most / sessions.min) };
  const filled = parts.filter((part) => between(part, sessionsOf).min > 0);
  const unweighted = added(filled.map((part) => between(part, mean.of)));
  const [low, high] = [unweighted.min / filled.length, unweighted.max / filled.length];
  return {
    expected,
    isBroken: sum.max + slack(sum.max) < known.min || sum.min - slack(sum.min) > most,
    isTold: filled.length > 1 && (high + 2 * half < expected.min || low - 2 * half > expected.max),
  };
}

/** A mean over some of the sessions lies at least between those of the parts. */
function withinHull({ parts, rest, whole }: Union, mean: Mean, half: number): Recombined | undefined {
  if (rest.max > 0) return undefined;
  const filled = parts.filter((part) => between(part, sessionsOf).min > 0);
  const values = filled.map((part) => between(part, mean.of));
  const [low, high] = [Math.min(...values.map(({ min }) => min)), Math.max(...values.map(({ max }) => max))];
  const expected = { min: low - half, max: high + half };
  const value = between(whole, mean.of).min;
  return {
    expected,
    isBroken: value < expected.min - half - slack(value) || value > expected.max + half + slack(value),
    isTold: high - low > 2 * half,
  };
}

/** What the values of all sessions add up to: a whole number. */
function sumOf({ first, last }: AskedQuestion, { of }: Mean, half: number): Bounds {
  if (first === undefined || last === undefined) throw new Error('not answered in both rounds');
  const sums = [first, last].map(({ report }) => wholeNumbers(of(report), report.sessions, half));
  return { min: Math.min(...sums.map(({ min }) => min)), max: Math.max(...sums.map(({ max }) => max)) };
}

function wholeNumbers(mean: number, sessions: number, half: number): Bounds {
  const sum = mean * sessions;
  const wide = half * sessions + slack(sum);
  const [min, max] = [Math.ceil(sum - wide), Math.floor(sum + wide)];
  // A mean that no such number of sessions can have is found by itself.
  return min <= max ? { min: Math.max(0, min), max } : { min: sum - wide, max: sum + wide };
}

function added(bounds: readonly Bounds[]): Bounds {
  return bounds.reduce((sum, { max, min }) => ({ min: sum.min + min, max: sum.max + max }), none);
}

/** Accuracy of double-precision arithmetic in another order. */
export function slack(value: number): number {
  return Math.abs(value) * 2 ** -40;
}
