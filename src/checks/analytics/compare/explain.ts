import type { Coarser } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';
import type { Expectation } from '../expect/expectation.ts';
import type { Returned } from '../record/questions.ts';
import { within } from './fit.ts';
import type { Search } from './search.ts';

/**
 * Whether the counts of an answer for one product can only be those of more than that product. Under no conventions that
 * were tried does the product have that many sessions, or that many selections of some SKU even if repeated ids counted again.
 * Fractions say nothing of the kind: between small numbers they are equal by accident.
 */
export function exceedsProduct(
  { evaluations }: Pick<Search, 'evaluations'>,
  index: number,
  { totalSessions, topShades }: Returned,
): boolean {
  const known = evaluations.flatMap(({ of }) => {
    const expectation = of.expectations[index];
    return of.vague || expectation === undefined ? [] : [expectation];
  });
  if (known.length === 0) return false;
  const inTotal = totalSessions !== null && known.every((each) => totalSessions > each.totalSessions.max);
  return (
    inTotal ||
    (topShades ?? []).some(({ sku, selections }) =>
      known.every(({ shades }) => selections > (shades.find((shade) => shade.sku === sku)?.copies ?? 0)),
    )
  );
}

/** Why a number differs: which other reading of the same sessions gives the number that came back. */

/** Something that the returned number may be instead of what it should be. */
export interface Alternative {
  /** What it is. */
  readonly is: readonly Reason[];
  readonly bounds: Bounds | null;
  /** What it should be instead, and by what. */
  readonly due: readonly Reason[];
}

/**
 * Explains a mean or rate that is out of its interval. `alternatives` in order of likelihood. A zero is what many readings
 * give in which nothing counts, and tells none from another.
 */
export function explainMean(
  returned: number,
  expected: Bounds,
  alternatives: readonly Alternative[],
  decimals: number,
): Reason[] {
  const isTelling = returned !== 0;
  const matches = alternatives.filter(
    ({ bounds }) => isTelling && bounds !== null && within(returned, bounds, decimals),
  );
  const ways = isTelling ? coarserRoundings(returned, expected, decimals) : [];
  const isPercentage = returned > expected.max && within(returned / 100, expected, decimals);
  if (matches.length === 0 && isPercentage)
    return [reason('answer-percentage', { query: null, expected, returned })];
  return [
    reason('answer-value', { query: null, expected, returned, decimals: ways.length > 0 ? decimals : null }),
    ...matching(matches),
    ...(ways.length > 0 ? [reason('answer-coarser', { ways })] : []),
  ];
}

/** Whatever gives the number as well as anything else is named: which it is, one answer cannot tell. */
function matching(matches: readonly Alternative[]): Reason[] {
  return eachReasonOnce([...matches.flatMap(({ is }) => is), ...matches.flatMap(({ due }) => due)]);
}

/** Every way in which the expected value, rounded or cut to fewer decimals than the profile asks for, gives `value`. */
function coarserRoundings(value: number, expected: Bounds, promised: number): Coarser[] {
  const ways: Coarser[] = [];
  for (let decimals = promised - 1; decimals >= 0; decimals--) {
    const scale = 10 ** decimals;
    if (Math.abs(value * scale - Math.round(value * scale)) > 1e-9) continue;
    const cut = { min: expected.min - 1 / scale, max: expected.max };
    if (within(value, expected, decimals)) ways.push({ how: 'rounded', decimals });
    if (value <= expected.max && within(value, cut, promised)) ways.push({ how: 'cut', decimals });
  }
  return ways;
}

/** Explains a total that is out of its interval. */
export function explainTotal(
  returned: number,
  expected: Bounds,
  expectation: Expectation,
  alternatives: readonly Alternative[],
): Reason[] {
  const isWithin = (bounds: Bounds): boolean => returned >= bounds.min && returned <= bounds.max;
  if (!Number.isInteger(returned)) return [reason('answer-total-fraction', { query: null, returned })];
  const wrong = reason('answer-total', { query: null, expected, returned });
  const matches = alternatives.filter(({ bounds }) => bounds !== null && isWithin(bounds));
  if (returned === 0) return [wrong];
  if (matches.length > 0) return [wrong, ...matching(matches)];
  return isWithin(expectation.sessionsWithShades) ? [wrong, reason('answer-without-bounced')] : [wrong];
}
