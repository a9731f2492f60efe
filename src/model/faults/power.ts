import { isDeepStrictEqual } from 'node:util';
import type { ApiCall } from '../call.ts';
import { type Divergence, type PreparedCalls, prepare, replay } from '../judge.ts';
import type { Model } from '../stages.ts';
import { type FaultArea, type FaultCase, type FaultEvidence, type FaultParams, withRow } from './fault.ts';
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
 * row is planted into the model, and the run's calls are replayed.
 */
export function powerOf(
  calls: readonly ApiCall[],
  faults: readonly ModelRow[],
  model: () => Model,
): readonly PowerOfRow[] {
  const prepared = prepare(calls);
  const evidence = { calls, divergences: [] };
  const ops = new Set(calls.map(({ op }) => op));
  const rows = faults.map((fault) => {
    const write = writesOf[fault.area];
    const isTouched = write === undefined || ops.has(write);
    // The first parameters are the likeliest.
    return (isTouched ? fault.over(evidence).slice(0, mostParams) : []).map((params) => ({ fault, params }));
  });
  const other = influencing(prepared, model(), rows.flat(), evidence);
  return faults.map((fault, at): PowerOfRow => {
    const all = rows[at] ?? [];
    const row = all.find((each) => other.has(each));
    const missed = { fault, params: (row ?? all[0])?.params ?? {}, isShown: false, shownBy: [] };
    if (row === undefined) return { ...missed, why: all.length > 0 ? 'no difference' : 'untouched' };
    const planted = withRow(model(), row, evidence);
    const shownBy = replay(prepared, planted, { most: 1, isBrief: true }).divergences;
    return shownBy.length > 0 ? { ...row, isShown: true, shownBy } : { ...missed, why: 'uncertain' };
  });
}

type StageFunction = (this: Model, ...args: readonly unknown[]) => unknown;
type StageName = keyof Model;

/**
 * The rows of which a stage says something else than the honest one, anywhere in a record. Law: the stages of the others say the
 * same wherever they are asked, so a service with such a fault gives the same answers. A row that remembers calls, or has other
 * effects, is taken to say something else.
 */
export function influencing<Row extends FaultCase>(
  prepared: PreparedCalls,
  honest: Model,
  rows: readonly Row[],
  evidence: FaultEvidence,
): ReadonlySet<Row> {
  const altered = rows.map((row) => {
    const stages = row.fault.alters(honest, row.params, evidence);
    const isSame = stages.after === undefined && stages.free === undefined;
    return { row, model: { ...honest, ...stages }, isSame };
  });
  const watched = new Map<StageName, StageFunction>();
  const model = new Proxy(honest, {
    get(target, name: StageName, proxy: Model) {
      const own: unknown = target[name];
      if (typeof own !== 'function') return own;
      const known = watched.get(name);
      if (known !== undefined) return known;
      let others = altered.filter((each) => each.isSame && each.model[name] !== own);
      const stage: StageFunction = (...args) => {
        const said: unknown = Reflect.apply(own, proxy, args);
        others = others.filter(({ isSame }) => isSame);
        for (const each of others) {
          const other: unknown = Reflect.apply(each.model[name] as StageFunction, each.model, args);
          each.isSame = said === other || isDeepStrictEqual(said, other);
        }
        return said;
      };
      watched.set(name, stage);
      return stage;
    },
  });
  replay(prepared, model, { isBrief: true });
  return new Set(altered.flatMap(({ isSame, row }) => (isSame ? [] : [row])));
}
