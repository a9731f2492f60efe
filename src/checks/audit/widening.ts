import { counted, number } from '../../amounts.ts';
import type { CheckResult } from '../verdict.ts';
import { type Audit, between, haveCommonInstant, type Question, seqsOf, sessionsOf } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { isWithin } from './periods.ts';
import { boundsText } from './words.ts';

/** A longer period has at least the sessions of a shorter one in it. */
export function judgeWidening(audit: Audit): CheckResult {
  const findings = compareWithin(audit, (narrow, wide) => narrow.product === wide.product);
  return resultOf(findings, {
    id: 'analytics.audit-widening',
    title: 'A longer period never has fewer sessions',
    expected: 'total_sessions of a period at least that of each period within it',
    passed: `No period has fewer sessions than one of ${number(findings.judged)} within it.`,
    nothing: 'No period with sessions was answered together with one within it.',
  });
}

/** product_id only ever takes sessions away, and leaves none of a product that nobody has asked a session for. */
export function judgeFilter(audit: Audit): CheckResult {
  const findings = compareWithin(
    audit,
    (narrow, wide) =>
      narrow.product !== null &&
      wide.product === null &&
      narrow.start === wide.start &&
      narrow.end === wide.end,
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
          : `${question.label}, of which nobody has asked for a session, has ${counted(sessions, 'session')}, an average of ${number(average)}, a rate of ${number(rate)} and ${counted(shades.length, 'top shade')}${whole?.first === undefined ? '' : `; all products have ${counted(whole.first.report.sessions, 'session')}`}`,
        () => [seq],
      );
    }
  }
  return resultOf(findings, {
    id: 'analytics.audit-product-filter',
    title: 'product_id restricts an answer to that product',
    expected: 'at most the sessions of all products, and none for a product without any',
    passed: 'No product has more sessions than all, and a product without sessions has none.',
    nothing: 'No product was answered together with all of them.',
  });
}

/** The question for all products over the same period. */
function wholeOf({ questions }: Audit, { end, start }: Question): Question | undefined {
  return questions.find((each) => each.product === null && each.start === start && each.end === end);
}

function compareWithin(audit: Audit, isMeant: (narrow: Question, wide: Question) => boolean): Comparisons {
  const findings = new Comparisons();
  for (const wide of audit.questions) {
    for (const narrow of audit.questions) {
      if (!isWithin(narrow, wide) || !isMeant(narrow, wide)) continue;
      if (!haveCommonInstant(audit, [narrow, wide])) {
        // What is refused for a product that there is not shows nothing about the others.
        if (!narrow.isUnknown) findings.skip();
        continue;
      }
      const [part, whole] = [between(narrow, sessionsOf), between(wide, sessionsOf)];
      if (part.max === 0 && whole.max === 0) continue;
      findings.made(
        part.min > whole.max
          ? `${narrow.label} has ${boundsText(part)} sessions, but ${wide.label} has ${boundsText(whole)}`
          : undefined,
        () => seqsOf([narrow, wide]),
      );
    }
  }
  return findings;
}
