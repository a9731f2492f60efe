import { all, verb } from '../../amounts.ts';
import { studyPhases } from '../../history/phases.ts';
import type { CheckResult } from '../verdict.ts';
import type { Audit } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { type AuditRecord, is2xx } from './records.ts';

/** Every ordinary question gets an answer of the promised form; how many were judged by the other checks rests on that. */
export function judgeAnswers({ records }: Audit): CheckResult {
  const findings = new Comparisons();
  const asked = records.filter(
    ({ endpoint, phase }) => endpoint === 'analytics' && phase !== studyPhases.auditDates,
  );
  for (const record of asked) {
    const { problem, seq, status } = record;
    if (is2xx(status))
      findings.made(problem === null ? undefined : `${textOf(record)}: ${problem}`, () => [seq]);
    else if (status !== null && status >= 500) findings.made(`${textOf(record)}: ${status}`, () => [seq]);
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

/** What a record asked, in words. */
export function textOf({ query }: AuditRecord): string {
  const dates = [query.start_date, query.end_date].map((date) =>
    date === undefined ? 'none' : date === '' ? '""' : date,
  );
  return `${query.product_id ?? 'all products'}, ${dates.join(' / ')}`;
}
