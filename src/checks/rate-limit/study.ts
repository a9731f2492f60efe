import type { History } from '../../history/history.ts';
import type { CheckFinding } from '../verdict.ts';
import { limiterFindings } from './study/findings.ts';
import { judgeKind } from './study/judge-kind.ts';
import { judgeOrder } from './study/judge-order.ts';
import { judgeScope } from './study/judge-scope.ts';
import { judgeSideEffects } from './study/judge-side-effects.ts';

/** What only a limiter study can tell; nothing for runs without one. */
export async function checkLimiterStudy(history: History): Promise<CheckFinding[]> {
  const findings = await limiterFindings(history);
  if (findings === undefined) return [];
  return [
    ...judgeKind(findings, history.profile),
    judgeScope(findings, history.profile),
    await judgeOrder(history, findings),
    await judgeSideEffects(history, findings.refusalStatus),
  ];
}
