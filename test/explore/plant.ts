import { planCalls } from '../../src/explore/plan.ts';
import type { CallGroup } from '../../src/explore/sent.ts';
import type { ApiCall } from '../../src/model/call.ts';
import { type Explanation, explain } from '../../src/model/faults/explain.ts';
import { type FaultEvidence, type FaultParams, withRow } from '../../src/model/faults/fault.ts';
import { type ModelRow, modelFaults } from '../../src/model/faults/table.ts';
import { judge } from '../../src/model/judge.ts';
import { honestModel, type Model, type ModelPromises } from '../../src/model/stages.ts';
import { randomStream } from '../../src/random.ts';
import { plainService, type SimulatedService, usualPromises } from './conventions.ts';
import { simulate } from './simulate.ts';

/** What became of one row, planted into the model and explored in virtual time. */
export interface PlantedRow {
  readonly fault: ModelRow;
  readonly params: FaultParams;
  readonly seed: number;
  /** Answers that differ from those of the honest service. */
  readonly effects: number;
  readonly divergences: number;
  /**
   * `itself`: among the causes. `equal`: it predicts every answer as well, and what is named predicts them at a lower cost: this
   * record does not tell them apart.
   */
  readonly named: 'itself' | 'equal' | 'no';
  readonly explanation: Explanation | undefined;
}

/** The keys of a simulated exploration: two of one account, one of another. */
export const simulatedKeys = {
  accounts: [['load', 'twin'], ['other']],
  channel: 'token',
  finishes: ['matte'],
  refusesMalformed: true,
} as const;

const startMs = 1e12;

/** The promises of a target that says everything: what a fault breaks is then no freedom. */
export const fullPromises: ModelPromises = {
  ...usualPromises,
  freshnessMs: 1_000,
  freedoms: plainService.freedoms,
};

export const planOf = (seed: number, calls: number): CallGroup[] =>
  planCalls({ seed, calls, keys: simulatedKeys, tag: `t${seed}`, epochMs: startMs });

/** Plants rows, one parameter each for a seed, and looks whether they are shown and named. */
export function plantAll(
  seed: number,
  calls: number,
  isPlanted: (fault: ModelRow, place: number) => boolean = () => true,
  promises: ModelPromises = fullPromises,
): PlantedRow[] {
  const groups = planOf(seed, calls);
  const service: SimulatedService = { ...plainService, seed };
  const honest = simulate(groups, service, undefined, promises);
  const answers = new Map(honest.map(({ answer, n }) => [n, JSON.stringify(answer)]));
  const evidence: FaultEvidence = { calls: honest, divergences: [] };
  return modelFaults.filter(isPlanted).map((fault) => {
    const all = fault.over(evidence);
    const params = all[Math.floor(randomStream(seed, fault.says)() * all.length)] ?? {};
    const record = simulate(groups, service, { fault, params }, promises);
    const effects = record.filter(({ answer, n }) => answers.get(n) !== JSON.stringify(answer)).length;
    const explanation =
      effects === 0
        ? undefined
        : explain(record, { faults: modelFaults, model: () => honestModel(promises) });
    const divergences = explanation?.divergences.length ?? 0;
    const named = namedBy(record, explanation, { fault, params }, () => honestModel(promises));
    return { fault, params, seed, effects, divergences, named, explanation };
  });
}

function namedBy(
  record: readonly ApiCall[],
  explanation: Explanation | undefined,
  row: Pick<PlantedRow, 'fault' | 'params'>,
  model: () => Model,
): PlantedRow['named'] {
  const [first] = explanation?.causes ?? [];
  if (explanation?.causes.some(({ fault }) => fault === row.fault) === true) return 'itself';
  const { divergences } = judge(record, model());
  const altered = withRow(model(), row, { calls: record, divergences });
  return first?.left === 0 && judge(record, altered).divergences.length === 0 ? 'equal' : 'no';
}
