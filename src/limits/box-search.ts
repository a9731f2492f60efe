import { type Cell, mostThorougher, narrowInBox, phaseEffort, timeCovered } from './cells.ts';
import { type Box, type LimiterKind, LimitRange, type Thoroughness } from './kinds/kind.ts';
import { evenly, finestUsefulNs, logarithmic, type Span, widthOf } from './span.ts';
import type { View } from './view.ts';

/** The result of a search over all windows and phases. */
export interface BoxSearch {
  /** None: the kind is refuted. */
  readonly cells: readonly Cell[];
  /** Of the boxes that nothing fits, the contradiction that is least wide. */
  readonly nearest: Cell | undefined;
  /** The search ran out of steps: more effort might narrow the cells, or leave none. */
  readonly isCutShort: boolean;
}

/** How many boxes are judged at most, per dimension count. Stopping early only leaves the answer wider. */
const mostJudged = { one: 1_500, two: 1_600 };
/** Requests passed over in a search for a bucket, whose boxes cost a pass over all requests each. */
const mostPassedOver = 1e7;
/** Ratio of neighbouring windows' lengths at the start; of tokens' intervals, which cost a pass over all requests each. */
const firstRatio = { window: 1.02, token: 1.1 };
/** Windows' lengths are told apart down to this part. */
const finestPart = 2e-4;
/** Tokens' intervals are told apart down to this. */
const finestIntervalNs = 1e4;
/** Phases at the start, for each of many windows and for one that is given. */
const firstPhases = { ofMany: 16, ofWindow: 64 };
/** Bursts that are refilled in fewer intervals than this. */
const degenerateBelow = 1.2;
/** Boundaries at either end of the trace are no vaguer than this part of a window at the start. */
const firstVagueness = 0.25;

/** How a search is conducted. */
interface Manner {
  /** A window's boundary may lie up to one tick of the target's clock later for each request. */
  readonly clockTickNs?: number;
  /** A factor on the usual number of boxes. */
  readonly effort?: number;
  /** Only phases are open: they are told apart as finely as they can be, by all requests. */
  readonly isWindowGiven?: boolean;
  /** Tests every request in each round, so that few boxes are left to halve: for one kind, where it is worth it. */
  readonly isThorough?: boolean;
}

/** Branch and bound, in rounds, over the window's length and, for windows on a grid, their phase. */
export function searchBoxes(
  views: readonly View[],
  kind: LimiterKind,
  scales: Span,
  manner: Manner = {},
): BoxSearch {
  const search = new BoxSearcher(views, kind, manner);
  const found = kind.period !== undefined ? search.overPhases(scales) : search.overScales(scales);
  const cells = search.thorough(found);
  return { cells, nearest: search.nearest, isCutShort: cells.length > 0 && search.isCutShort };
}

class BoxSearcher {
  nearest: Cell | undefined;
  isCutShort = false;
  readonly #views: readonly View[];
  readonly #kind: LimiterKind;
  readonly #firstNs: number;
  readonly #lengthNs: number;
  readonly #clockTickNs: number;
  readonly #effort: number;
  readonly #isWindowGiven: boolean;
  readonly #isThorough: boolean;
  #judged = 0;

  constructor(
    views: readonly View[],
    kind: LimiterKind,
    { clockTickNs = 0, effort = 1, isWindowGiven = false, isThorough = false }: Manner,
  ) {
    this.#clockTickNs = clockTickNs;
    this.#effort = effort;
    this.#isWindowGiven = isWindowGiven;
    this.#isThorough = isThorough;
    this.#views = views;
    this.#kind = kind;
    const { loNs, hiNs } = timeCovered(views);
    this.#firstNs = loNs;
    this.#lengthNs = hiNs - loNs;
  }

