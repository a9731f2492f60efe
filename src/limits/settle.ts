import { type Arrivals, mismatches } from './arrivals.ts';
import type { Cell } from './box-search.ts';
import { deciderOf, type Settled } from './deciders.ts';
import type { Hypothesis } from './hypotheses.ts';
import { roundestMs, roundestWithin } from './round-number.ts';

/** A hypothesis' best parameters, and in how many answers it then differs from what was observed. */
export interface Settlement {
  readonly settled: Settled;
  readonly mismatches: number;
}

const mostCellsTried = 24;
/** Of parameters that explain nearly as much, the roundest are taken; nearly: this part more mismatches, or this many. */
const roundnessWorth = { part: 0.02, count: 1 };

/** Lets the hypothesis run free with parameters out of the cells that fit, and keeps those that come nearest. */
export function settle(
  arrivals: readonly Arrivals[],
  hypothesis: Hypothesis,
  cells: readonly Cell[],
): Settlement {
  let best: Settlement | undefined;
  let roundest: (Settlement & { readonly roundness: number }) | undefined;
  const run = (settled: Settled, enough = Number.POSITIVE_INFINITY): number =>
    arrivals.reduce(
      (sum, each) => (sum > enough ? sum : sum + mismatches(each, deciderOf(settled), enough - sum + 1)),
      0,
    );
  for (const settled of tried(hypothesis, cells)) {
    const count = run(settled, best === undefined ? undefined : allowance(best.mismatches));
    if (best === undefined || count < best.mismatches) best = { settled, mismatches: count };
    const how = roundness(settled);
    if (count <= allowance(best.mismatches) && (roundest === undefined || how > roundest.roundness)) {
      roundest = { settled, mismatches: count, roundness: how };
    }
    if (roundest !== undefined && roundest.mismatches > allowance(best.mismatches)) {
      roundest = { ...best, roundness: roundness(best.settled) };
    }
  }
  if (best === undefined) throw new Error('a hypothesis without cells is refuted and cannot be settled');
  return roundest ?? best;
}

function allowance(count: number): number {
  return Math.floor(count * (1 + roundnessWorth.part)) + roundnessWorth.count;
}

function* tried({ mechanism }: Hypothesis, cells: readonly Cell[]): Generator<Settled> {
  for (const cell of chosen(cells)) {
    const { scale, range } = cell;
    const boundaryNs = cell.boundary === undefined ? 0 : (cell.boundary.loNs + cell.boundary.hiNs) / 2;
    const most = Number.isFinite(range.max) ? range.max : range.min + 1;
    const limits = new Set([
      roundestWithin(Math.max(1, range.min), most) ?? most,
      most,
      Math.max(1, range.min),
    ]);
    for (const limit of limits) {
      const isBucket = mechanism.kind === 'bucket' || mechanism.kind === 'lumps';
      const perWindow = isBucket ? limit : 1;
      const roundMs = roundestMs((scale.loNs * perWindow) / 1e6, (scale.hiNs * perWindow) / 1e6);
      const scaleNs = roundMs === undefined ? (scale.loNs + scale.hiNs) / 2 : (roundMs * 1e6) / perWindow;
      yield { mechanism, limit, scaleNs, boundaryNs };
    }
  }
}

/** The cell of the roundest window first, then others evenly. */
function chosen(cells: readonly Cell[]): Cell[] {
  const loNs = Math.min(...cells.map(({ scale }) => scale.loNs));
  const hiNs = Math.max(...cells.map(({ scale }) => scale.hiNs));
  const roundNs = (roundestMs(loNs / 1e6, hiNs / 1e6) ?? 0) * 1e6;
  const round = cells.filter(({ scale }) => scale.loNs <= roundNs && roundNs <= scale.hiNs);
  return [...evenlyOf(round, mostCellsTried / 3), ...evenlyOf(cells, mostCellsTried)];
}

function evenlyOf(cells: readonly Cell[], most: number): Cell[] {
  const stride = Math.max(1, cells.length / most);
  return cells.filter((_, at) => Math.floor(at / stride) !== Math.floor((at - 1) / stride));
}

/** The more trailing zeros in limit and window, the rounder. */
function roundness({ mechanism, limit, scaleNs }: Settled): number {
  const isBucket = mechanism.kind === 'bucket' || mechanism.kind === 'lumps';
  return zeros(limit) + 2 * zeros(Math.round((scaleNs * (isBucket ? limit : 1)) / 1e6));
}

function zeros(value: number): number {
  let count = 0;
  for (let rest = value; rest > 0 && rest % 10 === 0; rest /= 10) count++;
  return count;
}
