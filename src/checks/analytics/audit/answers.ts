import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { fits, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { reason } from '../../reasons/reason.ts';
import type { Comparisons } from '../compare/comparisons.ts';
import type { Report } from '../record/questions.ts';
import { changeCauses, changeReason, isSame } from '../results/stability.ts';
import { type AskedQuestion, type Audit, type AuditRead, type AuditRecord, askedIn } from './questions.ts';

/** What each answer says by itself, and whether it is the same each time. */

const endpoint = 'GET /analytics/sessions';

/** Every ordinary question gets an answer of the promised form; how many were judged by the other checks rests on that. */
export function compareAnswers({ records }: Audit, findings: Comparisons): void {
  const all = records.filter(
    (each) => each.endpoint === 'analytics' && each.phase !== studyPhases.auditDates,
  );
  const errors = all.filter(({ status }) => status !== null && status >= 500).length;
  for (const record of all) {
    const { problem, report, seq, status } = record;
    const asked = askedIn(record);
    const unanswered = { reason: reason('audit-answer-status', { asked, status }), seqs: [seq] };
    if (isSuccessStatus(status))
      findings.made(
        problem !== null && {
          reason: reason('audit-answer-malformed', { asked, problem: problem.replace(/\.$/, '') }),
          seqs: [seq],
          causes: [
            report !== null && report.cartIntentRate > 1
              ? shown('rate-as-percentage', { got: report.cartIntentRate })
              : fits('answers-malformed', { endpoint, problem }),
          ],
        },
      );
    else if (status !== null && status >= 500)
      findings.made({
        ...unanswered,
        causes: [fits('server-errors', { errors, of: all.length, endpoints: [endpoint] })],
      });
    // An unknown product may get 4xx, and a request that got 429 is repeated.
    else if (record.probe !== 'audit:unknown-product' && status !== 429) findings.doubt(unanswered);
  }
}

/** `period` gives the two dates that were asked for, in the promised form; where times were sent, days alone will do, or the reverse. */
export function comparePeriods({ questions }: Audit, findings: Comparisons): void {
  for (const { asked, end, reads, start } of questions) {
    const expected = `${start} / ${end}`;
    for (const { report, seq } of reads) {
      const { period: got } = report;
      const [, from = '', to = ''] = /^(\S+) \/ (\S+)$/.exec(got) ?? [];
      findings.made(
        !(got === expected || (isDay(from, start) && isDay(to, end))) && {
          reason: reason('audit-period-wrong', { asked, got, expected }),
          seqs: [seq],
          causes: [shown('period-wrong', { got, expected })],
        },
      );
    }
  }
}

/** Whether a date or an instant falls on the day of another, as both are written. */
const isDay = (text: string, asked: string): boolean =>
  /^\d{4}-\d{2}-\d{2}(T\S+)?$/.test(text) && text.slice(0, 10) === asked.slice(0, 10);

/** The fields of an answer that are not zero. */
export const filledFields = (report: Report): string[] => [
  ...(report.totalSessions > 0 ? ['total_sessions'] : []),
  ...(report.avgShadesPerSession !== 0 ? ['avg_shades_per_session'] : []),
  ...(report.cartIntentRate !== 0 ? ['cart_intent_rate'] : []),
  ...(report.topShades.length > 0 ? ['top_shades'] : []),
];

function probed({ records }: Audit, probes: readonly Probe[]): AuditRecord[] {
  return records.filter(({ probe, status }) => probe !== null && probes.includes(probe) && status !== 429);
}

/** Requests with odd dates: a 5xx is wrong, a 4xx right, and `ofSuccess` says what a 2xx is. */
function compareDates(
  audit: Audit,
  findings: Comparisons,
  probes: readonly Probe[],
  ofSuccess: (record: AuditRecord) => void,
): void {
  for (const record of probed(audit, probes)) {
    const { seq, status } = record;
    const asked = askedIn(record);
    findings.observed[asked] = status;
    if (isSuccessStatus(status)) ofSuccess(record);
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
}

/** Days far ahead and long ago hold nothing; if an answer says so, it says so in every field. */
export function compareEmptyPeriods(audit: Audit, findings: Comparisons): void {
  const totals = audit.questions.flatMap(({ reads }) => reads.map(({ report }) => report.totalSessions));
  const most = Math.max(0, ...totals);
  compareDates(audit, findings, ['audit:far-ahead', 'audit:long-ago'], (record) => {
    const { probe, query, report, seq } = record;
    if (report === null) return;
    const { totalSessions: sessions } = report;
    const asked = askedIn(record);
    const fields = filledFields(report);
    const isAll = sessions === most;
    const period = `${query.start_date ?? ''} / ${query.end_date ?? ''}`;
    if (sessions > 0 && probe === 'audit:long-ago' && !isAll)
      findings.doubt({ reason: reason('audit-empty-old-sessions', { asked, sessions }), seqs: [seq] });
    else if (sessions > 0)
      findings.made({
        reason: reason('audit-empty-sessions', { asked, sessions, isAll }),
        seqs: [seq],
        causes: [(isAll ? shown : fits)('dates-ignored', { period, sessions })],
      });
    else
      findings.made(
        fields.length > 0 && {
          reason: reason('audit-empty-not-zero', { asked, fields }),
          seqs: [seq],
          causes: [shown('empty-answer-not-zero', { fields })],
        },
      );
  });
}

/** A period that ends before it starts gets 4xx, or is empty. */
export function compareReversed(audit: Audit, findings: Comparisons): void {
  compareDates(audit, findings, ['audit:reversed'], (record) => {
    const sessions = record.report?.totalSessions ?? null;
    const found = reason('audit-reversed-sessions', { asked: askedIn(record), sessions });
    if (sessions === 0) findings.made();
    else findings.doubt({ reason: found, seqs: [record.seq] });
  });
}

/** Invalid dates get 4xx, not 5xx, at either end of a period. */
export function compareMalformed(audit: Audit, findings: Comparisons): void {
  const probes = ['audit:malformed', 'audit:other-form'] as const;
  compareDates(audit, findings, probes, (record) => {
    const { probe, seq, status } = record;
    const found = reason('audit-malformed-accepted', { asked: askedIn(record), status });
    // Forms of dates are not shown, so that any may be taken.
    if (probe === 'audit:malformed') findings.doubt({ reason: found, seqs: [seq] });
    else findings.made();
  });
  // A word is neither before nor after another date: what is no date at one end of a period is none at the other.
  const records = probed(audit, probes);
  for (const starting of records) {
    const { end_date: end, start_date: word = '' } = starting.query;
    const ending = records.find(({ query }) => query.end_date === word && query.start_date !== undefined);
    if (!/^[A-Za-z]+$/.test(word) || end === undefined || end === word || ending === undefined) continue;
    const [wrong, other] = isSuccessStatus(starting.status) ? [starting, ending] : [ending, starting];
    if (!isSuccessStatus(wrong.status) || (other.status !== 400 && other.status !== 422)) continue;
    const at = wrong === starting ? 'start_date' : 'end_date';
    findings.made({
      reason: reason('audit-malformed-apart', { asked: askedIn(wrong), word, status: other.status }),
      seqs: [wrong.seq, other.seq],
      causes: [shown('invalid-date-accepted', { date: word, at })],
    });
  }
}

/**
 * The same question gets the same answer: at once again (`auditReread`), and after each other question (`auditOrder`), since a
 * cache with a wrong key answers a query with the answer to an earlier one.
 */
export function compareReads(audit: Audit, findings: Comparisons, phase: string): void {
  for (const question of audit.questions) {
    const reads = question.reads.filter(
      (read) => read.phase === phase || read === question.first || read === question.last,
    );
    // Every question is asked in two rounds, of which the second goes the other way.
    const isMeant = phase === studyPhases.auditOrder || reads.some((read) => read.phase === phase);
    const [first] = reads;
    if (first === undefined || reads.length < 2 || !isMeant) continue;
    const changed = reads.find(({ report }) => !isSame(report, first.report));
    if (changed === undefined) {
      // Nothing, twice, shows nothing.
      if (first.report.totalSessions > 0 || question.isOwn) findings.made();
      continue;
    }
    const isAlone = question.isUnknown || (audit.isSettled && (audit.profile.exclusive || question.isOwn));
    const certain = isAlone ? ([first, changed] as const) : comingBack(audit, reads, lasting(audit));
    const odd = certain ?? comingBack(audit, reads, (report) => report);
    if (odd === undefined) {
      findings.skipped++;
      continue;
    }
    const [before, after] = odd;
    const change = { query: question.asked, before: before.report, after: after.report };
    const seqs = [before.seq, after.seq];
    if (certain === undefined)
      findings.doubt({ reason: reason('audit-may-come-back', { query: question.asked }), seqs });
    else
      findings.made({
        reason: changeReason(change),
        seqs,
        causes: changeCauses([change], !changesInARow(question), seqs),
      });
  }
}

/**
 * An answer between two that are alike and unlike it. Sessions and events are only ever added, and what was there before one
 * answer, and not after another, has been so all the time.
 */
function comingBack(
  { profile }: Audit,
  reads: readonly AuditRead[],
  seen: (report: Report) => Report,
): readonly [before: AuditRead, after: AuditRead] | undefined {
  const freshNs = profile.freshness * 1e6;
  const alike = (a: AuditRead, b: AuditRead): boolean => isSame(seen(a.report), seen(b.report));
  for (const read of reads) {
    const before = reads.find(
      (each) =>
        each.answeredNs <= read.sentNs - freshNs &&
        !alike(each, read) &&
        reads.some((after) => read.answeredNs <= after.sentNs - freshNs && alike(each, after)),
    );
    if (before !== undefined) return [before, read];
  }
  return undefined;
}

/**
 * A report without what may come and go while others are at work: a mean over sessions with shades when one gets its first,
 * and a rate of those whose last event is a cart intent.
 */
function lasting({ profile }: Audit): (report: Report) => Report {
  const overAll = profile.sessions_averaged === 'all';
  return (report) => ({
    ...report,
    avgShadesPerSession: overAll ? report.avgShadesPerSession : 0,
    cartIntentRate: overAll && profile.cart_intent === 'ever' ? report.cartIntentRate : 0,
  });
}

/** Two in a row that differ are not a matter of what was asked before. */
function changesInARow({ reads }: AskedQuestion): boolean {
  const [first, ...again] = reads.filter(({ phase }) => phase === studyPhases.auditReread);
  return first !== undefined && again.some(({ report }) => !isSame(report, first.report));
}
