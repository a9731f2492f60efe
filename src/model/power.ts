import type { ApiCall } from './call.ts';
import { alterationBy, type FaultParams } from './faults/fault.ts';
import type { ModelRow } from './faults/table.ts';
import { prepare, replay } from './judge.ts';
import type { Model } from './stages.ts';

/** Whether a run would have shown a fault: this run's answers are none that a service with it could give. */
export interface PowerOfRow {
  readonly fault: ModelRow;
  readonly params: FaultParams;
  readonly isShown: boolean;
}

/**
 * What a pass excludes. Law: a fault is excluded if the answers, which the honest model allows, are not those of a service with the fault. So each
 * row is planted into the model, and the run's calls are replayed.
 */
export function powerOf(
  calls: readonly ApiCall[],
  faults: readonly ModelRow[],
  model: () => Model,
): readonly PowerOfRow[] {
  const prepared = prepare(calls);
  const evidence = { calls, divergences: [] };
  return faults.flatMap((fault) => {
    // The first parameters are the likeliest.
    const [params] = fault.over(evidence);
    if (params === undefined) return [];
    const honest = model();
    const altered = { ...honest, ...alterationBy(fault, params)(honest, evidence) };
    const isShown = replay(prepared, altered, { most: 1, isBrief: true }).divergences.length > 0;
    return [{ fault, params, isShown }];
  });
}
