import { type Box, type Cell, narrowForAnyPhase, narrowInBox } from './box.ts';
import type { Hypothesis } from './hypotheses.ts';
import { LimitRange } from './limit-range.ts';
import { finestUsefulNs } from './slack.ts';
import { evenly, logarithmic, type Span, widthOf } from './span.ts';
import type { View } from './view.ts';

/** The result of a search over all windows and phases. */
export interface BoxSearch {
  /** None: the hypothesis is refuted. */
  readonly cells: readonly Cell[];
  /** Of the boxes that nothing fits, the contradiction that is least wide. */
  readonly nearest: Cell | undefined;
  /** The search ran out of steps: more effort might narrow the cells, or leave none. */
  readonly isCutShort: boolean;
}

/** Above this number of requests, searches take fewer steps, which leaves bounds wider. */
export const usualRequests = 15_000;
/** How many boxes are judged at most, per dimension count. Stopping early only leaves the answer wider. */
const mostJudged = { one: 1_500, two: 1_600 };
/** Requests passed over in a search for a bucket, whose boxes cost a pass over all requests each. */
const mostPassedOver = 1e7;
/** Requests tested against boxes in the last, thorough round; the other boxes stay. Weighing costs most. */
const mostThorough = { counting: 3e6, weighing: 1e6 };
/** Ratio of neighbouring windows' lengths at the start; of tokens' intervals, which cost a pass over all requests each. */
const firstRatio = { windows: 1.02, intervals: 1.1 };
/** Windows' lengths are told apart down to this part. */
const finestPart = 2e-4;
/** Tokens' intervals are told apart down to this. */
const finestIntervalNs = 1e4;
const firstPhases = 16;
/** Bursts that are refilled in fewer intervals than this. */
const degenerateBelow = 1.2;
/** Boundaries at either end of the trace are no vaguer than this part of a window at the start. */
const firstVagueness = 0.25;

export interface SearchOptions {
  /** A window's boundary may lie up to one tick of the target's clock later for each request. */
  readonly clockTickNs?: number;
  /** A factor on the usual number of boxes. */
  readonly effort?: number;
  /** Tests every request in each round, so that few boxes are left to halve: for one kind, where it is worth it. */
  readonly isThorough?: boolean;
}

/** Branch and bound, in rounds, over the window's length and, for windows on a grid, their phase. */
export function searchBoxes(
  views: readonly View[],
  hypothesis: Hypothesis,
  scales: Span,
  options: SearchOptions = {},
): BoxSearch {
  const search = new BoxSearcher(views, hypothesis, options);
  const found = hasPhase(hypothesis) ? search.overPhases(scales) : search.overScales(scales);
  const cells = search.thorough(found);
  return { cells, nearest: search.nearest, isCutShort: cells.length > 0 && search.isCutShort };
}

/** Whether the hypothesis has a phase to search. */
export function hasPhase({ mechanism }: Hypothesis): boolean {
  return mechanism.kind === 'grid' || mechanism.kind === 'counter' || mechanism.kind === 'lumps';
}

function isUnchanged(before: readonly Cell[], after: readonly Cell[]): boolean {
  return before.length === after.length && after.every((cell, at) => cell === before[at]);
}

class BoxSearcher {
  nearest: Cell | undefined;
  isCutShort = false;
  readonly #views: readonly View[];
  readonly #hypothesis: Hypothesis;
  readonly #firstNs: number;
  readonly #lengthNs: number;
  readonly #clockTickNs: number;
  readonly #effort: number;
  readonly #isThorough: boolean;
  #judged = 0;

  constructor(
    views: readonly View[],
    hypothesis: Hypothesis,
    { clockTickNs = 0, effort = 1, isThorough = false }: SearchOptions,
  ) {
    this.#clockTickNs = clockTickNs;
    this.#effort = effort;
    this.#isThorough = isThorough;
    this.#views = views;
    this.#hypothesis = hypothesis;
    const { loNs, hiNs } = timeCovered(views);
    this.#firstNs = loNs;
    this.#lengthNs = hiNs - loNs;
  }

