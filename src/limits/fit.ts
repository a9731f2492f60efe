import { arrivalsOf, mismatches } from './arrivals.ts';
import { searchBoxes } from './box-search.ts';
import { type Cell, usualRequests } from './cells.ts';
import { isNear } from './inference.ts';
import {
  type Between,
  type KnownBox,
  keyOf,
  type Likeness,
  type LimiterKind,
  LimitRange,
  type PromisedLimit,
  type StateAfter,
  scaleNsOf,
} from './kinds/kind.ts';
import { deciderOf, kinds, promisable } from './kinds/table.ts';
import { exactly, type Span } from './span.ts';
import { admitted, countOutcome, limited, type Trace } from './trace.ts';
import { type View, viewOf } from './view.ts';
import { searchWindow } from './window-search.ts';

/** A trace's result for one candidate (an infinite `max` is left out). */
export interface CandidateFit {
  readonly candidate: LimiterKind;
  /** The limits for which the candidate explains every answer (the hull over phases); absent when it is refuted. */
  readonly limits?: { readonly min: number; readonly max?: number };
  /** The candidate explains every answer at exactly the promised limit and window. */
  readonly fitsPromise: boolean;
  /** It does only where a window happens to begin at the right moment; wherever else one may begin, another limit explains them. */
  readonly isByChance: boolean;
  /**
   * Indexes in the trace of the admission and the rejection that bound the limit most tightly, or contradict each
   * other.
   */
  readonly tightest: { readonly admission?: number; readonly refusal?: number };
  /** Answers that differ when the candidate decides for itself, at the promised limit if that fits; absent when refuted. */
  readonly mismatches?: number;
}

/** A trace's results for all candidates, in the order in which they were given. */
export interface LimiterFit {
  readonly admitted: number;
  readonly limited: number;
  readonly candidates: readonly CandidateFit[];
}

/** Judges candidates against the trace, with the window given and the limit open. 20,000 requests against every candidate take well under 3 s. */
export function fitLimiters(
  trace: Trace,
  promised: PromisedLimit,
  candidates: readonly LimiterKind[] = promisable(undefined),
): LimiterFit {
  const view = candidates.length === 0 ? undefined : viewOf(trace);
  return {
    admitted: countOutcome(trace, admitted),
    limited: countOutcome(trace, limited),
    candidates: view === undefined ? [] : candidates.map((each) => fitOne(view, each, promised)),
  };
}

function fitOne(view: View, candidate: LimiterKind, promised: PromisedLimit): CandidateFit {
  const { cells, nearest } = searchWindow(view, candidate, promised.windowNs);
  const fitting = cells.filter(({ range }) => range.includes(promised.requests));
  const fitsPromise = fitting.length > 0;
  const possible = fitsPromise ? fitting : cells;
  const limits = hull(cells.map(({ range }) => range));
  const tightest = limits ?? nearest?.range;
  return {
    candidate,
    ...(limits === undefined
      ? {}
      : {
          limits: { min: limits.min, ...(Number.isFinite(limits.max) ? { max: limits.max } : {}) },
          mismatches: freeRun(
            view.trace,
            candidate,
            fitsPromise ? promised : { ...promised, requests: middleOf(limits) },
            possible[possible.length >> 1]?.boundary,
          ),
        }),
    fitsPromise,
    isByChance: fitting.length < cells.length && likelyPart > partOf(view.trace, candidate, promised, cells),
    tightest: {
      ...(tightest === undefined || tightest.minSetBy < 0 ? {} : { admission: tightest.minSetBy }),
      ...(tightest === undefined || tightest.maxSetBy < 0 ? {} : { refusal: tightest.maxSetBy }),
    },
  };
}

/** What is right in a smaller part of all cases is right by chance. */
const likelyPart = 0.05;
const mostTried = 24;

/** In what part of the places where its windows may begin the candidate gives nearly all answers by itself, at the promised limit. */
function partOf(
  trace: Trace,
  candidate: LimiterKind,
  promised: PromisedLimit,
  cells: readonly Cell[],
): number {
  const fitting = cells.filter(({ range }) => range.includes(promised.requests));
  const tried = fitting.filter((_, at) => at % Math.ceil(fitting.length / mostTried) === 0);
  const right = tried.filter(({ boundary }) =>
    isNear(freeRun(trace, candidate, promised, boundary), trace.length),
  );
  return ((right.length / Math.max(1, tried.length)) * fitting.length) / cells.length;
}

function middleOf({ min, max }: LimitRange): number {
  return Number.isFinite(max) ? Math.floor((min + max) / 2) : min;
}

/** The smallest range that holds all of these; undefined without any. */
function hull(ranges: readonly LimitRange[]): LimitRange | undefined {
  const [first, ...others] = ranges;
  if (first === undefined) return undefined;
  const whole = Object.assign(new LimitRange(), first);
  for (const range of others) {
    if (range.min < whole.min) Object.assign(whole, { min: range.min, minSetBy: range.minSetBy });
    if (range.max > whole.max) Object.assign(whole, { max: range.max, maxSetBy: range.maxSetBy });
  }
  return whole;
}

/**
 * Lets a candidate with fitted parameters decide, with each request halfway through its round trip, and counts the
 * answers that differ. Judged step by step, a candidate can excuse each rejection; running free, it cannot. Arrivals are
 * guessed, so this ranks and proves nothing.
 */
