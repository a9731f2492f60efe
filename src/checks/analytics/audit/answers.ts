import { studyPhases } from '../../../vocabulary/phases.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import type { AskedPeriod } from '../../reasons/audit.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import type { Audit } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import type { AuditRecord } from './records.ts';

/** Every ordinary question gets an answer of the promised form; how many were judged by the other checks rests on that. */
export function judgeAnswers({ records }: Audit): CheckFinding {
  const findings = new Comparisons();
  const asked = records.filter(
    (each) => each.endpoint === 'analytics' && each.phase !== studyPhases.auditDates,
  );
  const errors = asked.filter(({ status }) => status !== null && status >= 500);
  for (const record of asked) {
    const { problem, seq, status } = record;
    if (isSuccessStatus(status))
      findings.made(
        problem === null ? undefined : reason('audit-answer-malformed', { asked: askedIn(record), problem }),
        () => [seq],
        () => malformed(record),
      );
    else if (status !== null && status >= 500)
      findings.made(
        reason('audit-answer-status', { asked: askedIn(record), status }),
        () => [seq],
        () => [fits('server-errors', { errors: errors.length, endpoints: [endpoint] })],
      );
    // An unknown product may get 4xx, and a request that got 429 is repeated.
    else if (record.probe !== 'audit:unknown-product' && status !== 429)
      findings.doubt(reason('audit-answer-status', { asked: askedIn(record), status }), [seq]);
  }
  return resultOf(findings, {
    id: 'analytics.audit-answers',
    expected: expects('analytics.audit-answers'),
    passed: reason('audit-answers-pass', { answers: findings.judged }),
    nothing: reason('audit-answers-none'),
  });
}

const endpoint = 'GET /analytics/sessions';

function malformed({ problem, report }: AuditRecord): Suspect[] {
  return report !== null && report.rate > 1
    ? [shown('rate-as-percentage', { got: report.rate })]
    : [fits('answers-malformed', { endpoint, problem: problem ?? '' })];
}

/** What a record asked. */
export function askedIn({ query }: AuditRecord): AskedPeriod {
  return {
    product: query.product_id ?? null,
    from: query.start_date ?? null,
    to: query.end_date ?? null,
  };
}

const form = /^(\S+) \/ (\S+)$/;

/** `period` gives the two dates that were asked for, in the promised form; where times were sent, days alone will do, or the reverse. */
export function judgePeriodText({ questions }: Audit): CheckFinding {
  const findings = new Comparisons();
  const ways = new Set<string>();
  for (const { asked, end, reads, start } of questions) {
    for (const { report, seq } of reads) {
      const [, from = '', to = ''] = form.exec(report.period) ?? [];
      const isExact = from === start && to === end;
      const isSameDays = isDay(from, start) && isDay(to, end);
      if (isExact || isSameDays) ways.add(isExact ? 'as sent' : `${shape(from)} / ${shape(to)}`);
      findings.made(
        isExact || isSameDays
          ? undefined
          : reason('audit-period-wrong', { asked, got: report.period, expected: `${start} / ${end}` }),
        () => [seq],
        () => [shown('period-wrong', { got: report.period, expected: `${start} / ${end}` })],
      );
    }
  }
  return resultOf(findings, {
    id: 'analytics.audit-period',
    expected: expects('analytics.audit-period'),
    passed: reason('audit-period-pass', { periods: findings.judged }),
    nothing: reason('audit-period-none'),
    observed: { dates: [...ways] },
  });
}

/** Whether a date or an instant falls on the day of another, as both are written. */
function isDay(text: string, asked: string): boolean {
  return /^\d{4}-\d{2}-\d{2}(T\S+)?$/.test(text) && text.slice(0, 10) === asked.slice(0, 10);
}

function shape(text: string): string {
  return text.length > 10 ? 'YYYY-MM-DDTHH:MM:SSZ' : 'YYYY-MM-DD';
}
