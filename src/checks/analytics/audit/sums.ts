import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import {
  type AskedQuestion,
  type Audit,
  allows,
  between,
  type End,
  ends,
  familiesOf,
  haveCommonInstant,
  isWithin,
  seqsOf,
  sessionsOf,
  splitsOf,
} from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import type { Report } from './records.ts';

/** What counts of several questions have to do with each other: parts make up a whole, or are in it. */

/** Questions whose counts add up to those of another one: exactly, or with a rest that no part has. */
export interface AuditSum {
  readonly whole: AskedQuestion;
  readonly parts: readonly AskedQuestion[];
  readonly isExact: boolean;
}

/** Something that answers count. */
export interface AuditCount {
  /** Null: sessions. */
  readonly sku: string | null;
  readonly ofPart: (question: AskedQuestion) => Bounds;
  readonly ofWhole: (question: AskedQuestion) => Bounds;
}

const inSessions = (question: AskedQuestion): Bounds => between(question, sessionsOf);
const sessions: AuditCount = { sku: null, ofPart: inSessions, ofWhole: inSessions };

/** Which questions are held against each other, by the check. A 4xx for an unknown product shows nothing about the others. */
export const sums = {
  within: ({ questions }: Audit): AuditSum[] =>
    questions.flatMap((whole) =>
      questions.flatMap((part) => (isWithin(part, whole) ? { whole, parts: [part], isExact: false } : [])),
    ),
  products: (audit: Audit): AuditSum[] =>
    familiesOf(audit).map(({ products, whole }) => ({ whole, parts: products, isExact: false })),
  adjacent: ({ questions }: Audit, end: End): AuditSum[] =>
    splitsOf(questions)
      .filter((split) => split.end === end)
      .map(({ left, right, whole }) => ({ whole, parts: [left, right], isExact: true })),
} as const;

const added = (bounds: readonly Bounds[]): Bounds =>
  bounds.reduce((sum, { max, min }) => ({ min: sum.min + min, max: sum.max + max }), { min: 0, max: 0 });

export const partsOf = ({ parts }: AuditSum, count: AuditCount): Bounds => added(parts.map(count.ofPart));

export function isBroken(sum: AuditSum, count: AuditCount): boolean {
  const [parts, whole] = [partsOf(sum, count), count.ofWhole(sum.whole)];
  return parts.min > whole.max || (sum.isExact && parts.max < whole.min);
}

/** Nothing and nothing is nothing, whatever is added up. */
const isEmpty = (sum: AuditSum, count: AuditCount): boolean =>
  partsOf(sum, count).max === 0 && count.ofWhole(sum.whole).max === 0;

export function brokenSum(sum: AuditSum, count: AuditCount, maybeEachDay = false): Reason {
  return reason('audit-sum-broken', {
    sku: count.sku,
    whole: sum.whole.asked,
    total: count.ofWhole(sum.whole),
    parts: sum.parts.map((part) => ({ asked: part.asked, count: count.ofPart(part) })),
    sum: partsOf(sum, count),
    isExact: sum.isExact,
    maybeEachDay,
  });
}

export const seqsIn = ({ parts, whole }: AuditSum): number[] => seqsOf([...parts, whole]);

/** Holds sums against each other that were right at one instant. */
function compare(
  audit: Audit,
  all: readonly AuditSum[],
  findings: Comparisons,
  cause: (parts: Bounds, whole: Bounds) => Suspect,
): void {
  for (const sum of all) {
    if (!haveCommonInstant(audit, [sum.whole, ...sum.parts])) {
      if (!sum.parts.some(({ isUnknown }) => isUnknown)) findings.skip();
    } else if (!isEmpty(sum, sessions))
      findings.made(
        isBroken(sum, sessions) ? brokenSum(sum, sessions) : undefined,
        () => seqsIn(sum),
        () => [cause(partsOf(sum, sessions), inSessions(sum.whole))],
      );
  }
}

