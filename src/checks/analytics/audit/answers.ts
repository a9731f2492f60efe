import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { type AskedPeriod, askedText } from '../../reasons/audit.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import type { Audit } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import type { AuditRecord, Report } from './records.ts';
import { filledIn } from './sums.ts';

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
function askedIn({ query }: AuditRecord): AskedPeriod {
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

/** Days far ahead and long ago hold nothing; if an answer says so, it says so in every field. */
export function judgeEmptyPeriods(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  const most = Math.max(
    0,
    ...audit.questions.flatMap(({ reads }) => reads.map(({ report }) => report.sessions)),
  );
  for (const record of asked(audit, ['audit:far-ahead', 'audit:long-ago'])) {
    const { report, seq } = record;
    if (!compareStatus(record, findings) || report === null) continue;
    const { average, rate, sessions, shades } = report;
    if (sessions > 0 && record.probe === 'audit:long-ago' && sessions !== most)
      findings.doubt(reason('audit-empty-old-sessions', { asked: askedIn(record), sessions }), [seq]);
    else
      findings.made(
        sessions > 0
          ? reason('audit-empty-sessions', { asked: askedIn(record), sessions, isAll: sessions === most })
          : average !== 0 || rate !== 0 || shades.length > 0
            ? reason('audit-empty-not-zero', { asked: askedIn(record), average, rate, shades: shades.length })
            : undefined,
        () => [seq],
        () => [notEmpty(record, report, sessions === most)],
      );
  }
  const isAnswered = (probe: Probe): boolean => asked(audit, [probe]).some(({ status }) => status !== null);
  return resultOf(findings, {
    id: 'analytics.audit-empty-period',
    expected: expects('analytics.audit-empty-period'),
    passed: reason('audit-empty-pass', {
      ahead: isAnswered('audit:far-ahead'),
      ago: isAnswered('audit:long-ago'),
    }),
    nothing: reason('audit-dates-not-asked'),
    observed: observedOf(asked(audit, ['audit:far-ahead', 'audit:long-ago'])),
  });
}

function notEmpty(record: AuditRecord, report: Report, isAll: boolean): Suspect {
  const { sessions } = report;
  if (sessions > 0) {
    const { end_date = '', start_date = '' } = record.query;
    return (isAll ? shown : fits)('dates-ignored', { period: `${start_date} / ${end_date}`, sessions });
  }
  return shown('empty-answer-not-zero', { fields: filledIn(report) });
}

/** A period that ends before it starts gets 4xx, or is empty. */
export function judgeReversed(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  const records = asked(audit, ['audit:reversed']);
  for (const record of records) {
    const { report, seq } = record;
    if (!compareStatus(record, findings)) continue;
    if (report === null || report.sessions > 0)
      findings.doubt(
        reason('audit-reversed-sessions', { asked: askedIn(record), sessions: report?.sessions ?? null }),
        [seq],
      );
    else findings.made(undefined, () => []);
  }
  return resultOf(findings, {
    id: 'analytics.audit-reversed-dates',
    expected: expects('analytics.audit-reversed-dates'),
    passed: reason('audit-reversed-pass'),
    nothing: reason('audit-dates-not-asked'),
    observed: observedOf(records),
  });
}

/** Invalid dates get 4xx, not 5xx, at either end of a period. */
export function judgeMalformed(audit: Audit): CheckFinding {
  const findings = new Comparisons();
  const records = asked(audit, ['audit:malformed', 'audit:other-form']);
  for (const record of records) {
    if (!compareStatus(record, findings)) continue;
    if (record.probe === 'audit:malformed')
      findings.doubt(reason('audit-malformed-accepted', { asked: askedIn(record), status: record.status }), [
        record.seq,
      ]);
    // Forms of dates are not shown, so that any may be taken.
    else findings.made(undefined, () => []);
  }
  judgeEnds(records, findings);
  return resultOf(findings, {
    id: 'analytics.audit-malformed-dates',
    expected: expects('analytics.audit-malformed-dates'),
    passed: reason('audit-malformed-pass', { dates: findings.judged }),
    nothing: reason('audit-dates-not-asked'),
    observed: observedOf(records),
  });
}

/** A word is neither before nor after another date: what is no date at one end of a period is none at the other. */
function judgeEnds(records: readonly AuditRecord[], findings: Comparisons): void {
  for (const starting of records) {
    const { end_date: end, start_date: word = '' } = starting.query;
    const ending = records.find(({ query }) => query.end_date === word && query.start_date !== undefined);
    if (!/^[A-Za-z]+$/.test(word) || end === undefined || end === word || ending === undefined) continue;
    const [wrong, other] = isSuccessStatus(starting.status) ? [starting, ending] : [ending, starting];
    const apart = isSuccessStatus(wrong.status) && isRejection(other.status);
    findings.made(
      apart
        ? reason('audit-malformed-apart', { asked: askedIn(wrong), word, status: other.status })
        : undefined,
      () => [wrong.seq, other.seq],
      () => [
        shown('invalid-date-accepted', { date: word, at: wrong === starting ? 'start_date' : 'end_date' }),
      ],
    );
  }
}

function isRejection(status: number | null): boolean {
  return status === 400 || status === 422;
}

function asked({ records }: Audit, probes: readonly Probe[]): AuditRecord[] {
  return records.filter(({ probe, status }) => probe !== null && probes.includes(probe) && status !== 429);
}

/** Judges a status that is no success; whether it was one, and the answer's content is left to judge. */
function compareStatus(record: AuditRecord, findings: Comparisons): boolean {
  const { seq, status } = record;
  if (isSuccessStatus(status)) return true;
  if (status === null) findings.skip();
  else
    findings.made(
      status >= 500 ? reason('audit-dates-status', { asked: askedIn(record), status }) : undefined,
      () => [seq],
      () => [shown('invalid-dates-fail', { dates: askedText(askedIn(record)), status })],
    );
  return false;
}

function observedOf(records: readonly AuditRecord[]): Record<string, number | null> {
  return Object.fromEntries(records.map((record) => [askedText(askedIn(record)), record.status]));
}
