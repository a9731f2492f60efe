import type { History } from '../history/history.ts';
import { clockOffset } from './analytics/clock.ts';
import { earliestShown, latestShown } from './analytics/moved-clock.ts';
import { isTold } from './analytics/told.ts';
import { judgeAdjacent } from './audit/adjacent.ts';
import { judgeAnswers, judgePeriodText } from './audit/answers.ts';
import { type Audit, auditOf } from './audit/audit.ts';
import { judgeAverages } from './audit/averages.ts';
import { judgeEmptyPeriods, judgeMalformed, judgeReversed } from './audit/odd-dates.ts';
import { judgeProducts } from './audit/products.ts';
import { readAuditRecords } from './audit/records.ts';
import { judgeOrder, judgeRereads } from './audit/rereads.ts';
import { judgeSession } from './audit/session.ts';
import { judgeTopShades } from './audit/top-shades.ts';
import { judgeFilter, judgeWidening } from './audit/widening.ts';
import type { CheckFinding } from './verdict.ts';

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
  const zeroMs = { min: earliest - endNs / 1e6 + offset.lowMs, max: latest - endNs / 1e6 + offset.highMs };
  const { analytics, redeliveries } = history.profile;
  const records = await readAuditRecords(history);
  return judgeAudit(
    auditOf(
      records,
      analytics,
      { zeroMs },
      {
        redeliveries,
        wasTold: (convention) => isTold(history, convention),
      },
    ),
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
