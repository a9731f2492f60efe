import type { ApiCall } from '../call.ts';
import {
  type Divergence,
  type PreparedCalls,
  prepare,
  type Replay,
  type ReplayOptions,
  replay,
} from '../judge.ts';
import { OpenBits } from '../open-bits.ts';
import type { Model } from '../stages.ts';
import { RowsBeside } from './beside.ts';
import { type FaultEvidence, type FaultParams, withRow } from './fault.ts';
import type { ModelRow } from './table.ts';

/** A row that makes wrong answers right. */
export interface ExplainingRow {
  readonly fault: ModelRow;
  readonly params: FaultParams;
  /** Wrong answers that it leaves, and of how many. */
  readonly left: number;
  readonly of: number;
  /** Its price, and the bits that it leaves open where the honest model does not. */
  readonly cost: number;
  /** Whether it names no mechanism, or leaves more open than there are differences to explain: much else would fit it, too. */
  readonly isLoose: boolean;
}

export interface Explanation {
  /** The cheapest row that explains everything, or else the nearest; with those that explain as much at the same cost. */
  readonly causes: readonly ExplainingRow[];
  /** A second row for what the first leaves. */
  readonly second?: ExplainingRow;
  readonly divergences: readonly Divergence[];
}

export interface ExplainOptions {
  readonly faults: readonly ModelRow[];
  readonly model: () => Model;
}

/** Two costs that are equal: rows that say the same cost the same but for rounding and their parameters. */
export const equalBits = 1.5;
/** From this price on, a row names no mechanism: some calls go wrong at times. */
const vaguePrice = 7;
/** The first wrong answers sort most rows out. */
const mostFirst = 3;
/** What it costs to say of one answer that it is wrong, beside which one it is. */
const bitsOfWrong = 12;
/** More differences of one answer tell no more. Ours. */
const mostPerAnswer = 4;
/** A loose row has to cost at most this part of a list of the wrong answers. Ours. */
const mostOfList = 0.75;

/**
 * Which rows make a record right. Law: a row explains a divergence only if it predicts the very answer; it costs its price, the bits
 * that its parameters take, and the bits that it leaves open beyond the honest model. The cheapest is named; those at
 * the same cost are shown with it. A row that costs more than a list of the wrong answers explains nothing.
 */
export function explain(calls: readonly ApiCall[], options: ExplainOptions): Explanation {
  const search = searchIn(prepare(calls), calls, options);
  const { divergences } = search.evidence;
  if (divergences.length === 0) return { causes: [], divergences };
  const found = candidatesFor(search);
  const ranked = found.toSorted((a, b) => a.left - b.left || a.cost - b.cost);
  const [best] = ranked;
  if (best === undefined) return { causes: [], divergences };
  const causes = ranked.filter(({ cost, left }) => left === best.left && cost <= best.cost + equalBits);
  const distinct = causes.filter(
    ({ fault }, at) => causes.findIndex((other) => other.fault === fault) === at,
  );
  if (best.left === 0) return { causes: distinct, divergences };
  const second = secondFor(search, best);
  return { causes: distinct, ...(second !== undefined && { second }), divergences };
}

/** A row costs more where its parameters have many values. */
const priceOf = ({ price }: ModelRow, params: number): number => price + Math.log2(Math.max(1, params)) / 2;

/** What a model finds wrong, and how much it leaves open. */
function measured(
  prepared: PreparedCalls,
  model: Model,
  { mostBits = Number.POSITIVE_INFINITY, ...options }: ReplayOptions & { readonly mostBits?: number },
): Replay & { readonly bits: number } {
  const open = new OpenBits();
  let count = 0;
  const found = replay(prepared, model, {
    ...options,
    seen: (_, expected, said, others) => open.add(expected, said, others),
    // Now and then: the sum is not free.
    isEnough: () => mostBits < Number.POSITIVE_INFINITY && ++count % 32 === 0 && open.total > mostBits,
  });
  return { ...found, bits: open.total };
}

interface RowSearch extends ExplainOptions {
  readonly prepared: PreparedCalls;
  readonly evidence: FaultEvidence;
  /** What the model without a row leaves open. */
  readonly bits: number;
  /** The answers that settled a freedom under it. */
  readonly settling: readonly number[];
}

function searchIn(
  prepared: PreparedCalls,
  calls: readonly ApiCall[],
  { faults, model }: ExplainOptions,
): RowSearch {
  const { bits, divergences, model: after } = measured(prepared, model(), { isBrief: false });
  const settling = after.free.settled().flatMap(({ call }) => call ?? []);
  return { faults, model, prepared, evidence: { calls, divergences }, bits, settling };
}

