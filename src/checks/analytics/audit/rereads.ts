import { studyPhases } from '../../../vocabulary/phases.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { reason } from '../../reasons/reason.ts';
import { changeCauses, changeReason, isSame } from '../compare/changes.ts';
import type { Report } from '../record/questions.ts';
import { Comparisons } from './findings.ts';
import type { AskedQuestion, Audit, AuditRead } from './questions.ts';

/** The same question at once again gets the same answer. */
export function judgeRereads(audit: Audit): CheckFinding {
  const findings = compareReads(audit, studyPhases.auditReread);
  return findings.result('analytics.audit-reread', {
    passed: reason('audit-reread-pass', { questions: findings.judged }),
    nothing: reason('audit-steadiness-none'),
  });
}

/** The order of queries does not matter: a cache with a wrong key answers a query with the answer of an earlier one. */
export function judgeOrder(audit: Audit): CheckFinding {
  const findings = compareReads(audit, studyPhases.auditOrder);
  return findings.result('analytics.audit-order', {
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
    const [first] = reads;
    if (first === undefined || reads.length < 2 || !isMeant) continue;
    if (reads.every(({ report }) => isSame(report, first.report))) {
      // Nothing, twice, shows nothing.
      if (first.report.totalSessions > 0 || question.isOwn) findings.made();
      continue;
    }
    const isAlone = question.isUnknown || (audit.isSettled && (audit.profile.exclusive || question.isOwn));
    const certain = isAlone ? firstChange(reads) : comingBack(audit, reads, lasting(audit));
    const odd = certain ?? (isAlone ? undefined : comingBack(audit, reads, (report) => report));
    if (odd === undefined) {
      findings.skipped++;
      continue;
    }
    const [before, after] = odd;
    const change = { query: question.asked, before: before.report, after: after.report };
    const found = { reason: changeReason(change), seqs: [before.seq, after.seq] };
    if (certain === undefined)
      findings.doubt({ ...found, reason: reason('audit-may-come-back', { query: question.asked }) });
    else findings.made({ ...found, causes: changeCauses([change], !changesInARow(question), found.seqs) });
  }
  return findings;
}

/** An answer, and one after it that differs. */
type ChangedRead = readonly [before: AuditRead, after: AuditRead];

function firstChange(reads: readonly AuditRead[]): ChangedRead | undefined {
  const [before] = reads;
  const read = before && reads.find(({ report }) => !isSame(report, before.report));
  return before && read && [before, read];
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
