import type { Bounds } from '../vocabulary/bounds.ts';
import { type Arrivals, agreedMismatches, guessesOf, mismatches, type Settlement } from './arrivals.ts';
import { searchBoxes } from './box-search.ts';
import { type Cell, narrowInBox, timeCovered } from './cells.ts';
import type { Contender, OpenBounds } from './inference.ts';
import { keyOf, type LimiterKind, LimitRange, type Settled, scaleNsOf, windowNsOf } from './kinds/kind.ts';
import { deciderOf, kindOf } from './kinds/table.ts';
import { exactly, roundestMs, roundestWithin, type Span } from './span.ts';
import { jointBlock, type View } from './view.ts';

const mostCellsTried = 24;
/** A model that gets this part of all answers wrong is not examined further. */
const hopelessPart = 0.1;
/** Of parameters that explain nearly as much, the roundest are taken; nearly: this part more mismatches, or this many. */
const roundnessWorth = { part: 0.02, count: 1 };

/** What a search left open. */
export interface Unsettled {
  readonly guesses: readonly (readonly Arrivals[])[];
  readonly cells: readonly Cell[];
  /** How long a block started by a rejection can last. */
  readonly block: Span;
  /** How many cells at a time. */
  readonly cellsTried?: number | undefined;
}

/**
 * Lets the kind run free with parameters from the cells that fit, and keeps those nearest to any guess of the
 * arrivals.
 */
export function settle(
  kind: LimiterKind,
  { block, cells, cellsTried = mostCellsTried, guesses }: Unsettled,
): Settlement {
  let best: Settlement | undefined;
  let roundest: (Settlement & { readonly roundness: number }) | undefined;
  const run = (settled: Settled, enough = Number.POSITIVE_INFINITY): number =>
    guesses.reduce(
      (least, arrivals) => Math.min(least, wrong(arrivals, settled, Math.min(least, enough))),
      Number.POSITIVE_INFINITY,
    );
  const consider = (settled: Settled): void => {
    const count = run(settled, best === undefined ? undefined : allowance(best.mismatches));
    if (best === undefined || count < best.mismatches) best = { settled, mismatches: count };
    const how = roundness(settled);
    if (count <= allowance(best.mismatches) && (roundest === undefined || how > roundest.roundness)) {
      roundest = { settled, mismatches: count, roundness: how };
    }
    if (roundest !== undefined && roundest.mismatches > allowance(best.mismatches)) {
      roundest = { ...best, roundness: roundness(best.settled) };
    }
  };
  for (const settled of tried(kind, firstTried(kind, cells, block, cellsTried), block)) consider(settled);
  const requests = guesses[0]?.reduce((sum, { atNs }) => sum + atNs.length, 0) ?? 0;
  // Cells that differ in the window's length alone: neighbours explain about as much.
  let around = cells.every(({ boundary }) => boundary === undefined) ? cells : [];
  while (around.length > cellsTried && best !== undefined && best.mismatches < hopelessPart * requests) {
    const closer = nearestTo(best.settled.scaleNs, around, Math.ceil((2 * around.length) / cellsTried));
    if (closer.length >= around.length) break;
    around = closer;
    for (const settled of tried(kind, evenlyOf(around, cellsTried), block)) consider(settled);
  }
  if (best === undefined) throw new Error('a kind without cells is refuted and cannot be settled');
  const { settled } = roundest ?? best;
  return { settled, mismatches: surelyWrong(guesses, settled) };
}

/**
 * Answers that are wrong for every guess: an answer that a slow round trip alone may have swapped proves nothing.
 */
export function surelyWrong(guesses: readonly (readonly Arrivals[])[], settled: Settled): number {
  const traces = guesses[0] ?? [];
  return traces.reduce(
    (sum, _, at) =>
      sum +
      agreedMismatches(
        guesses.flatMap((each) => each[at] ?? []),
        () => deciderOf(settled),
      ),
    0,
  );
}

/** How many answers differ; counts hardly further than `enough`. */
function wrong(arrivals: readonly Arrivals[], settled: Settled, enough: number): number {
  return arrivals.reduce(
    (sum, each) => (sum > enough ? sum : sum + mismatches(each, deciderOf(settled), enough - sum + 1)),
    0,
  );
}

function allowance(count: number): number {
  return Math.floor(count * (1 + roundnessWorth.part)) + roundnessWorth.count;
}

