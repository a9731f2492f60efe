import type { Probe } from '../../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { askedText } from '../../reasons/audit.ts';
import { expects } from '../../reasons/expected.ts';
import { reason } from '../../reasons/reason.ts';
import { askedIn } from './answers.ts';
import type { Audit } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import type { AuditRecord, Report } from './records.ts';

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

function notEmpty(record: AuditRecord, { average, rate, sessions, shades }: Report, isAll: boolean): Suspect {
  if (sessions > 0) {
    const { end_date = '', start_date = '' } = record.query;
    return (isAll ? shown : fits)('dates-ignored', { period: `${start_date} / ${end_date}`, sessions });
  }
  const fields = [
    average !== 0 ? 'avg_shades_per_session' : [],
    rate !== 0 ? 'cart_intent_rate' : [],
    shades.length > 0 ? 'top_shades' : [],
  ].flat();
  return shown('empty-answer-not-zero', { fields });
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
