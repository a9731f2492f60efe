import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import type { Report } from '../record/questions.ts';
import { Comparisons, type RelationFinding } from './findings.ts';
import { type Audit, type AuditRecord, askedIn } from './questions.ts';
import { filledFields } from './sums.ts';

/** Every ordinary question gets an answer of the promised form; how many were judged by the other checks rests on that. */
export function judgeAnswers({ records }: Audit): CheckFinding {
  const findings = new Comparisons();
  const all = records.filter(
    (each) => each.endpoint === 'analytics' && each.phase !== studyPhases.auditDates,
  );
  const errors = all.filter(({ status }) => status !== null && status >= 500);
  for (const record of all) {
    const { problem, seq, status } = record;
    const asked = askedIn(record);
    if (isSuccessStatus(status))
      findings.made(
        problem !== null && {
          reason: reason('audit-answer-malformed', { asked, problem: problem.replace(/\.$/, '') }),
          seqs: [seq],
          causes: [malformed(record)],
        },
      );
    else if (status !== null && status >= 500)
      findings.made({
        reason: reason('audit-answer-status', { asked, status }),
        seqs: [seq],
        causes: [fits('server-errors', { errors: errors.length, endpoints: [endpoint] })],
      });
    // An unknown product may get 4xx, and a request that got 429 is repeated.
    else if (record.probe !== 'audit:unknown-product' && status !== 429)
      findings.doubt({ reason: reason('audit-answer-status', { asked, status }), seqs: [seq] });
  }
  return findings.result('analytics.audit-answers', {
    passed: reason('audit-answers-pass', { answers: findings.judged }),
    nothing: reason('audit-answers-none'),
  });
}

const endpoint = 'GET /analytics/sessions';

function malformed({ problem, report }: AuditRecord): Suspect {
  return report !== null && report.cartIntentRate > 1
    ? shown('rate-as-percentage', { got: report.cartIntentRate })
    : fits('answers-malformed', { endpoint, problem: problem ?? '' });
}

const form = /^(\S+) \/ (\S+)$/;

