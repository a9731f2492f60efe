import { counted, number } from '../../amounts.ts';
import { leastCut } from '../analytics/top-lengths.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import type { CheckResult } from '../verdict.ts';
import { fittingEnds } from './adjacent.ts';
import {
  type Audit,
  between,
  haveCommonInstant,
  type Question,
  seqsOf,
  sessionsOf,
  standing,
} from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { isWithin } from './periods.ts';
import { familiesOf } from './products.ts';
import type { Listed, Report } from './records.ts';
import { boundsText } from './words.ts';

/** Lists are in order and without repetitions, and go together with those of longer periods, of all products, and of parts. */
export function judgeTopShades(audit: Audit): CheckResult {
  const findings = new Comparisons();
  for (const { label, reads } of audit.questions) {
    for (const { report, seq } of reads) {
      if (report.shades.length === 0) continue;
      const fault = faultOf(report.shades);
      findings.made(
        fault === undefined ? undefined : `top_shades of ${label}: ${fault.text}`,
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
    title: 'Lists of top shades agree with each other',
    expected:
      'most selections first, no SKU twice, no more selections than over a longer period or all products, sums where lists are complete',
    passed: `Lists agree in ${counted(findings.judged, 'comparison')}.`,
    nothing: 'No answer listed a shade.',
  });
}

function faultOf(
  shades: readonly Listed[],
): { readonly text: string; readonly causes: readonly Suspect[] } | undefined {
  const seen = new Set<string>();
  let previous = Number.POSITIVE_INFINITY;
  for (const { selections, sku } of shades) {
    if (seen.has(sku))
      return { text: `${sku} is listed twice`, causes: [shown('shade-listed-twice', { sku })] };
    if (!Number.isInteger(selections) || selections < 0)
      return { text: `${sku} has ${counted(selections, 'selection')}`, causes: [] };
    if (selections > previous)
      return {
        text: `${sku} with ${number(selections)} stands after a shade with ${number(previous)}`,
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
          : `${over} has ${counted(leastOf(narrow, over), 'selection')} for ${narrow.label}, but ${shownOf(wide, over)} for ${wide.label}`,
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
          ? `${sku} has ${counted(sum, 'selection')} over ${counted(products.length, 'product')}, but ${shownOf(whole, sku)} for ${whole.label}`
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
          : `${sku} has ${number(first)} and ${counted(second, 'selection')} for ${left.start} / ${left.end} and ${right.start} / ${right.end}, but ${number(selections)} for ${whole.label}`,
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
function leastOf(question: Question, sku: string): number {
  return between(question, (report) => countIn(report, sku) ?? 0).min;
}

/** What a SKU has at most: where it is not listed, as much as the last that is, if the list may have been cut off. */
function mostOf(question: Question, sku: string, cut: number): number {
  return between(question, (report) => {
    const left = report.shades.length < cut ? 0 : (report.shades.at(-1)?.selections ?? 0);
    return countIn(report, sku) ?? left;
  }).max;
}

function shownOf(question: Question, sku: string): string {
  const isListed = [question.first, question.last].some(
    (read) => read !== undefined && countIn(read.report, sku) !== undefined,
  );
  return isListed ? boundsText(between(question, (report) => countIn(report, sku) ?? 0)) : 'is not listed';
}
