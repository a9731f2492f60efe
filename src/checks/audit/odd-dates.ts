import { counted, number } from '../../amounts.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import type { CheckResult } from '../verdict.ts';
import { textOf } from './answers.ts';
import type { Audit } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import { type AuditRecord, is2xx, type Report } from './records.ts';

const emptyProbes = [
  ['audit:far-ahead', 'far ahead'],
  ['audit:long-ago', 'long ago'],
] as const;

/** Days far ahead and long ago hold nothing; if an answer says so, it says so in every field. */
export function judgeEmptyPeriods(audit: Audit): CheckResult {
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
      findings.doubt(
        `${textOf(record)} has ${counted(sessions, 'session')}, which is odd if nothing is that old`,
        [seq],
      );
    else
      findings.made(
        sessions > 0
          ? `${textOf(record)} has ${counted(sessions, 'session')}${sessions === most ? ', as many as any period: dates are not applied' : ''}`
          : average !== 0 || rate !== 0 || shades.length > 0
            ? `${textOf(record)} has no session, but an average of ${number(average)}, a rate of ${number(rate)} and ${counted(shades.length, 'top shade')}`
            : undefined,
        () => [seq],
        () => [notEmpty(record, report, sessions === most)],
      );
  }
  const empties = emptyProbes.flatMap(([probe, words]) =>
    asked(audit, [probe]).some(({ status }) => status !== null) ? words : [],
  );
  return resultOf(findings, {
    id: 'analytics.audit-empty-period',
    title: 'A period far in the future or in the past is empty',
    expected: 'zeros and no shades, or a refusal with 4xx',
    passed: `${empties.length === 2 ? 'Days far ahead and long ago are' : `A day ${empties.join('')} is`} empty, or refused.`,
    nothing: 'Such periods were not asked about.',
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

/** An end before its start: refused, or empty. */
export function judgeReversed(audit: Audit): CheckResult {
  const findings = new Comparisons();
  const records = asked(audit, ['audit:reversed']);
  for (const record of records) {
    const { report, seq } = record;
    if (!compareStatus(record, findings)) continue;
    if (report === null || report.sessions > 0)
      findings.doubt(
        `${textOf(record)} is answered with ${report === null ? 'unreadable sessions' : counted(report.sessions, 'session')}, as if the dates were in order`,
        [seq],
      );
    else findings.made(undefined, () => []);
  }
  return resultOf(findings, {
    id: 'analytics.audit-reversed-dates',
    title: 'A period that ends before it starts is empty or gets 4xx',
    expected: '4xx, or no session; never 5xx',
    passed: 'An end before its start is refused, or empty.',
    nothing: 'It was not asked for.',
    observed: observedOf(records),
  });
}

/** Dates that are none: refused by the one who asked wrongly, not by a fault of the target. */
export function judgeMalformed(audit: Audit): CheckResult {
  const findings = new Comparisons();
  const records = asked(audit, ['audit:malformed', 'audit:other-form']);
  for (const record of records) {
    if (!compareStatus(record, findings)) continue;
    if (record.probe === 'audit:malformed')
      findings.doubt(`${textOf(record)} is answered with ${record.status}, as if these were dates`, [
        record.seq,
      ]);
    // Forms of dates are not shown, so that any may be taken.
    else findings.made(undefined, () => []);
  }
  return resultOf(findings, {
    id: 'analytics.audit-malformed-dates',
    title: 'Invalid dates get a 4xx, not a 5xx',
    expected: '4xx; never 5xx. Other forms of dates may be taken',
    passed: `${counted(findings.judged, 'date')} that are none, or of another form, were answered without trouble.`,
    nothing: 'None was sent.',
    observed: observedOf(records),
  });
}

function asked({ records }: Audit, probes: readonly string[]): AuditRecord[] {
  return records.filter(({ probe, status }) => probe !== null && probes.includes(probe) && status !== 429);
}

/** Judges a status that is no success; whether it was one, and the answer's content is left to judge. */
function compareStatus(record: AuditRecord, findings: Comparisons): boolean {
  const { seq, status } = record;
  if (is2xx(status)) return true;
  if (status === null) findings.skip();
  else
    findings.made(
      status >= 500 ? `${textOf(record)} is answered with ${status}` : undefined,
      () => [seq],
      () => [shown('invalid-dates-fail', { dates: textOf(record), status })],
    );
  return false;
}

function observedOf(records: readonly AuditRecord[]): Record<string, number | null> {
  return Object.fromEntries(records.map((record) => [textOf(record), record.status]));
}