function freeRun(
  trace: Trace,
  kind: LimiterKind,
  { requests: limit, windowNs }: PromisedLimit,
  boundary: Span | undefined,
): number {
  const boundaryNs = boundary === undefined ? 0 : (boundary.loNs + boundary.hiNs) / 2;
  const settled = { kind: keyOf(kind), limit, scaleNs: scaleNsOf(kind, limit, windowNs), boundaryNs };
  return mismatches(arrivalsOf(trace), deciderOf(settled));
}

/**
 * Whether rejections extend the window: nothing was admitted within a window after any rejection, and something was
 * admitted later. No honest limiter does that: under steady load it never admits anything again.
 */
export function isExtendedByRefusals(trace: Trace, { windowNs }: { readonly windowNs: number }): boolean {
  const { admitted, refusals } = viewOf(trace);
  const waitedNs = Array.from(
    admitted.index,
    (i, at) => (admitted.answeredNs[at] as number) - (refusals.surelyBeforeNs[i] as number),
  ).filter(Number.isFinite);
  return waitedNs.length > 0 && waitedNs.every((ns) => ns >= windowNs);
}

/**
 * Looks for a limiter beyond the kinds of `fitLimiters` that keeps to the promised limit and explains the trace: the
 * `likenesses` of each kind. Only if there is none does a trace prove a broken promise. A window extended by
 * rejections is none: under steady load it never admits anything again. `isRejectedBelow`: some request was rejected
 * that no kind may reject at the promised limit.
 */
export function honestLikeness(
  trace: Trace,
  promised: PromisedLimit,
  isRejectedBelow: boolean,
): Likeness | undefined {
  const view = viewOf(trace);
  for (const kind of kinds) {
    const found = kind
      .likenesses?.(promised, view.block)
      .find((likeness) => !(isRejectedBelow && likeness.mayRejectBelow) && fits(view, kind, likeness));
    if (found !== undefined) return found;
  }
  return undefined;
}

function fits(view: View, kind: LimiterKind, likeness: Likeness): boolean {
  const { scaleNs, limits, clockTickNs = 0, withCoarser = false } = likeness;
  return [kind, ...(withCoarser ? (kind.coarser ?? []) : [])].some((each) => {
    const { cells } = searchBoxes([view], each, exactly(scaleNs), { clockTickNs });
    return cells.some(({ range }) => limits.some((limit) => range.includes(limit)));
  });
}

/** A kind of limiter with some of its parameters given. */
export interface KnownLimiter {
  readonly kind: LimiterKind;
  /** The window's length; of a bucket, the time that a token takes to come. */
  readonly scale: Span;
  /** Limits that are possible at all. */
  readonly limits: Between;
  /** Parameters have to explain the trace by this limit, too. */
  readonly including?: number;
  /** Places where windows may begin are told apart down to this part of a window: each costs as much as the first. */
  readonly finestPart: number;
}

/**
 * The states that a limiter can have been in, for each place where its windows may begin; none where no parameters explain
 * the trace. `beside`: other keys, each with a separate count in the same windows.
 */
export function knownStates(
  view: View,
  { kind, scale, limits, including, finestPart }: KnownLimiter,
  beside: readonly View[] = [],
): StateAfter[] {
  const views = [view, ...beside];
  const requests = views.reduce((sum, { trace }) => sum + trace.length, 0);
  const effort = Math.min(1, usualRequests / (requests + 1));
  for (const each of [kind, ...(kind.coarser ?? [])]) {
    const { cells } = searchBoxes(views, each, scale, { effort });
    const possible = cells.filter(
      ({ range }) =>
        range.min <= limits.most &&
        range.max >= limits.least &&
        (including === undefined || range.includes(including)),
    );
    if (possible.length > 0)
      return together(possible, limits, finestPart).map((box) => each.states(view, box));
  }
  return [];
}

/** Cells whose boundaries touch become one, up to this part of a window: a wider box allows more. */
function together(cells: readonly Cell[], limits: Between, togetherPart: number): KnownBox[] {
  const boxes: KnownBox[] = [];
  const start = ({ boundary }: Cell): number => boundary?.loNs ?? 0;
  for (const { scale, boundary, range } of cells.toSorted((a, b) => start(a) - start(b))) {
    const box: KnownBox = {
      scale,
      boundary,
      limits: { least: Math.max(range.min, limits.least), most: Math.min(range.max, limits.most) },
    };
    const last = boxes.at(-1);
    const isApart =
      last?.boundary !== undefined &&
      boundary !== undefined &&
      (boundary.loNs > last.boundary.hiNs || boundary.hiNs - last.boundary.loNs > togetherPart * scale.hiNs);
    if (last === undefined || isApart) boxes.push(box);
    else boxes[boxes.length - 1] = around(last, box);
  }
  return boxes;
}

function around(a: KnownBox, b: KnownBox): KnownBox {
  const span = (x: Span, y: Span): Span => ({
    loNs: Math.min(x.loNs, y.loNs),
    hiNs: Math.max(x.hiNs, y.hiNs),
  });
  return {
    scale: span(a.scale, b.scale),
    boundary: a.boundary === undefined || b.boundary === undefined ? undefined : span(a.boundary, b.boundary),
    limits: {
      least: Math.min(a.limits.least, b.limits.least),
      most: Math.max(a.limits.most, b.limits.most),
    },
  };
}
