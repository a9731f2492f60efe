import type { History } from '../../history/history.ts';
import { shown } from '../causes/cause.ts';
import { evidenceOf, find } from '../core/found.ts';
import { judgeStored } from '../core/stored.ts';
import { type CheckFinding, withReasons } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import { limiterFindings, type StudyLag } from './study/findings.ts';
import { judgeKind } from './study/judge-kind.ts';
import { judgeOrder } from './study/judge-order.ts';
import { judgeScope } from './study/judge-scope.ts';
import { scopeJson, triedAtLimit } from './traces/scope.ts';

/** What a limiter study can tell, and whose the limit is where shards tried that; nothing for other runs. */
export async function checkLimiterStudy(history: History): Promise<CheckFinding[]> {
  const findings = await limiterFindings(history);
  if (findings === undefined) {
    const tried = history.run.shards === undefined ? [] : await triedAtLimit(history, 429);
    return tried.length === 0 ? [] : [judgeScope({ tried, scope: scopeJson(tried, undefined) }, history)];
  }
  const { late, refusalStatus, step } = findings;
  const kind = judgeKind(findings, history.profile);
  const stepped = step === undefined ? [] : [reason('limit-clock-stepped', { ...step, shownBy: 'each' })];
  const timed = [...kind.map((each) => withReasons(each, ...stepped)), judgeScope(findings, history)];
  return [
    ...(await withRejections(
      history,
      timed.map((each) => orLate(each, late)),
      refusalStatus,
    )),
    await judgeOrder(history, findings),
    {
      id: 'rate-limit.no-side-effect',
      ...(await judgeStored(history, {
        probe: 'refused:analytics',
        among: 'true',
        rejected: `status = ${refusalStatus}`,
        status: refusalStatus,
      })),
    },
  ];
}

/** What tryon's own delays may explain is no fault of the target. */
function orLate(finding: CheckFinding, late: StudyLag | undefined): CheckFinding {
  return late === undefined || finding.verdict !== 'fail'
    ? finding
    : {
        ...finding,
        verdict: 'inconclusive',
        reasons: [reason('study-generator-late', late)],
        causes: [shown('generator-late', { lagMs: late.lagMs })],
      };
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