/** `period` gives the two dates that were asked for, in the promised form; where times were sent, days alone will do, or the reverse. */
export function judgePeriodText({ questions }: Audit): CheckFinding {
  const findings = new Comparisons();
  const ways = new Set<string>();
  for (const { asked, end, reads, start } of questions) {
    for (const {
      report: { period: got },
      seq,
    } of reads) {
      const [, from = '', to = ''] = form.exec(got) ?? [];
      const isExact = from === start && to === end;
      const isRight = isExact || (isDay(from, start) && isDay(to, end));
      if (isRight) ways.add(isExact ? 'as sent' : `${shape(from)} / ${shape(to)}`);
      const expected = `${start} / ${end}`;
      findings.made(
        !isRight && {
          reason: reason('audit-period-wrong', { asked, got, expected }),
          seqs: [seq],
          causes: [shown('period-wrong', { got, expected })],
        },
      );
    }
  }
  return findings.result('analytics.audit-period', {
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
  const totals = audit.questions.flatMap(({ reads }) => reads.map(({ report }) => report.totalSessions));
  const most = Math.max(0, ...totals);
  const probes = ['audit:far-ahead', 'audit:long-ago'] as const;
  const isAnswered = (probe: Probe): boolean => probed(audit, [probe]).some(({ status }) => status !== null);
  return judgeDates(audit, 'analytics.audit-empty-period', probes, {
    passed: reason('audit-empty-pass', {
      ahead: isAnswered('audit:far-ahead'),
      ago: isAnswered('audit:long-ago'),
    }),
    judge: (record, findings) => {
      const { report, seq } = record;
      if (report === null) return;
      const { totalSessions: sessions } = report;
      const asked = askedIn(record);
      const fields = filledFields(report);
      const isAll = sessions === most;
      if (sessions > 0 && record.probe === 'audit:long-ago' && !isAll)
        findings.doubt({ reason: reason('audit-empty-old-sessions', { asked, sessions }), seqs: [seq] });
      else
        findings.made(
          fields.length > 0 && {
            reason:
              sessions > 0
                ? reason('audit-empty-sessions', { asked, sessions, isAll })
                : reason('audit-empty-not-zero', { asked, fields }),
            seqs: [seq],
            causes: [notEmpty(record, report, isAll)],
          },
        );
    },
  });
}

function notEmpty({ query }: AuditRecord, report: Report, isAll: boolean): Suspect {
  const { totalSessions: sessions } = report;
  if (sessions === 0) return shown('empty-answer-not-zero', { fields: filledFields(report) });
  const { end_date = '', start_date = '' } = query;
  return (isAll ? shown : fits)('dates-ignored', { period: `${start_date} / ${end_date}`, sessions });
}

/** A period that ends before it starts gets 4xx, or is empty. */
export function judgeReversed(audit: Audit): CheckFinding {
  return judgeDates(audit, 'analytics.audit-reversed-dates', ['audit:reversed'], {
    passed: reason('audit-reversed-pass'),
    judge: (record, findings) => {
      const sessions = record.report?.totalSessions ?? null;
      if (sessions === 0) findings.made();
      else
        findings.doubt({
          reason: reason('audit-reversed-sessions', { asked: askedIn(record), sessions }),
          seqs: [record.seq],
        });
    },
  });
}

/** Invalid dates get 4xx, not 5xx, at either end of a period. */
export function judgeMalformed(audit: Audit): CheckFinding {
  const probes = ['audit:malformed', 'audit:other-form'] as const;
  const apart = acceptedAtOneEnd(probed(audit, probes));
  const dates = probed(audit, probes).filter(({ status }) => status !== null).length;
  return judgeDates(audit, 'analytics.audit-malformed-dates', probes, {
    passed: reason('audit-malformed-pass', { dates }),
    more: apart,
    judge: (record, findings) => {
      const { seq, status } = record;
      // Forms of dates are not shown, so that any may be taken.
      if (record.probe !== 'audit:malformed') findings.made();
      else
        findings.doubt({
          reason: reason('audit-malformed-accepted', { asked: askedIn(record), status }),
          seqs: [seq],
        });
    },
  });
}

/** A word is neither before nor after another date: what is no date at one end of a period is none at the other. */
function acceptedAtOneEnd(records: readonly AuditRecord[]): RelationFinding[] {
  return records.flatMap((starting): RelationFinding[] => {
    const { end_date: end, start_date: word = '' } = starting.query;
    const ending = records.find(({ query }) => query.end_date === word && query.start_date !== undefined);
    if (!/^[A-Za-z]+$/.test(word) || end === undefined || end === word || ending === undefined) return [];
    const [wrong, other] = isSuccessStatus(starting.status) ? [starting, ending] : [ending, starting];
    if (!isSuccessStatus(wrong.status) || (other.status !== 400 && other.status !== 422)) return [];
    return [
      {
        reason: reason('audit-malformed-apart', { asked: askedIn(wrong), word, status: other.status }),
        seqs: [wrong.seq, other.seq],
        causes: [
          shown('invalid-date-accepted', { date: word, at: wrong === starting ? 'start_date' : 'end_date' }),
        ],
      },
    ];
  });
}

function probed({ records }: Audit, probes: readonly Probe[]): AuditRecord[] {
  return records.filter(({ probe, status }) => probe !== null && probes.includes(probe) && status !== 429);
}

/** Judges requests with odd dates: a 5xx is wrong, a 4xx right, and `judge` says what a 2xx is. */
function judgeDates(
  audit: Audit,
  id: 'analytics.audit-empty-period' | 'analytics.audit-reversed-dates' | 'analytics.audit-malformed-dates',
  probes: readonly Probe[],
  {
    judge,
    more = [],
    passed,
  }: {
    readonly passed: Parameters<Comparisons['result']>[1]['passed'];
    readonly more?: readonly RelationFinding[];
    readonly judge: (record: AuditRecord, findings: Comparisons) => void;
  },
): CheckFinding {
  const findings = new Comparisons();
  const records = probed(audit, probes);
  for (const record of records) {
    const { seq, status } = record;
    const asked = askedIn(record);
    if (isSuccessStatus(status)) judge(record, findings);
    else if (status === null) findings.skipped++;
    else
      findings.made(
        status >= 500 && {
          reason: reason('audit-dates-status', { asked, status }),
          seqs: [seq],
          causes: [shown('invalid-dates-fail', { dates: asked, status })],
        },
      );
  }
  for (const found of more) findings.made(found);
  return findings.result(id, {
    passed,
    nothing: reason('audit-dates-not-asked'),
    observed: Object.fromEntries(records.map((record) => [askedIn(record), record.status])),
  });
}
