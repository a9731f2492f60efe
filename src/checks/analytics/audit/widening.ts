import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import { type AskedQuestion, type Audit, between, haveCommonInstant, seqsOf, sessionsOf } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { isWithin } from './periods.ts';
import type { Report } from './records.ts';

/** A longer period has at least the sessions of a shorter one in it. */
export function judgeWidening(audit: Audit): CheckFinding {
  const findings = compareWithin(
    audit,
    (narrow, wide) => narrow.product === wide.product,
    (part, whole) => fits('periods-do-not-add-up', { whole: whole.max, parts: part.min }),
  );
  return resultOf(findings, {
    id: 'analytics.audit-widening',
    expected: expects('analytics.audit-widening'),
    passed: reason('audit-widening-pass', { periods: findings.judged }),
    nothing: reason('audit-widening-none'),
  });
}

/** product_id never adds sessions, and leaves none of a product without sessions. */
export function judgeFilter(audit: Audit): CheckFinding {
  const findings = compareWithin(
    audit,
    (narrow, wide) =>
      narrow.product !== null &&
      wide.product === null &&
      narrow.start === wide.start &&
      narrow.end === wide.end,
    (part, whole) => fits('products-do-not-add-up', { whole: whole.max, products: part.min }),
  );
  for (const question of audit.questions.filter(({ isUnknown }) => isUnknown)) {
    const whole = wholeOf(audit, question);
    for (const { report, seq } of question.reads) {
      const { average, rate, sessions, shades } = report;
      const isEmpty = sessions === 0 && average === 0 && rate === 0 && shades.length === 0;
      // Where there is nothing, nothing is left by any filter.
      if (isEmpty && (whole?.first?.report.sessions ?? 0) === 0) continue;
      findings.made(
        isEmpty
          ? undefined
          : reason('audit-unknown-product-not-empty', {
              asked: question.asked,
              sessions,
              average,
              rate,
              shades: shades.length,
              allSessions: whole?.first?.report.sessions ?? null,
            }),
        () => [seq, ...(whole?.first === undefined ? [] : [whole.first.seq])],
        () => unfilteredCauses(report, whole?.first?.report),
      );
    }
  }
  return resultOf(findings, {
    id: 'analytics.audit-product-filter',
    expected: expects('analytics.audit-product-filter'),
    passed: reason('audit-filter-pass'),
    nothing: reason('audit-filter-none'),
  });
}

/** What an answer for a product without sessions has in common with that for all products; or it is not empty by itself. */
function unfilteredCauses(report: Report, whole: Report | undefined): Suspect[] {
  const fields = [
    report.sessions > 0 ? 'total_sessions' : [],
    report.average !== 0 ? 'avg_shades_per_session' : [],
    report.rate !== 0 ? 'cart_intent_rate' : [],
    report.shades.length > 0 ? 'top_shades' : [],
  ].flat();
  const isCount = report.sessions > 0 || report.shades.length > 0;
  if (!isCount) return [fits('empty-answer-not-zero', { fields })];
  const isWhole =
    whole !== undefined &&
    (report.sessions === 0 || report.sessions === whole.sessions) &&
    (report.shades.length === 0 || JSON.stringify(report.shades) === JSON.stringify(whole.shades));
  return [(isWhole ? shown : fits)('product-filter-ignored', { fields })];
}

/** The question for all products over the same period. */
function wholeOf({ questions }: Audit, { end, start }: AskedQuestion): AskedQuestion | undefined {
  return questions.find((each) => each.product === null && each.start === start && each.end === end);
}

function compareWithin(
  audit: Audit,
  isMeant: (narrow: AskedQuestion, wide: AskedQuestion) => boolean,
  cause: (part: Bounds, whole: Bounds) => Suspect,
): Comparisons {
  const findings = new Comparisons();
  for (const wide of audit.questions) {
    for (const narrow of audit.questions) {
      if (!isWithin(narrow, wide) || !isMeant(narrow, wide)) continue;
      if (!haveCommonInstant(audit, [narrow, wide])) {
        // A 4xx for an unknown product shows nothing about the others.
        if (!narrow.isUnknown) findings.skip();
        continue;
      }
      const [part, whole] = [between(narrow, sessionsOf), between(wide, sessionsOf)];
      if (part.max === 0 && whole.max === 0) continue;
      findings.made(
        part.min > whole.max
          ? reason('audit-within-broken', { narrow: narrow.asked, part, wide: wide.asked, whole })
          : undefined,
        () => seqsOf([narrow, wide]),
        () => [cause(part, whole)],
      );
    }
  }
  return findings;
}
