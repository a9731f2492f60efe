import type { ApiCall } from '../call.ts';
import { type Divergence, prepare } from '../judge.ts';
import type { Model } from '../stages.ts';
import { RowsBeside } from './beside.ts';
import { type FaultArea, type FaultParams, withRow } from './fault.ts';
import type { ModelRow } from './table.ts';

/** Whether a run would have shown a fault: this run's answers are none that a service with it could give. */
export interface PowerOfRow {
  readonly fault: ModelRow;
  readonly params: FaultParams;
  readonly isShown: boolean;
  /** The first answer that a service with the fault could not give; none where it is not shown. */
  readonly shownBy: readonly Divergence[];
  /** Why it is not shown. */
  readonly why?: NotShown;
}

export type NotShown =
  /** No call of its kind was sent. */
  | 'untouched'
  /** Calls of its kind were sent, and a service with the fault answers each of them rightly. */
  | 'no difference'
  /** A service with the fault may give other answers, and may give these: it shows at times, or too little was certain. */
  | 'uncertain';

/** Parameters of a row that are tried, until one concerns the run. */
const mostParams = 4;

const writesOf: { readonly [Area in FaultArea]?: ApiCall['op'] } = {
  shades: 'import-shades',
  sessions: 'create-session',
  events: 'interact',
};

/**
 * What a pass excludes. Law: a fault is excluded if the answers, which the honest model allows, are not those of a service with the fault. So each
 * row is planted into the model, and the run's calls are judged by it: where it says something else, and nowhere else.
 */
export function powerOf(
  calls: readonly ApiCall[],
  faults: readonly ModelRow[],
  model: () => Model,
): readonly PowerOfRow[] {
  const prepared = prepare(calls);
  const evidence = { calls, divergences: [] };
  const ops = new Set(calls.map(({ op }) => op));
  const cases = faults.map((fault) => {
    const write = writesOf[fault.area];
    const isTouched = write === undefined || ops.has(write);
    // The first parameters are the likeliest.
    return (isTouched ? fault.over(evidence).slice(0, mostParams) : []).map((params) => ({ fault, params }));
  });
  const beside = new RowsBeside(prepared, model(), cases, evidence);
  return faults.map((fault, at): PowerOfRow => {
    const all = cases[at] ?? [];
    const row = all.find((each) => beside.isOther(each));
    const missed = { fault, params: (row ?? all[0])?.params ?? {}, isShown: false, shownBy: [] };
    if (row === undefined) return { ...missed, why: all.length > 0 ? 'no difference' : 'untouched' };
    const shownBy = beside.shownBy(row, () => withRow(model(), row, evidence));
    return shownBy.length > 0 ? { ...row, isShown: true, shownBy } : { ...missed, why: 'uncertain' };
  });
}
