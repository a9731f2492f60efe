import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { fits, shown } from '../../causes/cause.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Comparisons } from '../compare/comparisons.ts';
import type { Report } from '../record/questions.ts';
import { changeCauses, changeReason, isSame } from '../results/stability.ts';
import {
  type AskedQuestion,
  type Audit,
  type AuditRead,
  type AuditRecord,
  askedIn,
  openProbes,
} from './questions.ts';

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
    // A request that got 429 is repeated.
    else if (!openProbes.some((probe) => probe === record.probe) && status !== 429)
      findings.doubt(unanswered);
  }
}

/** Requests with odd dates: a 5xx is wrong, a 4xx right; what looks wrong in a 2xx may be right, and `ofSuccess` says what that is. */
function compareDates(
  { records }: Audit,
  findings: Comparisons,
  probes: readonly Probe[],
  ofSuccess: (record: AuditRecord) => Reason | undefined,
): AuditRecord[] {
  const own = records.filter(({ probe, status }) => probe && probes.includes(probe) && status !== 429);
  for (const record of own) {
    const { seq, status } = record;
    const asked = askedIn(record);
    findings.observed[asked] = status;
    const odd = isSuccessStatus(status) ? ofSuccess(record) : undefined;
    if (status === null) findings.skipped++;
    else if (odd !== undefined) findings.doubt({ reason: odd, seqs: [seq] });
    else
      findings.made(
        status >= 500 && {
          reason: reason('audit-dates-status', { asked, status }),
          seqs: [seq],
          causes: [shown('invalid-dates-fail', { dates: asked, status })],
        },
      );
  }
  return own;
}

/** A period that ends before it starts gets 4xx, or is empty. */
export function compareReversed(audit: Audit, findings: Comparisons): void {
  compareDates(audit, findings, ['audit:reversed'], (record) => {
    const sessions = record.report?.totalSessions ?? null;
    return sessions === 0
      ? undefined
      : reason('audit-reversed-sessions', { asked: askedIn(record), sessions });
  });
}

/** Invalid dates get 4xx, not 5xx, at either end of a period. */
export function compareMalformed(audit: Audit, findings: Comparisons): void {
  // Forms of dates are not shown, so that any may be taken.
  const records = compareDates(audit, findings, ['audit:malformed', 'audit:other-form'], (record) =>
    record.probe === 'audit:malformed'
      ? reason('audit-malformed-accepted', { asked: askedIn(record), status: record.status })
      : undefined,
  );
  // A word is neither before nor after another date: what is no date at one end of a period is none at the other.
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
      if (first.report.totalSessions > 0 || question.subject === 'own') findings.made();
      continue;
    }
    const isAlone =
      question.subject === 'unknown' ||
      (audit.isSettled && (audit.profile.exclusive || question.subject === 'own'));
    const certain = isAlone ? ([first, changed] as const) : comingBack(audit, reads, lasting(audit));
    const odd = certain ?? comingBack(audit, reads, (report) => report);
    if (odd === undefined) {
      findings.skipped++;
      continue;
    }
    const [before, after] = odd;
    const query = question.query.label;
    const change = { query, before: before.report, after: after.report };
    const seqs = [before.seq, after.seq];
    if (certain === undefined) findings.doubt({ reason: reason('audit-may-come-back', { query }), seqs });
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
