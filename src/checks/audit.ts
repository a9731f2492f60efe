import type { History } from '../history/history.ts';
import type { CheckId } from '../vocabulary/check-ids.ts';
import { studyPhases } from '../vocabulary/phases.ts';
import {
  compareAnswers,
  compareEmptyPeriods,
  compareMalformed,
  comparePeriods,
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
import { type Audit, auditOf, readAuditRecords } from './analytics/audit/questions.ts';
import { compareSession } from './analytics/audit/session.ts';
import { isTold } from './analytics/causes/row.ts';
import { Comparisons } from './analytics/compare/comparisons.ts';
import { clockOffset } from './analytics/record/clock.ts';
import { earliestShown, latestShown } from './core/moved-clock.ts';
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

/** Compares the answers of an audit with each other. Needs no known truth; traffic of others cannot make it fail. */
async function checkAudit(history: History): Promise<CheckFinding[]> {
  const offset = await clockOffset(history);
  // An audit comes after all that moves a clock.
  const endNs = Number.MAX_SAFE_INTEGER;
  const [earliest, latest] = [earliestShown(offset.clock, endNs), latestShown(offset.clock, endNs)];
  const { analytics, redeliveries } = history.profile;
  return judgeAudit(
    auditOf(await readAuditRecords(history), {
      profile: analytics,
      zeroMs: { min: earliest - endNs / 1e6 + offset.lowMs, max: latest - endNs / 1e6 + offset.highMs },
      redeliveries,
      wasTold: (convention) => isTold(history, convention),
    }),
  );
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
