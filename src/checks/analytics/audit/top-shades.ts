import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { TopShade } from '../../../wire.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import type { AskedPeriod } from '../../reasons/audit.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { leastCut } from '../compare/fit.ts';
import { fittingEnds } from './adjacent.ts';
import {
  type AskedQuestion,
  type Audit,
  between,
  haveCommonInstant,
  seqsOf,
  sessionsOf,
  standing,
} from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { isWithin } from './periods.ts';
import { familiesOf } from './products.ts';
import type { Report } from './records.ts';

/** Lists are in order and without repetitions, and go together with those of longer periods, of all products, and of parts. */
export function judgeTopShades(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  for (const { asked, reads } of audit.questions) {
    for (const { report, seq } of reads) {
      if (report.shades.length === 0) continue;
      const fault = faultOf(asked, report.shades);
      findings.made(
        fault?.reason,
        () => [seq],
        () => fault?.causes ?? [],
      );
    }
  }
  compareWithWider(audit, findings);
  compareSums(audit, findings);
  compareParts(audit, findings);
  return resultOf(findings, {
    id: 'analytics.audit-top-shades',
    expected: expects('analytics.audit-top-shades'),
    passed: reason('audit-shades-pass', { comparisons: findings.judged }),
    nothing: reason('audit-shades-none'),
  });
}

function faultOf(
  asked: AskedPeriod,
  shades: readonly TopShade[],
): { readonly reason: Reason; readonly causes: readonly Suspect[] } | undefined {
  const seen = new Set<string>();
  let previous = Number.POSITIVE_INFINITY;
  for (const { selections, sku } of shades) {
    if (seen.has(sku))
      return {
        reason: reason('audit-shades-twice', { asked, sku }),
        causes: [shown('shade-listed-twice', { sku })],
      };
    if (!Number.isInteger(selections) || selections < 0)
      return { reason: reason('audit-shades-count', { asked, sku, selections }), causes: [] };
    if (selections > previous)
      return {
        reason: reason('audit-shades-unsorted', { asked, sku, selections, before: previous }),
        causes: [shown('top-shades-unsorted', { sku, selections, before: previous })],
      };
    seen.add(sku);
    previous = selections;
  }
  return undefined;
}

function compareWithWider(audit: Audit, findings: Comparisons): void {
  const cut = cutOf(audit);
  for (const wide of audit.questions) {
    for (const narrow of audit.questions) {
      if (!isWithin(narrow, wide) || !haveCommonInstant(audit, [narrow, wide])) continue;
      const skus = new Set(narrow.first?.report.shades.map(({ sku }) => sku));
      if (skus.size === 0) continue;
      const over = [...skus].find((sku) => leastOf(narrow, sku) > mostOf(wide, sku, cut));
      findings.made(
        over === undefined
          ? undefined
          : reason('audit-shades-over-wider', {
              asked: narrow.asked,
              sku: over,
              selections: leastOf(narrow, over),
              wider: wide.asked,
              listed: listedIn(wide, over),
            }),
        () => seqsOf([narrow, wide]),
        () => (over === undefined ? [] : [miscounted(over, leastOf(narrow, over), mostOf(wide, over, cut))]),
      );
    }
  }
}

/** The products that are known have no more selections of a SKU between them than there are. */
function compareSums(audit: Audit, findings: Comparisons): void {
  const cut = cutOf(audit);
  for (const { products, whole } of familiesOf(audit)) {
    if (products.length < 2 || !haveCommonInstant(audit, [whole, ...products])) continue;
    const skus = new Set(products.flatMap(({ first }) => first?.report.shades.map(({ sku }) => sku) ?? []));
    for (const sku of skus) {
      const sum = products.reduce((total, product) => total + leastOf(product, sku), 0);
      if (sum === 0) continue;
      findings.made(
        sum > mostOf(whole, sku, cut)
          ? reason('audit-shades-over-all', {
              asked: whole.asked,
              sku,
              selections: sum,
              products: products.length,
              listed: listedIn(whole, sku),
            })
          : undefined,
        () => seqsOf([whole, ...products]),
        () => [miscounted(sku, sum, mostOf(whole, sku, cut))],
      );
    }
  }
}

/** What two periods list both is the sum of them where one begins as the other ends. */
function compareParts(audit: Audit, findings: Comparisons): void {
  for (const { left, right, whole } of fittingEnds(audit).flatMap(({ splits }) => splits)) {
    const [one, other, both] = [left, right, whole].map(standing);
    if (one === undefined || other === undefined || both === undefined) continue;
    if (sessionsOf(one) + sessionsOf(other) !== sessionsOf(both)) continue;
    for (const { selections, sku } of both.shades) {
      const [first, second] = [countIn(one, sku), countIn(other, sku)];
      if (first === undefined || second === undefined) continue;
      findings.made(
        first + second === selections
          ? undefined
          : reason('audit-shades-parts', {
              asked: whole.asked,
              sku,
              selections,
              left: left.asked,
              first,
              right: right.asked,
              second,
            }),
        () => seqsOf([left, right, whole]),
        () => [miscounted(sku, selections, first + second)],
      );
    }
  }
}

function miscounted(sku: string, counts: number, expected: number): Suspect {
  return fits('selections-counted-wrong', { sku, counted: counts, expected });
}

/** From this length on a list may have been cut off. */
function cutOf({ questions }: Audit): number {
  return leastCut(questions.flatMap(({ reads }) => reads.map(({ report }) => report.shades)));
}

function countIn({ shades }: Report, sku: string): number | undefined {
  return shades.find((each) => each.sku === sku)?.selections;
}

/** What a SKU has at least: nothing, where it is not listed. */
function leastOf(question: AskedQuestion, sku: string): number {
  return between(question, (report) => countIn(report, sku) ?? 0).min;
}

/** What a SKU has at most: where it is not listed, as much as the last that is, if the list may have been cut off. */
function mostOf(question: AskedQuestion, sku: string, cut: number): number {
  return between(question, (report) => {
    const left = report.shades.length < cut ? 0 : (report.shades.at(-1)?.selections ?? 0);
    return countIn(report, sku) ?? left;
  }).max;
}

function listedIn(question: AskedQuestion, sku: string): Bounds | null {
  const isListed = [question.first, question.last].some(
    (read) => read !== undefined && countIn(read.report, sku) !== undefined,
  );
  return isListed ? between(question, (report) => countIn(report, sku) ?? 0) : null;
}