/** Rows that leave nothing, each given up at its first wrong answer; without any, those that leave at most half of them. */
function candidatesFor(search: RowSearch): ExplainingRow[] {
  const whole = candidatesLeaving(search, 0);
  const wrong = new Set(search.evidence.divergences.map(({ call }) => call));
  const half = Math.floor(wrong.size / 2);
  if (whole.length > 0 || half === 0) return whole;
  // A row without a mechanism that does not explain everything explains nothing.
  const faults = search.faults.filter(({ price }) => price < vaguePrice);
  return candidatesLeaving({ ...search, faults }, half);
}

/** Every row with every parameter that leaves at most this many wrong answers; fewer, once one does. */
function candidatesLeaving(
  { bits: honestBits, evidence, faults, model, prepared, settling }: RowSearch,
  atMost: number,
): ExplainingRow[] {
  const { calls, divergences } = evidence;
  const wrong = new Set(divergences.map(({ call }) => call));
  const differences = Math.min(divergences.length, mostPerAnswer * wrong.size);
  const first = new Set([...wrong].slice(0, atMost === 0 ? 1 : mostFirst));
  const until = [...first].at(-1) ?? -1;
  // What is wrong only beside the answers that settled a freedom is judged with these.
  const alone = replay(prepared, model(), { only: first, until, isBrief: true }).divergences;
  const only = alone.length === first.size ? first : new Set([...first, ...settling]);
  const telltale = new Set([...wrong, ...only]);
  const found: ExplainingRow[] = [];
  let most = atMost;
  // What costs more than a row that explains everything, or than a list of the wrong answers, is not looked at.
  const mostCost = wrong.size * (bitsOfWrong + Math.log2(calls.length));
  let enough = mostCost - equalBits;
  const priced = faults.flatMap((fault) => {
    const all = fault.over(evidence);
    return all.map((params) => ({ fault, params, price: priceOf(fault, all.length) }));
  });
  priced.sort((a, b) => a.price - b.price);
  // The first wrong answers alone: most rows end here, since they leave them wrong.
  const mostSame = atMost === 0 ? 0 : Math.floor(first.size / 2);
  const isJudged = mostSame === 0;
  // Where a row explains everything, those of higher prices are not looked at.
  for (const alike of Map.groupBy(priced, ({ price }) => Math.floor(price / equalBits)).values()) {
    if (alike.every(({ price }) => price > enough + equalBits)) break;
    const rows = alike.map((row) => [row]);
    const beside = new RowsBeside(prepared, model(), rows, evidence, { only, until, isJudged });
    for (const row of alike) {
      const { fault, params, price } = row;
      if (price > enough + equalBits) break;
      if (!beside.isOther(row)) continue;
      const altered = (): Model => withRow(model(), row, evidence);
      const early = isJudged
        ? beside.shownBy(row, altered)
        : replay(prepared, altered(), { only, until, most: mostSame + 1, isBrief: true }).divergences;
      if (early.length > mostSame) continue;
      // Then all of them, with those that gave other rows away: the answers that sort out most.
      const telling = replay(prepared, altered(), { only: telltale, most: most + 1, isBrief: true });
      if (telling.divergences.length > most) continue;
      const whole = measured(prepared, altered(), {
        ...{ most: most + 1, isBrief: true, mostBits: honestBits + enough + equalBits - price },
      });
      const left = whole.divergences.length;
      for (const { call } of whole.divergences.slice(-1)) telltale.add(call);
      const cost = price + Math.max(0, whole.bits - honestBits);
      if (left > most || cost > enough + equalBits) continue;
      const isLoose = fault.price >= vaguePrice || cost - price > differences;
      // Of what would fit much else, too, a part is nothing, and a list that is hardly longer says as much.
      if (isLoose && (left > 0 || cost > mostOfList * mostCost)) continue;
      found.push({ fault, params, left, of: wrong.size, cost, isLoose });
      most = Math.min(most, left);
      if (left === 0) enough = Math.min(enough, cost);
    }
  }
  return found;
}

/** A row for all of what another leaves: both together explain everything. */
function secondFor(search: RowSearch, best: ExplainingRow): ExplainingRow | undefined {
  const { calls } = search.evidence;
  const left = searchIn(search.prepared, calls, {
    faults: search.faults.filter((each) => each !== best.fault && each.price < vaguePrice),
    model: () => withRow(search.model(), best, { calls, divergences: [] }),
  });
  if (left.evidence.divergences.length === 0) return undefined;
  return candidatesLeaving(left, 0).toSorted((a, b) => a.cost - b.cost)[0];
}
