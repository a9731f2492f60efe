import { studyPhases } from '../../../vocabulary/phases.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import type { FieldChange } from '../../reasons/audit.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { type AskedQuestion, type Audit, type AuditRead, isSame } from './audit.ts';
import { Comparisons, resultOf } from './findings.ts';
import type { Report } from './records.ts';

/** The same question at once again gets the same answer. */
export function judgeRereads(audit: Audit): CheckFinding {
  const findings = compareReads(audit, studyPhases.auditReread);
  return resultOf(findings, {
    id: 'analytics.audit-reread',
    expected: expects('analytics.audit-reread'),
    passed: reason('audit-reread-pass', { questions: findings.judged }),
    nothing: reason('audit-steadiness-none'),
  });
}

/** The order of queries does not matter: a cache with a wrong key answers a query with the answer of an earlier one. */
export function judgeOrder(audit: Audit): CheckFinding {
  const findings = compareReads(audit, studyPhases.auditOrder);
  return resultOf(findings, {
    id: 'analytics.audit-order',
    expected: expects('analytics.audit-order'),
    passed: reason('audit-order-pass', { questions: findings.judged }),
    nothing: reason('audit-steadiness-none'),
  });
}

function compareReads(audit: Audit, phase: string): Comparisons {
  const findings = new Comparisons();
  for (const question of audit.questions) {
    const reads = question.reads.filter(
      (read) => read.phase === phase || read === question.first || read === question.last,
    );
    // Every question is asked in two rounds, of which the second goes the other way.
    const isMeant = phase === studyPhases.auditOrder || reads.some((read) => read.phase === phase);
    if (reads.length < 2 || !isMeant) continue;
    const [first] = reads;
    if (first === undefined || reads.every(({ report }) => isSame(report, first.report))) {
      // Nothing, twice, shows nothing.
      if (first !== undefined && (first.report.sessions > 0 || question.isOwn)) findings.judged++;
      continue;
    }
    const isAlone = question.isUnknown || (audit.isSettled && (audit.profile.exclusive || question.isOwn));
    const certain = isAlone ? firstChange(reads) : comingBack(audit, reads, lasting(audit));
    const odd = certain ?? (isAlone ? undefined : comingBack(audit, reads, (report) => report));
    if (odd === undefined) {
      findings.skip();
      continue;
    }
    const change = changeReason(question, odd, certain === undefined);
    const seqs = [odd.before.seq, odd.read.seq];
    if (certain !== undefined)
      findings.made(
        change,
        () => seqs,
        () => changeCauses(question, odd),
      );
    else findings.doubt(change, seqs);
  }
  return findings;
}

/** An answer, and one before that differs. */
interface ChangedRead {
  readonly before: AuditRead;
  readonly read: AuditRead;
}

function firstChange(reads: readonly AuditRead[]): ChangedRead | undefined {
  const [before] = reads;
  const read = before && reads.find(({ report }) => !isSame(report, before.report));
  return before && read && { before, read };
}

/**
 * An answer between two that are alike and unlike it. Sessions and events are only ever added, and what was there before one
 * answer, and not after another, has been so all the time.
 */
function comingBack(
  { profile }: Audit,
  reads: readonly AuditRead[],
  seen: (report: Report) => Report,
): ChangedRead | undefined {
  const freshNs = profile.freshness * 1e6;
  const alike = (a: AuditRead, b: AuditRead): boolean => isSame(seen(a.report), seen(b.report));
  for (const read of reads) {
    const before = reads.find(
      (each) =>
        each.answeredNs <= read.sentNs - freshNs &&
        !alike(each, read) &&
        reads.some((after) => read.answeredNs <= after.sentNs - freshNs && alike(each, after)),
    );
    if (before !== undefined) return { before, read };
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
    average: overAll ? report.average : 0,
    rate: overAll && profile.cart_intent === 'ever' ? report.rate : 0,
  });
}

/** Why a question got another answer: two in a row that differ are not a matter of what was asked before. */
function changeCauses(question: AskedQuestion, { before, read }: ChangedRead): Suspect[] {
  const fields = changedFields(before.report, read.report).map(({ field }) => field);
  if (fields.length === 0 && areTies(before.report, read.report))
    return [shown('order-varies', { what: 'Shades with equal selections' })];
  const changed = fields.length > 0 ? fields : ['top_shades'];
  const [first, ...again] = question.reads.filter(({ phase }) => phase === studyPhases.auditReread);
  const inARow = first !== undefined && again.some(({ report }) => !isSame(report, first.report));
  return inARow
    ? [shown('answers-vary', { fields: changed })]
    : [fits('answers-mixed-up', { fields: changed }), fits('answers-vary', { fields: changed })];
}

function changeReason({ asked }: AskedQuestion, { before, read }: ChangedRead, mayComeBack: boolean): Reason {
  return reason('audit-answer-changed', {
    asked,
    fields: changedFields(before.report, read.report),
    isTie: areTies(before.report, read.report),
    mayComeBack,
  });
}

/** The fields besides top_shades that differ, with their values. */
function changedFields(a: Report, b: Report): FieldChange[] {
  const fields: FieldChange[] = [
    { field: 'period', before: a.period, after: b.period },
    { field: 'total_sessions', before: a.sessions, after: b.sessions },
    { field: 'avg_shades_per_session', before: a.average, after: b.average },
    { field: 'cart_intent_rate', before: a.rate, after: b.rate },
  ];
  return fields.filter(({ after, before }) => before !== after);
}

/** Whether lists differ at most in the order of shades with equally many selections. */
function areTies(a: Report, b: Report): boolean {
  const counts = ({ shades }: Report): string => JSON.stringify(shades.map(({ selections }) => selections));
  return counts(a) === counts(b);
}
