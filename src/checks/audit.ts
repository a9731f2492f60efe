import type { History } from '../history/history.ts';
import {
  judgeAnswers,
  judgeEmptyPeriods,
  judgeMalformed,
  judgePeriodText,
  judgeReversed,
} from './analytics/audit/answers.ts';
import { judgeAverages } from './analytics/audit/averages.ts';
import { type Audit, auditOf, readAuditRecords } from './analytics/audit/questions.ts';
import { judgeOrder, judgeRereads } from './analytics/audit/rereads.ts';
import { judgeSession } from './analytics/audit/session.ts';
import {
  judgeAdjacent,
  judgeFilter,
  judgeProducts,
  judgeTopShades,
  judgeWidening,
} from './analytics/audit/sums.ts';
import { isTold } from './analytics/causes/row.ts';
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

/** Every verdict of an audit. */
export function judgeAudit(audit: Audit): CheckFinding[] {
  return [
    judgeAnswers(audit),
    judgePeriodText(audit),
    judgeRereads(audit),
    judgeOrder(audit),
    judgeAdjacent(audit),
    judgeWidening(audit),
    judgeFilter(audit),
    judgeProducts(audit),
    judgeAverages(audit),
    judgeTopShades(audit),
    judgeEmptyPeriods(audit),
    judgeReversed(audit),
    judgeMalformed(audit),
    ...judgeSession(audit),
  ];
}