function* tried(kind: LimiterKind, cells: readonly Cell[], block: Span): Generator<Settled> {
  for (const { scale, boundary, range } of cells) {
    const boundaryNs = boundary === undefined ? 0 : (boundary.loNs + boundary.hiNs) / 2;
    const most = Number.isFinite(range.max) ? range.max : range.min + 1;
    const limits = new Set([
      roundestWithin(Math.max(1, range.min), most) ?? most,
      most,
      Math.max(1, range.min),
    ]);
    for (const limit of limits) {
      const [loMs, hiMs] = [scale.loNs, scale.hiNs].map((ns) => windowNsOf(kind, limit, ns) / 1e6);
      const roundMs = roundestMs(loMs as number, hiMs as number);
      const scaleNs =
        roundMs === undefined ? (scale.loNs + scale.hiNs) / 2 : scaleNsOf(kind, limit, roundMs * 1e6);
      yield* variantsOf(kind, { kind: keyOf(kind), limit, scaleNs, boundaryNs }, block);
    }
  }
}

/** What remains to settle besides limit, window and phase: the length of a block, and a counter's last step. */
function* variantsOf(kind: LimiterKind, settled: Settled, block: Span): Generator<Settled> {
  const { scaleNs } = settled;
  if (hasBlock(kind)) {
    // The most common is as long as the window; where answers came late, its bounds are wide, and it may be any between.
    const isWindow = block.loNs <= scaleNs && scaleNs <= block.hiNs;
    const roundMs = roundestMs(block.loNs / 1e6, block.hiNs / 1e6);
    const tried = [isWindow ? scaleNs : undefined, roundMs === undefined ? block.loNs : roundMs * 1e6];
    if (isWindow && Number.isFinite(block.hiNs)) tried.push((block.loNs + block.hiNs) / 2);
    for (const blockNs of new Set(tried)) if (blockNs !== undefined) yield { ...settled, blockNs };
    return;
  }
  yield settled;
  if (kind.maybeStrict) yield { ...settled, isStrict: true };
}

function hasBlock({ prolongedBy }: LimiterKind): boolean {
  return prolongedBy === 'first rejection';
}

/** Some of the cells, evenly; before them, those of windows as long as a block, which are the most common. */
function firstTried(kind: LimiterKind, cells: readonly Cell[], block: Span, most: number): Cell[] {
  return [...(hasBlock(kind) ? chosen(asLongAs(block, cells), most) : []), ...chosen(cells, most)];
}

/** Cells narrowed to windows as long as the block; none where that cannot be. */
function asLongAs(block: Span, cells: readonly Cell[]): readonly Cell[] {
  return cells.flatMap((cell): Cell[] => {
    const loNs = Math.max(cell.scale.loNs, block.loNs);
    const hiNs = Math.min(cell.scale.hiNs, block.hiNs);
    return loNs <= hiNs ? [{ ...cell, scale: { loNs, hiNs } }] : [];
  });
}

/** The cells around a length of the window: `beside` on either side. */
function nearestTo(scaleNs: number, cells: readonly Cell[], beside: number): readonly Cell[] {
  const ascending = cells.toSorted((a, b) => a.scale.loNs - b.scale.loNs);
  const at = ascending.findLastIndex(({ scale }) => scale.loNs <= scaleNs);
  return ascending.slice(Math.max(0, at - beside), at + beside + 1);
}

/** The cell of the roundest window first, then others evenly. */
function chosen(cells: readonly Cell[], most: number): Cell[] {
  if (cells.length === 0) return [];
  const loNs = Math.min(...cells.map(({ scale }) => scale.loNs));
  const hiNs = Math.max(...cells.map(({ scale }) => scale.hiNs));
  const roundNs = (roundestMs(loNs / 1e6, hiNs / 1e6) ?? 0) * 1e6;
  const round = cells.filter(({ scale }) => scale.loNs <= roundNs && roundNs <= scale.hiNs);
  return [...evenlyOf(round, most / 3), ...evenlyOf(cells, most)];
}

function evenlyOf(cells: readonly Cell[], most: number): Cell[] {
  const stride = Math.max(1, cells.length / most);
  return cells.filter((_, at) => Math.floor(at / stride) !== Math.floor((at - 1) / stride));
}

/** The more trailing zeros in limit and window, the rounder. */
function roundness(settled: Settled): number {
  const { limit, scaleNs } = settled;
  return zeros(limit) + 2 * zeros(Math.round(windowNsOf(kindOf(settled), limit, scaleNs) / 1e6));
}