  overScales(scales: Span): Cell[] {
    let cells = this.#possible(scales).flatMap(({ scale, within }) =>
      this.#judge({ scale, boundary: undefined }, within),
    );
    while (cells.length > 0) {
      if (this.#isOver(cells, this.#mostJudgedOne)) break;
      const next = cells.flatMap((cell) => {
        const { scale, range } = cell;
        if (widthOf(scale) <= Math.max(finestPart * scale.loNs, finestIntervalNs)) return [cell];
        return halves(scale).flatMap((half) => this.#judge({ scale: half, boundary: undefined }, range));
      });
      if (isUnchanged(cells, next)) break;
      cells = next;
    }
    return cells;
  }

  overPhases(scales: Span): Cell[] {
    const possible = this.#possible(scales);
    let vagueness = firstVagueness;
    let phases = firstPhases;
    let split = possible;
    // Coarser boxes at the start rather than no room to halve them.
    do {
      split = possible.flatMap(({ scale, within }) =>
        evenly(scale, this.#parts(scale, vagueness)).map((part) => ({ scale: part, within })),
      );
      vagueness *= 2;
      if (vagueness > 1) phases = Math.max(1, phases / 2);
    } while (split.length * phases > this.#mostFirst && split.length > possible.length);
    let cells = split.flatMap(({ scale, within }) =>
      evenly(this.#phases(scale), phases).flatMap((boundary) => this.#judge({ scale, boundary }, within)),
    );
    while (cells.length > 0) {
      if (this.#isOver(cells, mostJudged.two * this.#effort)) break;
      const next = cells.flatMap((cell) => this.#halve(cell));
      if (isUnchanged(cells, next)) break;
      cells = this.#isThorough ? next.flatMap((cell) => this.#judge(cell, cell.range, 'every')) : next;
    }
    return cells;
  }

  /** Keeps what every single request allows, not only the most telling ones. */
  thorough(cells: readonly Cell[]): Cell[] {
    const requests = this.#views.reduce((sum, { every }) => sum + every.length, 0);
    const { kind } = this.#hypothesis.mechanism;
    const isWeighing = kind === 'counter' || kind === 'opened-counter';
    const most = (mostThorough[isWeighing ? 'weighing' : 'counting'] * this.#effort) / (requests + 1);
    return cells.flatMap((cell, at) => (at < most ? this.#judge(cell, cell.range, 'every') : [cell]));
  }

  /** Whether halving all cells would take more steps than there are. */
  #isOver(cells: readonly Cell[], most: number): boolean {
    this.isCutShort = this.#judged + 2 * cells.length > most;
    return this.isCutShort;
  }

  /** Boxes to begin with. A thorough search begins with few, since it drops most of them. */
  get #mostFirst(): number {
    return (mostJudged.two * (this.#isThorough ? Math.min(1, this.#effort) : this.#effort)) / 2;
  }

  get #firstRatio(): number {
    const { kind } = this.#hypothesis.mechanism;
    const usual = kind === 'bucket' || kind === 'lumps' ? firstRatio.intervals : firstRatio.windows;
    return this.#effort < 1 ? usual ** (1 / Math.sqrt(this.#effort)) : usual;
  }

  get #mostJudgedOne(): number {
    if (this.#hypothesis.mechanism.kind !== 'bucket') return mostJudged.one * this.#effort;
    const requests = this.#views.reduce((sum, { trace }) => sum + trace.length, 0);
    return Math.min(mostJudged.one, mostPassedOver / (requests + 1)) * this.#effort;
  }

  /** The scales to begin with, and what any phase leaves of the limit. */
  #possible(scales: Span): { readonly scale: Span; readonly within: LimitRange }[] {
    return logarithmic(scales, this.#firstRatio).flatMap((scale) => {
      const range = new LimitRange();
      if (this.#hypothesis.mechanism.kind === 'lumps') {
        const boundary = this.#phases(scale);
        return this.#judge({ scale, boundary }).map((cell) => ({ scale, within: cell.range }));
      }
      const { kind } = this.#hypothesis.mechanism;
      if (hasPhase(this.#hypothesis) || kind === 'opened' || kind === 'opened-counter') {
        narrowForAnyPhase(this.#views, this.#hypothesis, scale, range);
      }
      if (!range.isEmpty) return [{ scale, within: range }];
      this.#remember({ scale, boundary: undefined, range });
      return [];
    });
  }

  #halve(cell: Cell): Cell[] {
    const { scale, boundary, range } = cell;
    if (boundary === undefined) return [cell];
    const reach = this.#reach(scale);
    const scaleCosts = widthOf(scale) * reach;
    const phaseCosts = widthOf(boundary);
    const finestNs = Math.max(finestUsefulNs, this.#period(scale) / 4_096);
    if (Math.max(scaleCosts, phaseCosts) <= finestNs) return [cell];
    return scaleCosts > phaseCosts
      ? halves(scale).flatMap((half) => this.#judge({ scale: half, boundary }, range))
      : halves(boundary).flatMap((half) => this.#judge({ scale, boundary: half }, range));
  }

  /** By how much a boundary at either end of the trace moves with the window's length. */
  #reach(scale: Span): number {
    if (this.#hypothesis.mechanism.kind === 'lumps') return this.#hypothesis.mechanism.everyNs / scale.loNs;
    return Math.max(1, this.#lengthNs / scale.loNs / 2);
  }

  #parts(scale: Span, vagueness: number): number {
    if (this.#hypothesis.mechanism.kind === 'lumps') return 1;
    return Math.max(1, Math.ceil((widthOf(scale) * this.#reach(scale)) / (vagueness * scale.loNs)));
  }

  #period(scale: Span): number {
    const { mechanism } = this.#hypothesis;
    return mechanism.kind === 'lumps' ? mechanism.everyNs : scale.hiNs;
  }

  /** Phases are measured from the middle, where a wrong length of the window shifts both ends least. */
  #phases(scale: Span): Span {
    const middleNs = this.#firstNs + this.#lengthNs / 2;
    return { loNs: middleNs, hiNs: middleNs + this.#period(scale) };
  }

  /** `within`: the limits for which a box around this one may explain everything. */
  #judge(box: Box, within?: LimitRange, thoroughness: 'critical' | 'every' = 'critical'): Cell[] {
    const range = Object.assign(new LimitRange(), within);
    narrowInBox(this.#views, this.#hypothesis, { ...this.#ticking(box), range }, thoroughness);
    this.#judged++;
    const cell = { scale: box.scale, boundary: box.boundary, range };
    if (range.isEmpty) {
      this.#remember(cell);
      return [];
    }
    return isDegenerate(this.#hypothesis, cell) ? [] : [cell];
  }

  #ticking(box: Box): Box {
    const { scale, boundary } = box;
    if (boundary === undefined || this.#clockTickNs === 0) return box;
    return { scale, boundary: { loNs: boundary.loNs, hiNs: boundary.hiNs + this.#clockTickNs } };
  }

  #remember(cell: Cell): void {
    const gap = ({ range }: Cell): number => range.min - range.max;
    if (this.nearest === undefined || gap(cell) < gap(this.nearest)) this.nearest = cell;
  }
}

/** A bucket that each interval refills completely is a fixed window, and is judged as one. */
function isDegenerate({ mechanism }: Hypothesis, { scale, range }: Cell): boolean {
  return mechanism.kind === 'lumps' && scale.hiNs * range.max < degenerateBelow * mechanism.everyNs;
}

/** From the first sending to the last, over all traces. */
export function timeCovered(views: readonly View[]): Span {
  return {
    loNs: Math.min(...views.map(({ trace }) => trace.sentNs[0] ?? 0)),
    hiNs: Math.max(...views.map(({ trace }) => trace.sentNs[trace.length - 1] ?? 0)),
  };
}

function halves(span: Span): Span[] {
  return evenly(span, 2);
}
