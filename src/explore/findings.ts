import type { ApiCall } from '../model/call.ts';
import { type ExplainingRow, type Explanation, explain } from '../model/explain.ts';
import { alterationBy } from '../model/faults/fault.ts';
import { modelFaults } from '../model/faults/table.ts';
import type { SettledFreedom } from '../model/freedoms.ts';
import { judge } from '../model/judge.ts';
import { type PowerOfRow, powerOf } from '../model/power.ts';
import { type ShrunkCalls, shrink } from '../model/shrink.ts';
import { honestModel, type ModelPromises } from '../model/stages.ts';

/** What the calls of an exploration show. A pure function of them and of the promises. */
export interface ExploreFindings {
  readonly calls: number;
  readonly judged: number;
  /** Calls without an answer, and answers 5xx: they are judged apart. */
  readonly lost: number;
  readonly failed: number;
  readonly explanation: Explanation;
  /** The fewest calls that show the first divergence. */
  readonly shrunk: ShrunkCalls | undefined;
  readonly settled: readonly SettledFreedom[];
  /** What a pass excludes; empty where there are divergences. */
  readonly power: readonly PowerOfRow[];
}

/** Judges, explains and shrinks. `readings`: the promises under which the record may be right; the best one counts. */
export function findingsOf(calls: readonly ApiCall[], readings: readonly ModelPromises[]): ExploreFindings {
  const judgments = readings.map((promises) => ({ promises, replay: judge(calls, honestModel(promises)) }));
  const best = judgments.reduce((a, b) =>
    b.replay.divergences.length < a.replay.divergences.length ? b : a,
  );
  const model = (): ReturnType<typeof honestModel> => honestModel(best.promises);
  const explanation = explain(calls, { faults: modelFaults, model });
  const [first] = explanation.divergences;
  const [cause] = explanation.causes;
  return {
    calls: calls.length,
    judged: best.replay.judged,
    lost: calls.filter(({ answer }) => answer.status === 0).length,
    failed: calls.filter(({ answer }) => answer.status >= 500).length,
    explanation,
    shrunk:
      first === undefined
        ? undefined
        : shrink(calls, first, { model, ...(cause?.left === 0 && { altered: alteredBy(cause, model) }) }),
    settled: best.replay.model.free.settled(),
    power: first === undefined ? powerOf(calls, modelFaults, model) : [],
  };
}

const alteredBy =
  ({ fault, params }: ExplainingRow, model: () => ReturnType<typeof honestModel>) =>
  (calls: readonly ApiCall[]): ReturnType<typeof honestModel> => {
    const honest = model();
    return { ...honest, ...alterationBy(fault, params)(honest, { calls, divergences: [] }) };
  };