function zeros(value: number): number {
  let count = 0;
  for (let rest = value; rest > 0 && rest % 10 === 0; rest /= 10) count++;
  return count;
}

/**
 * A kind that some cells leave standing, with its estimates and no confidence yet. `block`: how long a block
 * started by a rejection can last.
 */
export function survivorOf(
  kind: LimiterKind,
  cells: readonly Cell[],
  { settled, mismatches }: Settlement,
  { block, isAligned }: { readonly block: Span; readonly isAligned: boolean },
): Contender {
  const { id, name, rejectsCount, degreesOfFreedom } = kind;
  const { limit, scaleNs } = settled;
  const limitBounds = boundsOf(cells.map(({ range }) => ({ min: range.min, max: range.max })));
  const windowMsBounds = boundsOf(
    cells.map(({ scale, range }) => ({
      min: windowNsOf(kind, range.min, scale.loNs) / 1e6,
      max: windowNsOf(kind, range.max, scale.hiNs) / 1e6,
    })),
  );
  return {
    algorithm: id,
    name,
    limit,
    windowMs: round(windowNsOf(kind, limit, scaleNs) / 1e6),
    burst: limit,
    refillPerS: kind.scale === 'token' ? round(1e9 / scaleNs) : null,
    phase: isAligned ? 'clock-aligned' : kind.phase,
    rejectsCount,
    limitBounds,
    windowMsBounds,
    ...(settled.blockNs === undefined
      ? {}
      : {
          blockMs: round(settled.blockNs / 1e6),
          blockMsBounds: boundsOf([{ min: block.loNs / 1e6, max: block.hiNs / 1e6 }]),
        }),
    mismatches,
    confidence: 0,
    settled,
    degreesOfFreedom: isAligned ? degreesOfFreedom - 1 : degreesOfFreedom,
  };
}

function boundsOf(all: readonly Bounds[]): OpenBounds {
  const min = Math.min(...all.map((each) => each.min));
  const max = Math.max(...all.map((each) => each.max));
  return { min: round(min), ...(Number.isFinite(max) ? { max: round(max) } : {}) };
}

function round(value: number): number {
  return Number(value.toPrecision(9));
}

/** A kind that explains some traces, with its estimates; undefined if it is refuted. `scales`: the scales that are possible. */
export function fittedTo(views: readonly View[], kind: LimiterKind, scales: Span): Contender | undefined {
  const { cells } = searchBoxes(views, kind, scales);
  if (cells.length === 0) return undefined;
  const block = jointBlock(views);
  const guesses = guessesOf(views.map(({ trace }) => trace));
  return survivorOf(kind, cells, settle(kind, { guesses, cells, block }), { isAligned: false, block });
}

/** Lengths of windows that a clock can be divided into, milliseconds, coarse to fine. */
const unitsMs = [60_000, 1_000, 100, 10] as const;
const mostTried = 64;

/**
 * The cells of a search in which the windows begin at multiples of their length on the target's clock. Only round
 * lengths are tried: a grid since 1970 tells them apart to the nanosecond.
 */
export function alignedCells(
  views: readonly View[],
  kind: LimiterKind,
  cells: readonly Cell[],
  clockOffset: Span,
): Cell[] {
  const loMs = Math.min(...cells.map(({ scale }) => scale.loNs)) / 1e6;
  const hiMs = Math.max(...cells.map(({ scale }) => scale.hiNs)) / 1e6;
  for (const unitMs of unitsMs) {
    const first = Math.ceil(loMs / unitMs);
    const last = Math.floor(hiMs / unitMs);
    if (last - first >= mostTried) return [];
    for (let k = first; k <= last; k++) {
      const found = judgeAligned(views, kind, k * unitMs * 1e6, clockOffset);
      if (found !== undefined) return [found];
    }
  }
  return [];
}

function judgeAligned(
  views: readonly View[],
  kind: LimiterKind,
  windowNs: number,
  clockOffset: Span,
): Cell | undefined {
  const { loNs, hiNs } = timeCovered(views);
  const middleNs = (loNs + hiNs) / 2;
  const nextEpochNs = Math.ceil((middleNs + clockOffset.loNs) / windowNs) * windowNs;
  const boundary = { loNs: nextEpochNs - clockOffset.hiNs, hiNs: nextEpochNs - clockOffset.loNs };
  const range = new LimitRange();
  const scale = exactly(windowNs);
  const cell = { scale, boundary, range };
  narrowInBox(views, kind, cell, 'every');
  return range.isEmpty ? undefined : cell;
}
