import type { History } from '../../history/history.ts';
import type { CheckResult } from '../verdict.ts';
import { limiterFindings } from './laboratory/findings.ts';
import { judgeKind } from './laboratory/judge-kind.ts';
import { judgeOrder } from './laboratory/judge-order.ts';
import { judgeScope } from './laboratory/judge-scope.ts';
import { judgeSideEffects } from './laboratory/judge-side-effects.ts';

/** What only a study of the limiter can tell; nothing for runs without one. */
export async function checkLaboratory(history: History): Promise<CheckResult[]> {
  const findings = await limiterFindings(history);
  if (findings === undefined) return [];
  return [
    ...judgeKind(findings, history.profile),
    judgeScope(findings, history.profile),
    await judgeOrder(history, findings),
    await judgeSideEffects(history, findings.refusalStatus),
  ];
}
