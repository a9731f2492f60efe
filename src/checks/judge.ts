import type { History } from '../history/history.ts';
import { type CheckGroup, checkGroups } from '../vocabulary/check-ids.ts';
import { checkAccounting } from './accounting.ts';
import { checkAnalytics } from './analytics.ts';
import { withAudit } from './audit.ts';
import { checkCapacity } from './capacity.ts';
import { checkProbeErrors } from './contract/errors.ts';
import { checkContract } from './contract.ts';
import { readCoverage } from './corners/read.ts';
import { withReservations } from './corners/reservations.ts';
import { diagnose } from './diagnosis/diagnose.ts';
import type { Diagnosis } from './diagnosis/diagnosis.ts';
import { withPublishedCauses } from './diagnosis/published-causes.ts';
import { withReproductions } from './diagnosis/reproduction.ts';
import { collectGarbage } from './garbage.ts';
import { checkGenerator, isGeneratorBound } from './generator.ts';
import { checkHistory } from './integrity.ts';
import { checkLatency } from './latency.ts';
import { leftOutOf } from './left-out.ts';
import { withLostShards } from './lost-shards.ts';
import { checkQuota } from './quota.ts';
import { checkRateLimit } from './rate-limit.ts';
import { expects } from './reasons/expected.ts';
import { reason } from './reasons/reason.ts';
import { render } from './render.ts';
import { type CheckFinding, type CheckResult, mergeVerdicts, type Verdict } from './verdict.ts';

/** What a run comes to. */
export interface Judgement {
  readonly verdict: Verdict;
  /** In the order of `checkGroups`. */
  readonly checks: readonly CheckResult[];
  /** Probable causes of what did not pass. */
  readonly diagnosis: Diagnosis;
  /** The harness itself did not keep up, so nothing is concluded from latencies. */
  readonly generatorBound: boolean;
}

/** Judges one group of properties by a history alone. */
export type Check = (history: History) => Promise<readonly CheckFinding[]>;

/** Each judges the history alone, so that their order does not matter. */
export const checks: Readonly<Record<CheckGroup, Check>> = {
  contract: checkContract,
  'rate-limit': checkRateLimit,
  quota: checkQuota,
  analytics: withAudit(checkAnalytics),
  latency: checkLatency,
  capacity: checkCapacity,
  books: checkAccounting,
  generator: checkGenerator,
  history: checkHistory,
};

/** Judged whatever the scenario asks for: without these, no other verdict is worth anything. */
const always: readonly CheckGroup[] = ['books', 'generator', 'history'];

/** What the harness's own lateness makes worthless. */
const measuredByTheClock: readonly CheckGroup[] = ['latency', 'capacity'];

/** Runs every check that the scenario asks for. Never throws on account of a check: one that fails is inconclusive. */
export function judge(history: History): Promise<Judgement> {
  return judgeWith(checks, history);
}

/** `judge` with the checks given, for tests. */
export async function judgeWith(
  run: Readonly<Record<CheckGroup, Check>>,
  history: History,
): Promise<Judgement> {
  const groups = checkGroups.filter((group) => always.includes(group) || history.run.checks.includes(group));
  // Only a run that tries to reach the classes can be expected to say which it did not.
  const coverage = history.run.corners === undefined ? [] : await readCoverage(history);
  const results = new Map<CheckGroup, readonly CheckFinding[]>();
  // One after the other: they share one connection to the database, and some of its memory.
  for (const group of groups) {
    const judged = await runCheck(group, run[group], history);
    collectGarbage();
    const reserved = judged.map((finding) => withReservations(finding, coverage));
    results.set(group, [...reserved, ...leftOutOf(group, history.run)]);
  }
  // What a scenario does not ask for is not judged; but an error of the server is none of the answers that a study expects.
  if (!groups.includes('contract'))
    results.set('contract', await runCheck('contract', checkProbeErrors, history));
  const bound = (results.get('generator') ?? []).filter(isGeneratorBound);
  const judged = checkGroups.flatMap((group) => {
    const own = results.get(group) ?? [];
    const concluded =
      bound.length > 0 && measuredByTheClock.includes(group)
        ? own.map((result) => withoutConclusion(result, bound))
        : own.map((finding) => withLostShards(finding, group, history.run));
    return concluded.map(withPublishedCauses).map(render);
  });
  return {
    verdict: mergeVerdicts(judged.map((result) => result.verdict)),
    checks: judged,
    diagnosis: await withReproductions(history, diagnose(judged), judged),
    generatorBound: bound.length > 0,
  };
}

async function runCheck(group: CheckGroup, check: Check, history: History): Promise<readonly CheckFinding[]> {
  try {
    return await check(history);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [
      {
        id: `${group}.error`,
        titleParams: { group },
        verdict: 'inconclusive',
        expected: expects('error'),
        observed: message,
        reasons: [reason('checks-threw', { message })],
      },
    ];
  }
}

function withoutConclusion(finding: CheckFinding, bound: readonly CheckFinding[]): CheckFinding {
  const { verdict } = finding;
  if (verdict === 'inconclusive') return finding;
  return {
    ...finding,
    verdict: 'inconclusive',
    reasons: [
      ...finding.reasons,
      reason('generator-bound', { verdict }),
      ...bound.flatMap(({ reasons }) => reasons),
    ],
    causes: bound.flatMap(({ causes }) => causes ?? []),
  };
}