  overScales(scales: Span): Cell[] {
    const cells = this.#possible(scales).flatMap(({ scale, within }) =>
      this.#judge({ scale, boundary: undefined }, within),
    );
    return this.#narrowed(cells, this.#mostJudgedOne, (cell) => {
      const { scale, range } = cell;
      if (widthOf(scale) <= Math.max(finestPart * scale.loNs, finestIntervalNs)) return [cell];
      return halves(scale).flatMap((half) => this.#judge({ scale: half, boundary: undefined }, range));
    });
  }

  overPhases(scales: Span): Cell[] {
    const possible = this.#possible(scales);
    let vagueness = firstVagueness;
    let phases = this.#isWindowGiven ? firstPhases.ofWindow : firstPhases.ofMany;
    let split = possible;
    // Coarser boxes at the start rather than no room to halve them.
    do {
      split = possible.flatMap(({ scale, within }) =>
        evenly(scale, this.#parts(scale, vagueness)).map((part) => ({ scale: part, within })),
      );
      vagueness *= 2;
      if (vagueness > 1) phases = Math.max(1, phases / 2);
    } while (split.length * phases > this.#mostFirst && split.length > possible.length);
    const cells = split.flatMap(({ scale, within }) =>
      evenly(this.#phases(scale), phases).flatMap((boundary) => this.#judge({ scale, boundary }, within)),
    );
    const judgedAll = (cell: Cell): Cell[] => this.#judge(cell, cell.range, 'every');
    return this.#narrowed(
      cells,
      this.#mostJudgedTwo,
      (cell) => this.#halve(cell),
      this.#isThorough ? judgedAll : undefined,
    );
  }

  /** Keeps what every single request allows, not only the most telling ones. */
  thorough(cells: readonly Cell[]): Cell[] {
    if (this.#isWindowGiven) return [...cells];
    const requests = this.#views.reduce((sum, { every }) => sum + every.length, 0);
    const most = mostThorougher(this.#kind, requests, this.#effort);
    return cells.flatMap((cell, at) => (at < most ? this.#judge(cell, cell.range, 'every') : [cell]));
  }

  /** The period of the phase where it is given, and not the window. */
  get #refillNs(): number | undefined {
    return typeof this.#kind.period === 'number' ? this.#kind.period : undefined;
  }

  /** Halves all cells, in rounds, until none can be halved or it would take more steps than there are. */
  #narrowed(
    cells: Cell[],
    most: number,
    halve: (cell: Cell) => Cell[],
    again?: (cell: Cell) => Cell[],
  ): Cell[] {
    this.isCutShort = this.#judged + 2 * cells.length > most;
    if (cells.length === 0 || this.isCutShort) return cells;
    const next = cells.flatMap(halve);
    if (cells.length === next.length && next.every((cell, at) => cell === cells[at])) return cells;
    return this.#narrowed(again === undefined ? next : next.flatMap(again), most, halve, again);
  }

  /** Boxes to begin with. A thorough search begins with few, since it drops most of them. */
  get #mostFirst(): number {
    return (this.#isThorough ? Math.min(1, this.#effort) * mostJudged.two : this.#mostJudgedTwo) / 2;
  }

  get #firstRatio(): number {
    const usual = firstRatio[this.#kind.scale];
    return this.#effort < 1 ? usual ** (1 / Math.sqrt(this.#effort)) : usual;
  }

  get #mostJudgedOne(): number {
    if (this.#kind.scale === 'window') return mostJudged.one * this.#effort;
    return Math.min(mostJudged.one, mostPassedOver / (this.#requests + 1)) * this.#effort;
  }

  get #mostJudgedTwo(): number {
    return this.#isWindowGiven
      ? phaseEffort(this.#kind, 0, this.#requests).mostJudged
      : mostJudged.two * this.#effort;
  }

  get #requests(): number {
    return this.#views.reduce((sum, { trace }) => sum + trace.length, 0);
  }

  /** The scales to begin with, and what any phase leaves of the limit. */
  #possible(scales: Span): { readonly scale: Span; readonly within: LimitRange }[] {
    return logarithmic(scales, this.#firstRatio).flatMap((scale) => {
      const range = new LimitRange();
      if (this.#refillNs !== undefined) {
        const boundary = this.#phases(scale);
        return this.#judge({ scale, boundary }).map((cell) => ({ scale, within: cell.range }));
      }
      for (const view of this.#views) {
        // It saves steps over many windows, and one window is searched in full.
        if (range.isEmpty || this.#isWindowGiven) break;
        range.base = view.base;
        this.#kind.narrowAnyPhase?.(view, scale, range);
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
    const finestNs = this.#isWindowGiven
      ? phaseEffort(this.#kind, scale.hiNs, this.#requests).finestNs
      : Math.max(finestUsefulNs, this.#period(scale) / 4_096);
    if (Math.max(scaleCosts, phaseCosts) <= finestNs) return [cell];
    return scaleCosts > phaseCosts
      ? halves(scale).flatMap((half) => this.#judge({ scale: half, boundary }, range))
      : halves(boundary).flatMap((half) => this.#judge({ scale, boundary: half }, range));
  }

  /** By how much a boundary at either end of the trace moves with the window's length. */
  #reach(scale: Span): number {
    if (this.#refillNs !== undefined) return this.#refillNs / scale.loNs;
    return Math.max(1, this.#lengthNs / scale.loNs / 2);
  }

  #parts(scale: Span, vagueness: number): number {
    if (this.#refillNs !== undefined) return 1;
    return Math.max(1, Math.ceil((widthOf(scale) * this.#reach(scale)) / (vagueness * scale.loNs)));
  }

  #period(scale: Span): number {
    return this.#refillNs ?? scale.hiNs;
  }

  /** Phases are measured from the middle, where a wrong length of the window shifts both ends least. */
  #phases(scale: Span): Span {
    const middleNs = this.#firstNs + this.#lengthNs / 2;
    return { loNs: middleNs, hiNs: middleNs + this.#period(scale) };
  }

  /** `within`: the limits for which a box around this one may explain everything. */
  #judge(box: Box, within?: LimitRange, thoroughness: Thoroughness = 'critical'): Cell[] {
    const range = Object.assign(new LimitRange(), within);
    const required = this.#isWindowGiven ? 'every' : thoroughness;
    narrowInBox(this.#views, this.#kind, { ...this.#ticking(box), range }, required);
    this.#judged++;
    const cell = { scale: box.scale, boundary: box.boundary, range };
    if (range.isEmpty) {
      this.#remember(cell);
      return [];
    }
    return isDegenerate(this.#kind, cell) ? [] : [cell];
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
function isDegenerate({ period }: LimiterKind, { scale, range }: Cell): boolean {
  return typeof period === 'number' && scale.hiNs * range.max < degenerateBelow * period;
}

function halves(span: Span): Span[] {
  return evenly(span, 2);
}
