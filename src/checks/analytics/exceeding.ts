import type { Returned } from './questions.ts';
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
