import type { History } from '../../history/history.ts';
import { evidenceOf, find } from '../core/found.ts';
import type { CheckFinding } from '../core/verdict.ts';
import { limiterFindings } from './study/findings.ts';
import { judgeKind } from './study/judge-kind.ts';
import { judgeOrder } from './study/judge-order.ts';
import { judgeScope } from './study/judge-scope.ts';
import { judgeSideEffects } from './study/judge-side-effects.ts';
import { scopeJson, triedAtLimit } from './traces/scope.ts';

/** What a limiter study can tell, and whose the limit is where shards tried that; nothing for other runs. */
export async function checkLimiterStudy(history: History): Promise<CheckFinding[]> {
  const findings = await limiterFindings(history);
  if (findings === undefined) {
    const tried = history.run.shards === undefined ? [] : await triedAtLimit(history, 429);
    return tried.length === 0 ? [] : [judgeScope({ tried, scope: scopeJson(tried, undefined) }, history)];
  }
  return [
    ...(await withRejections(history, judgeKind(findings, history.profile), findings.refusalStatus)),
    judgeScope(findings, history),
    await judgeOrder(history, findings),
    await judgeSideEffects(history, findings.refusalStatus),
  ];
}

/** The size of a limiter follows from all answers together; the rejections are where a reader begins. */
async function withRejections(
  history: History,
  found: readonly CheckFinding[],
  status: number,
): Promise<CheckFinding[]> {
  const isBare = ({ evidence = [], verdict }: CheckFinding): boolean =>
    verdict === 'fail' && evidence.length === 0;
  if (!found.some(isBare)) return [...found];
  const where = `stage = 'study' AND phase LIKE 'limits:%' AND status = ${status}`;
  const evidence = evidenceOf('the first rejections of the study', await find(history, where));
  return found.map((each) => (isBare(each) ? { ...each, evidence } : each));
}
