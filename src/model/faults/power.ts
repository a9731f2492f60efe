import type { ApiCall } from '../call.ts';
import type { Expected } from '../expected.ts';
import { type Divergence, type PreparedCalls, prepare, replay } from '../judge.ts';
import type { Model } from '../stages.ts';
import { type FaultArea, type FaultCase, type FaultParams, withRow } from './fault.ts';
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

const opsOfArea: Readonly<Record<FaultArea, readonly ApiCall['op'][]>> = {
  keys: ['list-shades', 'read-session', 'analytics', 'create-session', 'import-shades', 'interact'],
  shades: ['import-shades'],
  sessions: ['create-session'],
  events: ['interact'],
  any: ['list-shades', 'read-session', 'create-session', 'import-shades', 'interact'],
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
  const honest = expectations(prepared, model());
  return faults.map((fault): PowerOfRow => {
    // The first parameters are the likeliest.
    let best: PowerOfRow = { fault, params: {}, isShown: false, shownBy: [], why: 'untouched' };
    if (!opsOfArea[fault.area].some((op) => ops.has(op))) return best;
    for (const params of fault.over(evidence).slice(0, mostParams)) {
      const own = powerOn(prepared, { fault, params }, (row) => withRow(model(), row, evidence), honest);
      if (best.why === 'untouched' || own.isShown) best = own;
      if (own.why !== 'no difference') break;
    }
    return best;
  });
}

function powerOn(
  prepared: PreparedCalls,
  row: Pick<PowerOfRow, 'fault' | 'params'>,
  planted: (row: FaultCase) => Model,
  honest: ReadonlyMap<number, string>,
): PowerOfRow {
  let isOther = false;
  const { divergences: shownBy } = replay(prepared, planted(row), {
    ...{ most: 1, isBrief: true },
    seen: (call, expected) => {
      isOther ||= honest.get(call.n) !== digestOf(expected);
    },
  });
  if (shownBy.length > 0) return { ...row, isShown: true, shownBy };
  return { ...row, isShown: false, shownBy, why: isOther ? 'uncertain' : 'no difference' };
}

/** Enough of an expectation to see that another one differs. */
function digestOf({ analytics, events, fields, numbers, outcomes, shades }: Expected): string {
  const parts = [outcomes.join(), JSON.stringify(numbers), JSON.stringify(fields)];
  if (analytics !== undefined) parts.push(JSON.stringify([analytics.means, [...analytics.shades]]));
  for (const list of [events, shades]) {
    let ways = 0;
    for (const { may } of list?.items ?? []) ways += may.length;
    parts.push(`${list?.items.length ?? 0} ${ways} ${list?.size ?? ''}`);
  }
  return parts.join(';');
}

function expectations(prepared: PreparedCalls, model: Model): ReadonlyMap<number, string> {
  const all = new Map<number, string>();
  replay(prepared, model, { isBrief: true, seen: ({ n }, expected) => all.set(n, digestOf(expected)) });
  return all;
}
