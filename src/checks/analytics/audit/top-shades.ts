import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { leastCut } from '../compare/fit.ts';
import { type Audit, between, haveCommonInstant, standing } from './audit.ts';
import { Comparisons } from './findings.ts';
import type { Report } from './records.ts';
import {
  type AuditCount,
  type AuditSum,
  brokenSum,
  fittingSums,
  isBroken,
  partsOf,
  result,
  seqsIn,
  sums,
} from './sums.ts';

/** Lists are in order and without repetitions, and go together with those of longer periods, of all products, and of parts. */
export function judgeTopShades(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  for (const { asked, reads } of audit.questions)
    for (const { report, seq } of reads)
      if (report.shades.length > 0) {
        const [fault, ...causes] = listFault(report) ?? [];
        findings.made(
          fault === undefined ? undefined : reason('audit-shades-wrong', { asked, ...fault }),
          () => [seq],
          () => causes,
        );
      }
  const counts = new ListedShades(audit);
  const several = sums.products(audit).filter(({ parts }) => parts.length > 1);
  for (const sum of [...sums.within(audit), ...several])
    if (haveCommonInstant(audit, [sum.whole, ...sum.parts]))
      counts.compare(sum, new Set(sum.parts.flatMap(({ first }) => skusOf(first?.report))), findings);
  for (const sum of fittingSums(audit)) {
    // What two periods list both is the sum of them where one begins as the other ends.
    const reports = [sum.whole, ...sum.parts].map(standing);
    const [whole, ...parts] = reports;
    const total = parts.reduce((all, part) => all + (part?.sessions ?? 0), 0);
    if (reports.includes(undefined) || total !== whole?.sessions) continue;
    const isListed = (sku: string): boolean => parts.every((part) => skusOf(part).includes(sku));
    counts.compare(sum, new Set(skusOf(whole).filter(isListed)), findings);
  }
  return result(
    'analytics.audit-top-shades',
    findings,
    reason('audit-shades-pass', { comparisons: findings.judged }),
    reason('audit-shades-none'),
  );
}

const skusOf = (report: Report | undefined): string[] => (report?.shades ?? []).map(({ sku }) => sku);

interface ListFault {
  readonly fault: 'twice' | 'no-count' | 'unsorted';
  readonly sku: string;
  readonly selections: number;
  readonly before: number | null;
}

function listFault({ shades }: Report): [ListFault, ...Suspect[]] | undefined {
  for (const [place, { selections, sku }] of shades.entries()) {
    const before = shades[place - 1]?.selections ?? null;
    const of = { sku, selections, before };
    if (shades.findIndex((each) => each.sku === sku) < place)
      return [{ ...of, fault: 'twice' }, shown('shade-listed-twice', { sku })];
    if (!Number.isInteger(selections) || selections < 0) return [{ ...of, fault: 'no-count' }];
    if (before !== null && selections > before)
      return [{ ...of, fault: 'unsorted' }, shown('top-shades-unsorted', { sku, selections, before })];
  }
  return undefined;
}

/** What lists say of single shades. */
class ListedShades {
  /** From this length on a list may have been cut off. */
  readonly #cut: number;

  constructor({ questions }: Audit) {
    this.#cut = leastCut(questions.flatMap(({ reads }) => reads.map(({ report }) => report.shades)));
  }

  compare(sum: AuditSum, skus: ReadonlySet<string>, findings: Comparisons): void {
    const faults = [...skus].flatMap((sku) => {
      const count = this.#countOf(sku);
      return isBroken(sum, count) ? [count] : [];
    });
    if (skus.size === 0) return;
    const [fault] = faults;
    findings.made(
      fault === undefined ? undefined : brokenSum(sum, fault),
      () => seqsIn(sum),
      () => {
        if (fault === undefined || fault.sku === null) return [];
        const [parts, whole] = [partsOf(sum, fault), fault.ofWhole(sum.whole)];
        return [
          fits('selections-counted-wrong', { sku: fault.sku, counted: whole.max, expected: parts.min }),
        ];
      },
    );
  }

  #countOf(sku: string): AuditCount {
    const selections = ({ shades }: Report): number | undefined =>
      shades.find((each) => each.sku === sku)?.selections;
    return {
      sku,
      ofPart: (question) => between(question, (report) => selections(report) ?? 0),
      // Where it is not listed, as much as the last that is, if the list may have been cut off.
      ofWhole: (question) =>
        between(question, (report) => {
          const left = report.shades.length < this.#cut ? 0 : (report.shades.at(-1)?.selections ?? 0);
          return selections(report) ?? left;
        }),
    };
  }
}
