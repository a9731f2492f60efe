import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { History } from '../history/history.ts';
import type { RunInfo } from '../history/run.ts';
import { type CheckGroup, checkGroups } from '../vocabulary/check-ids.ts';
import { checkAccounting } from './accounting.ts';
import { checkAnalytics } from './analytics.ts';
import { withAudit } from './audit.ts';
import { checkCapacity } from './capacity.ts';
import { areaOf } from './causes/cause.ts';
import { checkProbeErrors } from './contract/errors/errors.ts';
import { checkContract } from './contract.ts';
import { render } from './core/render.ts';
import { unansweredIn, withLostShards, withUnanswered } from './core/unanswered.ts';
import { type CheckFinding, mergedById, mergeVerdicts } from './core/verdict.ts';
import { diagnose } from './diagnosis/diagnose.ts';
import type { Judgement } from './diagnosis/diagnosis.ts';
import { guarded, readFacts } from './diagnosis/guard.ts';
import { withReproductions } from './diagnosis/reproduction/reproduction.ts';
import { checkGenerator, isGeneratorBound } from './generator.ts';
import { checkHistory } from './integrity.ts';
import { checkLatency } from './latency.ts';
import { checkQuota } from './quota.ts';
import { checkRateLimit } from './rate-limit.ts';
import { reason } from './reasons/reason.ts';

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

/** The group that takes as long as the others together, half of it in JavaScript while DuckDB is idle. */
const longest: CheckGroup = 'rate-limit';

/** What the harness's own lateness makes worthless. */
const measuredByTheClock: readonly CheckGroup[] = ['latency', 'capacity'];

/** Runs every check that the scenario asks for. Never throws on account of a check: one that fails is inconclusive. */
export function judge(history: History, onStep?: OnStep): Promise<Judgement> {
  return judgeWith(checks, history, onStep);
}

/** Told of each step before it begins: which of how many. */
type OnStep = (step: CheckGroup | 'causes', at: number, of: number) => void;

/** `judge` with the checks given, for tests. */
export async function judgeWith(
  run: Readonly<Record<CheckGroup, Check>>,
  history: History,
  onStep: OnStep = () => {},
): Promise<Judgement> {
  const groups = checkGroups.filter((group) => always.includes(group) || history.run.checks.includes(group));
  const unanswered = await unansweredIn(history);
  const results = new Map<CheckGroup, readonly CheckFinding[]>();
  let begun = 0;
  // One after the other: they share one connection to the database, and some of its memory.
  const judgeInTurn = async (some: readonly CheckGroup[], connected: History): Promise<void> => {
    for (const group of some) {
      onStep(group, ++begun, groups.length + 1);
      const judged = await runCheck(group, run[group], connected);
      collectGarbage();
      const reserved = judged.map((finding) => withUnanswered(finding, group, unanswered));
      results.set(group, [...reserved, ...leftOutOf(group, history.run)]);
    }
  };
  const isBeside = (group: CheckGroup): boolean => history.beside !== undefined && group === longest;
  await Promise.all([
    judgeInTurn(
      groups.filter((group) => !isBeside(group)),
      history,
    ),
    judgeInTurn(groups.filter(isBeside), history.beside ?? history),
  ]);
  // What a scenario does not ask for is not judged; but an error of the server is none of the answers that a study expects.
  if (!groups.includes('contract'))
    results.set('contract', await runCheck('contract', checkProbeErrors, history));
  const bound = (results.get('generator') ?? []).filter(isGeneratorBound);
  // One group may judge a check of another: the explorer's calls judge fields of analytics, too.
  const found = [...results].flatMap(([group, all]) => all.map((finding) => ({ group, finding })));
  const concludedAll = checkGroups.flatMap((group) => {
    const of = found.filter(({ finding: { id } }) => id.startsWith(`${group}.`));
    const inOrder = of.toSorted((a, b) => Number(b.group === group) - Number(a.group === group));
    const own = mergedById(inOrder.map(({ finding }) => finding));
    const concluded =
      bound.length > 0 && measuredByTheClock.includes(group)
        ? own.map((result) => withoutConclusion(result, bound))
        : own.map((finding) => withLostShards(finding, group, history.run));
    return concluded.map(withPublishedCauses);
  });
  onStep('causes', begun + 1, begun + 1);
  const hasCause = concludedAll.some(({ causes, verdict }) => verdict === 'fail' && causes !== undefined);
  const guardedAll = hasCause ? guarded(concludedAll, await readFacts(history)) : concludedAll;
  const judged = guardedAll.map(render);
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

/** Buffers of less than this are worth no collection, which takes tens of milliseconds. */
const muchBytes = 64 * 2 ** 20;

/**
 * Has V8 free what is no longer used, where that may be much. Columns of ten million requests lie outside its heap, and it
 * does not know that another reader, DuckDB, needs room: left to itself it frees them when it next needs some.
 */
function collectGarbage(): void {
  if (process.memoryUsage().arrayBuffers < muchBytes) return;
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

/** What of a group was not even tried, because the run had no room for it: nothing is known of that. */
function leftOutOf(group: CheckGroup, { left_out = [] }: Pick<RunInfo, 'left_out'>): CheckFinding[] {
  return left_out
    .filter(({ checks }) => checks.includes(group))
    .map(({ name, question, why }) => ({
      id: `${group}.left-out-${name}`,
      titleParams: { question },
      verdict: 'inconclusive',
      expected: 'that part of the scenario',
      observed: 'left out',
      reasons: [reason('left-out', { why })],
    }));
}

/** A finding as it is published: a failure has causes; an inconclusive check has those that lie in the generator. */
function withPublishedCauses({ causes = [], ...finding }: CheckFinding): CheckFinding {
  const published =
    finding.verdict === 'fail' ? causes : causes.filter(({ cause }) => areaOf(cause) === 'generator');
  return finding.verdict === 'pass' || published.length === 0 ? finding : { ...finding, causes: published };
}
