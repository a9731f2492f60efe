import type { ApiCall } from './call.ts';
import type { Expected } from './expect.ts';
import { alterationBy, type FaultEvidence, type FaultParams, type ModelFault } from './faults/fault.ts';
import { inCommon } from './features.ts';
import { type Divergence, type PreparedCalls, prepare, replay } from './judge.ts';
import type { Model } from './stages.ts';

/** A row that makes wrong answers right. */
export interface ExplainingRow {
  readonly fault: ModelFault;
  readonly params: FaultParams;
  /** Divergences that it leaves, and of how many. */
  readonly left: number;
  readonly of: number;
  /** Its price, and the bits that it leaves open where the honest model does not. */
  readonly cost: number;
}

export interface Explanation {
  /** The cheapest row that explains everything; with those that explain as much at the same cost. */
  readonly causes: readonly ExplainingRow[];
  /** A second row for what the first leaves. */
  readonly second?: ExplainingRow;
  /** No row explains everything: the nearest is in `causes`, and this is what the wrong calls have in common. */
  readonly common: ReturnType<typeof inCommon>;
  readonly divergences: readonly Divergence[];
}

export interface ExplainOptions {
  readonly faults: readonly ModelFault[];
  readonly model: () => Model;
  /** Stops looking after this many milliseconds; the generic rows come last. */
  readonly clockMs?: () => number;
}

/** Two costs that are equal: rows that say the same cost the same but for rounding and their parameters. */
const equalBits = 1.5;
/** The first wrong answers sort most rows out. */
const mostFirst = 3;

/**
 * Which rows make a record right. Law: a row explains a divergence only if it predicts the very answer; it costs its price, the bits
 * that its parameters take, and the bits that it leaves open beyond the honest model. The cheapest is named; those at
 * the same cost are shown with it.
 */
export function explain(calls: readonly ApiCall[], options: ExplainOptions): Explanation {
  const prepared = prepare(calls);
  const honest = replay(prepared, options.model());
  const { divergences } = honest;
  if (divergences.length === 0) return { causes: [], common: [], divergences };
  const evidence: FaultEvidence = { calls, divergences };
  const honestBits = bitsOf(prepared, options.model());
  const found = candidatesFor(prepared, evidence, options, honestBits);
  const ranked = found.toSorted((a, b) => a.left - b.left || a.cost - b.cost);
  const [best] = ranked;
  if (best === undefined) return { causes: [], common: commonOf(calls, divergences), divergences };
  const causes = ranked.filter(({ cost, left }) => left === best.left && cost <= best.cost + equalBits);
  const distinct = causes.filter(
    ({ fault }, at) => causes.findIndex((other) => other.fault.cause === fault.cause) === at,
  );
  if (best.left === 0) return { causes: distinct, common: [], divergences };
  const second = secondFor(prepared, calls, best, options);
  const common = second === undefined ? commonOf(calls, divergences) : [];
  return { causes: distinct, ...(second !== undefined && { second }), common, divergences };
}

const commonOf = (calls: readonly ApiCall[], divergences: readonly Divergence[]): Explanation['common'] =>
  inCommon(calls, new Set(divergences.map(({ call }) => call)));

/** Rows that leave nothing, each given up at its first wrong answer; without any, those that leave at most half. */
function candidatesFor(...search: Parameters<typeof candidatesLeaving>): ExplainingRow[] {
  const [prepared, evidence, options, honestBits] = search;
  const whole = candidatesLeaving(prepared, evidence, options, honestBits, 0);
  if (whole.length > 0) return whole;
  const half = Math.floor(evidence.divergences.length / 2);
  return candidatesLeaving(prepared, evidence, options, honestBits, half);
}

/** Every row with every parameter that leaves at most this many divergences; fewer, once one does. */
function candidatesLeaving(
  prepared: PreparedCalls,
  evidence: FaultEvidence,
  { faults, model }: ExplainOptions,
  honestBits: ReadonlyMap<number, number>,
  atMost = 0,
): ExplainingRow[] {
  const { divergences } = evidence;
  const of = divergences.length;
  const wrong = new Set(divergences.map(({ call }) => call));
  const first = new Set([...wrong].slice(0, atMost === 0 ? 1 : mostFirst));
  const until = [...first].at(-1) ?? -1;
  const found: ExplainingRow[] = [];
  let most = atMost;
  // What costs more than a row that explains everything is not looked at.
  let enough = Number.POSITIVE_INFINITY;
  const priced = faults.map((fault) => {
    const all = fault.over(evidence);
    return { fault, all, price: fault.price + Math.log2(Math.max(1, all.length)) / 2 };
  });
  for (const { all, fault, price } of priced.toSorted((a, b) => a.price - b.price)) {
    if (price > enough + equalBits) break;
    for (const params of all) {
      const altered = (): Model => {
        const honest = model();
        return { ...honest, ...alterationBy(fault, params)(honest, evidence) };
      };
      // The first wrong answers alone: most rows end here.
      const early = replay(prepared, altered(), { only: first, until, most: first.size });
      const same = new Set(early.divergences.map(({ call }) => call)).size;
      if (same > (atMost === 0 ? 0 : first.size / 2)) continue;
      const wrongOnly = replay(prepared, altered(), { only: wrong, most: most + 1 });
      if (wrongOnly.divergences.length > most) continue;
      let bits = 0;
      const whole = replay(prepared, altered(), {
        most: most + 1,
        seen: (call, expected) => {
          bits += Math.max(0, openBits(expected) - (honestBits.get(call.n) ?? 0));
        },
      });
      const left = whole.divergences.length;
      if (left > most) continue;
      found.push({ fault, params, left, of, cost: price + bits });
      most = Math.min(most, left);
      if (left === 0) enough = Math.min(enough, price + bits);
    }
  }
  return found;
}

/** A row for what another leaves: both together explain everything, or more than the first alone. */
function secondFor(
  prepared: PreparedCalls,
  calls: readonly ApiCall[],
  best: ExplainingRow,
  options: ExplainOptions,
): ExplainingRow | undefined {
  const base = (): Model => {
    const honest = options.model();
    return { ...honest, ...alterationBy(best.fault, best.params)(honest, { calls, divergences: [] }) };
  };
  const { divergences } = replay(prepared, base());
  const rest = {
    ...options,
    model: base,
    faults: options.faults.filter(({ cause }) => cause !== best.fault.cause),
  };
  const found = candidatesFor(prepared, { calls, divergences }, rest, bitsOf(prepared, base()));
  return found.toSorted((a, b) => a.left - b.left || a.cost - b.cost)[0];
}

function bitsOf(prepared: PreparedCalls, model: Model): ReadonlyMap<number, number> {
  const bits = new Map<number, number>();
  replay(prepared, model, { seen: (call, expected) => bits.set(call.n, openBits(expected)) });
  return bits;
}

/** How much an expectation leaves open, in bits: alternatives of its outcome, of each element, and of each number. */
export function openBits({ events, numbers, outcomes, shades }: Expected): number {
  let bits = Math.log2(Math.max(1, outcomes.length));
  for (const list of [events, shades])
    for (const { may } of list?.items ?? []) if (may.length > 1) bits += Math.log2(may.length);
  for (const [least, most] of Object.values(numbers)) {
    const width = most - least;
    // Instants are wide by nature.
    if (width > 0 && width < 1e6) bits += Math.log2(1 + width);
  }
  return bits;
}
