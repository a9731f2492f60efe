import { all, verb } from '../../amounts.ts';
import { studyPhases } from '../../history/phases.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import type { CheckResult } from '../verdict.ts';
import type { Audit } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { type AuditRecord, is2xx } from './records.ts';

/** Every ordinary question gets an answer of the promised form; how many were judged by the other checks rests on that. */
export function judgeAnswers({ records }: Audit): CheckResult {
  const findings = new Comparisons();
  const asked = records.filter(
    (each) => each.endpoint === 'analytics' && each.phase !== studyPhases.auditDates,
  );
  const errors = asked.filter(({ status }) => status !== null && status >= 500);
  for (const record of asked) {
    const { problem, seq, status } = record;
    if (is2xx(status))
      findings.made(
        problem === null ? undefined : `${textOf(record)}: ${problem}`,
        () => [seq],
        () => malformed(record),
      );
    else if (status !== null && status >= 500)
      findings.made(
        `${textOf(record)}: ${status}`,
        () => [seq],
        () => [fits('server-errors', { errors: errors.length, endpoints: [endpoint] })],
      );
    // A product that nobody knows may be refused, and what is refused for the rate is asked again.
    else if (record.probe !== 'audit:unknown-product' && status !== 429)
      findings.doubt(`${textOf(record)}: ${status ?? 'no answer'}`, [seq]);
  }
  return resultOf(findings, {
    id: 'analytics.audit-answers',
    title: 'Every valid analytics request gets an answer in the promised form',
    expected: 'readable 2xx answers, a cart intent rate between 0 and 1 among other things',
    passed: `${all(findings.judged, 'answer')} ${verb(findings.judged, 'was', 'were')} as described.`,
    nothing: 'Nothing was asked.',
  });
}

const endpoint = 'GET /analytics/sessions';

function malformed({ problem, report }: AuditRecord): Suspect[] {
  return report !== null && report.rate > 1
    ? [shown('rate-as-percentage', { got: report.rate })]
    : [fits('answers-malformed', { endpoint, problem: problem ?? '' })];
}

/** What a record asked, in words. */
export function textOf({ query }: AuditRecord): string {
  const dates = [query.start_date, query.end_date].map((date) =>
    date === undefined ? 'none' : date === '' ? '""' : date,
  );
  return `${query.product_id ?? 'all products'}, ${dates.join(' / ')}`;
}
