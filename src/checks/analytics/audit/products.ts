import { fits } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import { type AskedQuestion, type Audit, between, haveCommonInstant, seqsOf, sessionsOf } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';

/** A period of all products, with every single product that was requested over it. */
interface QuestionFamily {
  readonly whole: AskedQuestion;
  readonly products: readonly AskedQuestion[];
}

/** Periods that were requested for all products and for single ones. */
export function familiesOf({ questions }: Audit): QuestionFamily[] {
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
export function judgeProducts(audit: Audit): CheckFinding {
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
        ? reason('audit-products-exceed', { products: products.length, sum, whole: whole.asked, total })
        : undefined,
      () => seqsOf([whole, ...products]),
      () => [fits('products-do-not-add-up', { whole: total.max, products: sum.min })],
    );
  }
  return resultOf(findings, {
    id: 'analytics.audit-products',
    expected: expects('analytics.audit-products'),
    passed: reason('audit-products-pass', { periods: findings.judged }),
    nothing: reason('audit-products-none'),
  });
}
