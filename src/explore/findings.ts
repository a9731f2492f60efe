import { type ApiCall, type CallRequest, isLimited, outcomeOf } from '../model/call.ts';
import { type ExplainingRow, type Explanation, explain } from '../model/explain.ts';
import { alterationBy } from '../model/faults/fault.ts';
import { modelFaults } from '../model/faults/table.ts';
import type { SettledFreedom } from '../model/freedoms.ts';
import { judge } from '../model/judge.ts';
import { type PowerOfRow, powerOf } from '../model/power.ts';
import { type ShrunkCalls, shrink } from '../model/shrink.ts';
import { honestModel, type ModelPromises } from '../model/stages.ts';

/** What became of the calls of one kind. Only answers that say something are judged. */
export interface JudgedShare {
  readonly op: CallRequest['op'] | 'any';
  readonly planned: number;
  readonly judged: number;
  readonly lost: number;
  /** Answered with 5xx. */
  readonly failed: number;
  /** Turned away by a limit: 402, 429. */
  readonly limited: number;
  readonly unsent: number;
}

/** Where less than this share is judged, no difference says nothing. */
const leastJudged = 0.5;

export type ExploreVerdict = 'differs' | 'inconclusive' | 'agrees';

/** What the calls of an exploration show. A pure function of them and of the promises. */
export interface ExploreFindings {
  readonly verdict: ExploreVerdict;
  readonly all: JudgedShare;
  /** Kinds of calls of which too few were judged. */
  readonly tooFew: readonly JudgedShare[];
  readonly explanation: Explanation;
  /** The fewest calls that show the first divergence. */
  readonly shrunk: ShrunkCalls | undefined;
  readonly settled: readonly SettledFreedom[];
  /** What a pass excludes; empty where there is none. */
  readonly power: readonly PowerOfRow[];
}

/**
 * Judges, explains and shrinks. `readings`: the promises under which the record may be right; the best one counts.
 * `planned`: what was to be sent.
 */
export function findingsOf(
  calls: readonly ApiCall[],
  readings: readonly ModelPromises[],
  planned: readonly CallRequest[],
): ExploreFindings {
  const judgments = readings.map((promises) => ({ promises, replay: judge(calls, honestModel(promises)) }));
  const best = judgments.reduce((a, b) =>
    b.replay.divergences.length < a.replay.divergences.length ? b : a,
  );
  const model = (): ReturnType<typeof honestModel> => honestModel(best.promises);
  const explanation = explain(calls, { faults: modelFaults, model });
  const [first] = explanation.divergences;
  const [cause] = explanation.causes;
  const all = shareOf('any', calls, planned);
  const ops = [...new Set(planned.map(({ op }) => op))].map((op) => shareOf(op, calls, planned));
  const tooFew = [all, ...ops].filter((each) => each.judged < leastJudged * each.planned);
  const verdict = first !== undefined ? 'differs' : tooFew.length > 0 ? 'inconclusive' : 'agrees';
  return {
    verdict,
    all,
    tooFew,
    explanation,
    shrunk:
      first === undefined
        ? undefined
        : shrink(calls, first, { model, ...(cause?.left === 0 && { altered: alteredBy(cause, model) }) }),
    settled: best.replay.model.free.settled(),
    power: verdict === 'agrees' ? powerOf(calls, modelFaults, model) : [],
  };
}

function shareOf(
  op: JudgedShare['op'],
  calls: readonly ApiCall[],
  planned: readonly CallRequest[],
): JudgedShare {
  const isMeant = (call: CallRequest): boolean => op === 'any' || call.op === op;
  const count = (has: (call: ApiCall) => boolean): number =>
    calls.filter((call) => isMeant(call) && has(call)).length;
  const all = Math.max(1, planned.filter(isMeant).length);
  const lost = count(({ answer }) => answer.status === 0);
  const failed = count((call) => outcomeOf(call) === 'failed');
  const limited = count(isLimited);
  const sent = count(() => true);
  return {
    op,
    planned: all,
    judged: sent - lost - failed - limited,
    lost,
    failed,
    limited,
    unsent: all - sent,
  };
}

const alteredBy =
  ({ fault, params }: ExplainingRow, model: () => ReturnType<typeof honestModel>) =>
  (calls: readonly ApiCall[]): ReturnType<typeof honestModel> => {
    const honest = model();
    return { ...honest, ...alterationBy(fault, params)(honest, { calls, divergences: [] }) };
  };
