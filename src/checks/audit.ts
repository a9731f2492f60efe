import type { History } from '../history/history.ts';
import type { CheckId } from '../vocabulary/check-ids.ts';
import { studyPhases } from '../vocabulary/phases.ts';
import {
  compareAnswers,
  compareMalformed,
  compareReads,
  compareReversed,
} from './analytics/audit/answers.ts';
import { compareAverages } from './analytics/audit/averages.ts';
import {
  compareAdjacent,
  compareFilter,
  compareProducts,
  compareTopShades,
  compareWidening,
} from './analytics/audit/counts.ts';
import { type Audit, readAudit } from './analytics/audit/questions.ts';
import { compareEmptyPeriods, comparePeriods, compareSession } from './analytics/audit/rows.ts';
import { Comparisons } from './analytics/compare/comparisons.ts';
import type { CheckFinding } from './core/verdict.ts';

/**
 * `check` with what audits of analytics found besides. A run that did nothing but audit has nothing for `check` to judge:
 * it has no shoppers.
 */
export function withAudit(
  check: (history: History) => Promise<readonly CheckFinding[]>,
): (history: History) => Promise<readonly CheckFinding[]> {
  return async (history) => {
    const studies = history.run.studies ?? [];
    if (!studies.some(({ kind }) => kind === 'audit')) return check(history);
    const onlyAudits = history.run.phases.length === 0 && studies.every(({ kind }) => kind === 'audit');
    return [...(onlyAudits ? [] : await check(history)), ...(await checkAudit(history))];
  };
}

/** Judges the answers of an audit by what is known of its account, and by each other. Traffic of others cannot make it fail. */
async function checkAudit(history: History): Promise<CheckFinding[]> {
  return judgeAudit(await readAudit(history));
}

/** What each check of an audit compares, in the order of the report. */
const auditChecks: readonly {
  readonly id: CheckId;
  readonly compare: (audit: Audit, findings: Comparisons) => void;
}[] = [
  { id: 'analytics.audit-answers', compare: compareAnswers },
  { id: 'analytics.audit-period', compare: comparePeriods },
  {
    id: 'analytics.audit-reread',
    compare: (audit, into) => compareReads(audit, into, studyPhases.auditReread),
  },
  {
    id: 'analytics.audit-order',
    compare: (audit, into) => compareReads(audit, into, studyPhases.auditOrder),
  },
  { id: 'analytics.audit-adjacent-periods', compare: compareAdjacent },
  { id: 'analytics.audit-widening', compare: compareWidening },
  { id: 'analytics.audit-product-filter', compare: compareFilter },
  { id: 'analytics.audit-products', compare: compareProducts },
  { id: 'analytics.audit-averages', compare: compareAverages },
  { id: 'analytics.audit-top-shades', compare: compareTopShades },
  { id: 'analytics.audit-empty-period', compare: compareEmptyPeriods },
  { id: 'analytics.audit-reversed-dates', compare: compareReversed },
  { id: 'analytics.audit-malformed-dates', compare: compareMalformed },
  { id: 'analytics.audit-session', compare: compareSession },
];

/** Every verdict of an audit; one that opened no session has none on it. */
export function judgeAudit(audit: Audit): CheckFinding[] {
  return auditChecks.flatMap(({ compare, id }) => {
    if (id === 'analytics.audit-session' && audit.openings.length === 0) return [];
    const findings = new Comparisons();
    compare(audit, findings);
    return [findings.result(id)];
  });
}