const periodsDiffer = (parts: Bounds, whole: Bounds): Suspect =>
  parts.min > whole.max
    ? fits('periods-do-not-add-up', { whole: whole.max, parts: parts.min })
    : fits('periods-do-not-add-up', { whole: whole.min, parts: parts.max });
const productsDiffer = (parts: Bounds, whole: Bounds): Suspect =>
  fits('products-do-not-add-up', { whole: whole.max, products: parts.min });

export function result(
  id: CheckId & Parameters<typeof expects>[0],
  findings: Comparisons,
  passed: Reason,
  nothing: Reason,
): CheckFinding {
  return resultOf(findings, { id, expected: expects(id), passed, nothing });
}

/** A longer period has at least the sessions of a shorter one in it. */
export function judgeWidening(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  const all = sums.within(audit).filter(({ parts: [part], whole }) => part?.product === whole.product);
  compare(audit, all, findings, periodsDiffer);
  return result(
    'analytics.audit-widening',
    findings,
    reason('audit-widening-pass', { periods: findings.judged }),
    reason('audit-widening-none'),
  );
}

/** The products that are known have no more sessions between them than all products have. */
export function judgeProducts(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  compare(audit, sums.products(audit), findings, productsDiffer);
  return result(
    'analytics.audit-products',
    findings,
    reason('audit-products-pass', { periods: findings.judged }),
    reason('audit-products-none'),
  );
}

/** product_id never adds sessions, and leaves none of a product without sessions. */
export function judgeFilter(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  const all = sums
    .within(audit)
    .filter(
      ({ parts: [part], whole }) =>
        part !== undefined &&
        part.product !== null &&
        whole.product === null &&
        part.start === whole.start &&
        part.end === whole.end,
    );
  compare(audit, all, findings, productsDiffer);
  for (const { asked, end, reads, start } of audit.questions.filter(({ isUnknown }) => isUnknown)) {
    const whole = audit.questions.find(
      (each) => each.product === null && each.start === start && each.end === end,
    )?.first;
    for (const { report, seq } of reads) {
      const fields = filledIn(report);
      // Where there is nothing, nothing is left by any filter.
      if (fields.length === 0 && (whole?.report.sessions ?? 0) === 0) continue;
      const { average, rate, sessions: counted, shades } = report;
      findings.made(
        fields.length === 0
          ? undefined
          : reason('audit-unknown-product-not-empty', {
              ...{ asked, sessions: counted, average, rate, shades: shades.length },
              allSessions: whole?.report.sessions ?? null,
            }),
        () => [seq, ...(whole === undefined ? [] : [whole.seq])],
        () => unfilteredCauses(report, whole?.report),
      );
    }
  }
  return result(
    'analytics.audit-product-filter',
    findings,
    reason('audit-filter-pass'),
    reason('audit-filter-none'),
  );
}

/** The fields of an answer that are not zero. */
export function filledIn({ average, rate, sessions: counted, shades }: Report): string[] {
  return [
    counted > 0 ? 'total_sessions' : [],
    average !== 0 ? 'avg_shades_per_session' : [],
    rate !== 0 ? 'cart_intent_rate' : [],
    shades.length > 0 ? 'top_shades' : [],
  ].flat();
}

/** What an answer for a product without sessions has in common with that for all products; or it is not empty by itself. */
function unfilteredCauses(report: Report, whole: Report | undefined): Suspect[] {
  const fields = filledIn(report);
  const isCount = report.sessions > 0 || report.shades.length > 0;
  if (!isCount) return [fits('empty-answer-not-zero', { fields })];
  const isWhole =
    whole !== undefined &&
    (report.sessions === 0 || report.sessions === whole.sessions) &&
    (report.shades.length === 0 || JSON.stringify(report.shades) === JSON.stringify(whole.shades));
  return [(isWhole ? shown : fits)('product-filter-ignored', { fields })];
}

