import { counted, verb } from '../../amounts.ts';
import { fits } from '../diagnosis/cause.ts';
import type { CheckResult } from '../verdict.ts';
import { type Audit, between, haveCommonInstant, type Question, seqsOf, sessionsOf } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { boundsText } from './words.ts';

/** A period as a whole, with every product that was asked about over it. */
export interface Family {
  readonly whole: Question;
  readonly products: readonly Question[];
}

/** Periods that were asked about for all products and for single ones. */
export function familiesOf({ questions }: Audit): Family[] {
  return questions
    .filter(({ product }) => product === null)
    .map((whole) => ({
      whole,
      products: questions.filter(
        ({ end, isUnknown, product, start }) =>
          product !== null && !isUnknown && start === whole.start && end === whole.end,
      ),
    }))
    .filter(({ products }) => products.length > 0);
}

/** The products that are known have no more sessions between them than all products have. */
export function judgeProducts(audit: Audit): CheckResult {
  const findings = new Comparisons();
  for (const { products, whole } of familiesOf(audit)) {
    if (!haveCommonInstant(audit, [whole, ...products])) {
      findings.skip();
      continue;
    }
    const sum = { min: 0, max: 0 };
    for (const product of products) {
      const { min, max } = between(product, sessionsOf);
      sum.min += min;
      sum.max += max;
    }
    const total = between(whole, sessionsOf);
    if (sum.max === 0 && total.max === 0) continue;
    findings.made(
      sum.min > total.max
        ? `${counted(products.length, 'product')} ${verb(products.length, 'has', 'have')} ${boundsText(sum)} sessions between them, but ${whole.label} has ${boundsText(total)}`
        : undefined,
      () => seqsOf([whole, ...products]),
      () => [fits('products-do-not-add-up', { whole: total.max, products: sum.min })],
    );
  }
  return resultOf(findings, {
    id: 'analytics.audit-products',
    title: 'Product totals do not exceed the overall total',
    expected: 'total_sessions over the products known add up to at most that of all products',
    passed: `Over ${counted(findings.judged, 'period')}, the products known have no more sessions than there are.`,
    nothing: 'No product with sessions is known; say in the profile which there are (analytics.products).',
  });
}
