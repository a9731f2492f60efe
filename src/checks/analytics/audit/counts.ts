import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { reason } from '../../reasons/reason.ts';
import { isTold } from '../causes/row.ts';
import type { Comparisons } from '../compare/comparisons.ts';
import { leastCut } from '../compare/fit.ts';
import {
  type AskedPart,
  between,
  type Cover,
  compareSum,
  none,
  selectionsOf,
  sessions,
  sumBroken,
} from '../compare/sums.ts';
import {
  type AskedCover,
  adjacencies,
  allows,
  comparable,
  type End,
  fittingPeriods,
  isSamePeriod,
  isStill,
  ofProducts,
  within,
} from './covers.ts';
import type { Audit } from './questions.ts';
import { compareListsOfRows, compareUnknownProduct } from './rows.ts';

/** Sessions and selections of several questions: parts make up a whole, or are in it. */

type SumCause = 'periods-do-not-add-up' | 'products-do-not-add-up';

const sessionsIn = (part: AskedPart): { min: number; max: number } => between(part, sessions) ?? none;

/** Nothing and nothing is nothing, whatever is added up. */
const isEmpty = ({ parts, whole }: Cover): boolean =>
  [whole, ...parts].every((each) => sessionsIn(each).max === 0);

function differ(cover: Cover, cause: SumCause): Suspect {
  const { parts = none, whole = none } = compareSum(cover, sessions) ?? {};
  if (cause === 'products-do-not-add-up') return fits(cause, { whole: whole.max, products: parts.min });
  return parts.min > whole.max
    ? fits(cause, { whole: whole.max, parts: parts.min })
    : fits(cause, { whole: whole.min, parts: parts.max });
}

/** Holds sums against each other that were right at one instant. */
function compareSums(
  audit: Audit,
  findings: Comparisons,
  asked: readonly AskedCover[],
  cause: SumCause,
): void {
  const { covers, skipped } = comparable(audit, asked);
  findings.skipped = skipped;
  for (const cover of covers)
    if (!isEmpty(cover)) findings.compared(sumBroken(cover, sessions), differ(cover, cause));
}

/** A longer period has at least the sessions of a shorter one in it. */
export function compareWidening(audit: Audit, findings: Comparisons): void {
  const periods = within(audit).filter(
    ({ parts: [part], whole }) => part?.query.productId === whole.query.productId,
  );
  compareSums(audit, findings, periods, 'periods-do-not-add-up');
}

/** The products that are known have no more sessions between them than all products have. */
export function compareProducts(audit: Audit, findings: Comparisons): void {
  findings.nothing = reason('audit-products-none');
  compareSums(audit, findings, ofProducts(audit), 'products-do-not-add-up');
}

/** product_id never adds sessions, and leaves none of a product without sessions. */
export function compareFilter(audit: Audit, findings: Comparisons): void {
  const products = within(audit).filter(({ parts, whole }) =>
    parts.every((part) => part.query.productId !== whole.query.productId && isSamePeriod(part, whole)),
  );
  compareSums(audit, findings, products, 'products-do-not-add-up');
  compareUnknownProduct(audit, findings);
}

/** Two periods together have as many sessions as the whole, under a meaning of end dates that the profile allows. */
export function compareAdjacent(audit: Audit, findings: Comparisons): void {
  const { end_date, session_day } = audit.profile;
  const judged = adjacencies(audit);
  const allowed = judged.filter(({ end }) => allows(audit.profile, end));
  const fitting = allowed.filter(({ broken }) => broken.length === 0);
  const best = fitting[0] ?? allowed.toSorted((a, b) => a.broken.length - b.broken.length)[0];
  const instead = judged.find(({ broken, end }) => broken.length === 0 && !allows(audit.profile, end));
  findings.skipped = best?.skipped ?? 0;
  findings.observed['end dates'] = fitting.length === 0 ? null : fitting.map(({ end }) => end);
  const overlapFits = best?.covers.every(mayOverlap) === true;
  for (const cover of best?.covers ?? []) {
    if (isEmpty(cover)) continue;
    const broken = overlapFits && session_day === 'each-interaction' ? undefined : sumBroken(cover, sessions);
    if (broken && overlapFits && session_day === 'discover')
      findings.doubt(sumBroken(cover, sessions, true) ?? broken);
    else if (instead === undefined) findings.compared(broken, differ(cover, 'periods-do-not-add-up'));
    else findings.compared(broken, otherEnd(audit, instead.end));
  }
  if (findings.broken.length > 0 && instead !== undefined)
    findings.also.push(reason('audit-adjacent-other-end', { fitting: instead.end, told: end_date }));
}

/** Whether it is possible that some sessions count in both parts. */
function mayOverlap(cover: Cover): boolean {
  const { parts = none, whole = none } = compareSum(cover, sessions) ?? {};
  return whole.max >= Math.max(...cover.parts.map((part) => sessionsIn(part).min)) && whole.min <= parts.max;
}

/** Everything adds up if end dates are otherwise than promised. */
function otherEnd({ history }: Audit, end: End): Suspect {
  const promised = end === 'exclusive' ? 'inclusive' : 'exclusive';
  return isTold(history, 'end_date')
    ? fits('profile-false', { field: 'analytics.end_date', told: promised, found: end })
    : shown(end === 'exclusive' ? 'end-date-exclusive' : 'end-date-inclusive', {});
}

/** Lists are right as far as is known, and go together with those of longer periods, of all products, and of parts. */
export function compareTopShades(audit: Audit, findings: Comparisons): void {
  const { questions } = audit;
  compareListsOfRows(audit, findings);
  const cut = leastCut(questions.flatMap(({ reads }) => reads.map(({ report }) => report.topShades)));
  const skusOf = ({ first }: AskedPart): string[] => (first.topShades ?? []).map(({ sku }) => sku);
  const compareShades = (cover: Cover, skus: readonly string[]): void => {
    if (skus.length === 0) return;
    const wrong = skus.map((sku) => selectionsOf(sku, cut)).find((each) => compareSum(cover, each)?.isBroken);
    const { parts = none, whole = none } = (wrong && compareSum(cover, wrong)) ?? {};
    const figures = { sku: wrong?.sku ?? '', counted: whole.max, expected: parts.min };
    findings.compared(wrong && sumBroken(cover, wrong), fits('selections-counted-wrong', figures));
  };
  const several = ofProducts(audit).filter(({ parts }) => parts.length > 1);
  for (const cover of comparable(audit, [...within(audit), ...several]).covers)
    compareShades(cover, [...new Set(cover.parts.flatMap(skusOf))]);
  // What two periods list both is the sum of them where one begins as the other ends.
  for (const cover of fittingPeriods(audit).filter(isStill))
    if (compareSum(cover, sessions)?.isBroken === false)
      compareShades(
        cover,
        skusOf(cover.whole).filter((sku) => cover.parts.every((part) => skusOf(part).includes(sku))),
      );
}