/** Periods in two parts, under one meaning of end dates. */
interface Adjacency {
  readonly end: End;
  /** Those that could be compared, and those of them that do not add up. */
  readonly all: readonly AuditSum[];
  readonly broken: readonly AuditSum[];
  readonly skipped: number;
}

/** Adds up every period that was also requested in two parts, for each meaning of end dates. */
function adjacencies(audit: Audit): Adjacency[] {
  return ends.flatMap((end) => {
    const ofEnd = sums.adjacent(audit, end);
    const all = ofEnd.filter(({ parts, whole }) => haveCommonInstant(audit, [whole, ...parts]));
    const broken = all.filter((sum) => isBroken(sum, sessions));
    return all.length === 0 ? [] : [{ end, all, broken, skipped: ofEnd.length - all.length }];
  });
}

/** The sums that hold under the meanings of end dates that the profile allows, and under which every period adds up. */
export function fittingSums(audit: Audit): readonly AuditSum[] {
  return adjacencies(audit).flatMap(({ all, broken, end }) =>
    broken.length === 0 && allows(audit.profile, end) ? all : [],
  );
}

/** Whether it is possible that some sessions count in both parts. */
function mayOverlap({ parts, whole }: AuditSum): boolean {
  const [each, total] = [parts.map(inSessions), inSessions(whole)];
  return total.max >= Math.max(...each.map(({ min }) => min)) && total.min <= added(each).max;
}

export function judgeAdjacent(audit: Audit): CheckFinding {
  const { end_date, session_day } = audit.profile;
  const judged = adjacencies(audit);
  const allowed = judged.filter(({ end }) => allows(audit.profile, end));
  const fitting = allowed.filter(({ broken }) => broken.length === 0);
  const best = fitting[0] ?? allowed.toSorted((a, b) => a.broken.length - b.broken.length)[0];
  const instead = judged.find(({ broken, end }) => broken.length === 0 && !allows(audit.profile, end));
  const findings = new Comparisons();
  findings.skipped = best?.skipped ?? 0;
  const overlapFits = best?.all.every(mayOverlap) === true;
  for (const sum of best?.all ?? []) {
    if (isEmpty(sum, sessions)) continue;
    const isWrong = isBroken(sum, sessions) && !(overlapFits && session_day === 'each-interaction');
    if (isWrong && overlapFits && session_day === 'discover')
      findings.doubt(brokenSum(sum, sessions, true), seqsIn(sum));
    else
      findings.made(
        isWrong ? brokenSum(sum, sessions) : undefined,
        () => seqsIn(sum),
        () => [
          instead === undefined
            ? periodsDiffer(partsOf(sum, sessions), inSessions(sum.whole))
            : otherEnd(audit, instead.end),
        ],
      );
  }
  const found = resultOf(findings, {
    id: 'analytics.audit-adjacent-periods',
    expected: expects('analytics.audit-adjacent-periods'),
    passed: reason('audit-adjacent-pass', {
      periods: findings.judged,
      end: fitting.length === 1 ? (fitting[0]?.end ?? null) : null,
    }),
    nothing: allowed.length === 0 ? reason('audit-adjacent-none') : reason('audit-adjacent-empty'),
    observed: { 'end dates': fitting.length === 0 ? null : fitting.map(({ end }) => end) },
  });
  if (findings.broken.length === 0 || instead === undefined) return found;
  const other = reason('audit-adjacent-other-end', { fitting: instead.end, told: end_date });
  return { ...found, reasons: [...(found.reasons ?? []), other] };
}

/** Everything adds up if end dates are otherwise than promised. */
function otherEnd({ wasTold }: Audit, end: End): Suspect {
  const promised = end === 'exclusive' ? 'inclusive' : 'exclusive';
  return wasTold('end_date')
    ? fits('profile-false', { field: 'analytics.end_date', told: promised, found: end })
    : shown(end === 'exclusive' ? 'end-date-exclusive' : 'end-date-inclusive', {});
}
