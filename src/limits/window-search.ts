import { bytes } from './arrays.ts';
import { type BoxSearch, searchBoxes } from './box-search.ts';
import { phaseEffort } from './cells.ts';
import {
  type Algorithm,
  type LimiterKind,
  LimitFromAdmissions,
  LimitFromRefusals,
  LimitRange,
  type PromisedLimit,
} from './kinds/kind.ts';
import { promisable } from './kinds/table.ts';
import { evenly, exactly, type Span } from './span.ts';
import type { Trace } from './trace.ts';
import { type View, viewOf } from './view.ts';

/** The search where the window is given: which limits explain a trace, by any phase. */
export function searchWindow(view: View, kind: LimiterKind, windowNs: number): BoxSearch {
  if (kind.scale === 'window') return searchBoxes([view], kind, exactly(windowNs), { isWindowGiven: true });
  const range = new LimitRange();
  narrowInWindow(view, kind, windowNs, range);
  const cell = { scale: exactly(windowNs), boundary: undefined, range };
  return { cells: range.isEmpty ? [] : [cell], nearest: cell, isCutShort: false };
}

/**
 * Narrows `range` to the limits of a kind without a phase that explain the trace. The time for a token follows from
 * the limit; where no limit explains the trace, the kind's coarser arithmetic is tried.
 */
function narrowInWindow(view: View, kind: LimiterKind, windowNs: number, range: LimitRange): void {
  if (kind.scale === 'window') {
    kind.narrow(view, { scale: exactly(windowNs), boundary: undefined }, range, 'every');
    return;
  }
  const exact = limitsByToken(view, kind, windowNs);
  const [coarser] = kind.coarser ?? [];
  const found = exact.isEmpty && coarser !== undefined ? limitsByToken(view, coarser, windowNs) : exact;
  range.atLeast(found.min, found.minSetBy);
  range.atMost(found.max, found.maxSetBy);
}

/**
 * A bucket whose burst is the limit L, refilled at L per window. A larger L means a lower level and a higher brim. So
 * admissions bound L from below and rejections from above; bisection finds both bounds.
 */
function limitsByToken(view: View, kind: LimiterKind, windowNs: number): LimitRange {
  const narrowed = (limit: number, range: LimitRange): LimitRange => {
    const scale = exactly(windowNs / limit);
    kind.narrow(view, { scale, boundary: undefined }, range, 'every');
    return range;
  };
  const byAdmissions = (limit: number): LimitRange => narrowed(limit, new LimitFromAdmissions());
  const byRefusals = (limit: number): LimitRange => narrowed(limit, new LimitFromRefusals());
  const range = new LimitRange();
  const most = view.trace.length + 1;
  const least = firstWhere(1, most, (limit) => byAdmissions(limit).min <= limit);
  range.atLeast(least, byAdmissions(Math.max(1, least - 1)).minSetBy);
  const tooMuch = firstWhere(1, most + 1, (limit) => byRefusals(limit).max < limit);
  if (tooMuch <= most) range.atMost(tooMuch - 1, byRefusals(tooMuch).maxSetBy);
  return range;
}

/** The first whole number in [from, to) for which `holds`, which then holds for all later ones; else `to`. */
function firstWhere(from: number, to: number, holds: (value: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const coarsePhases = 64;

/**
 * The least bound over all phases of a given window, if a box of phases has a lower one than any of them. Depth first,
 * and done as soon as the answer is known to be at most `enough`.
 */
function leastOverPhases(
  view: View,
  kind: LimiterKind,
  { windowNs, enough }: { readonly windowNs: number; readonly enough: number },
  boundOf: (narrow: (range: LimitRange) => void) => number,
): number {
  const { finestNs, mostJudged } = phaseEffort(kind, windowNs, view.trace.length);
  const scale = exactly(windowNs);
  let least = Number.POSITIVE_INFINITY;
  let judged = 0;
  const visit = (boundary: Span): void => {
    if (least <= enough) return;
    const bound = boundOf((range) => kind.narrow(view, { scale, boundary }, range, 'every'));
    judged++;
    if (bound >= least) return;
    if (boundary.hiNs - boundary.loNs <= finestNs || judged > mostJudged) least = bound;
    else evenly(boundary, 2).forEach(visit);
  };
  const firstNs = view.trace.sentNs[0] ?? 0;
  evenly({ loNs: firstNs, hiNs: firstNs + windowNs }, coarsePhases).forEach(visit);
  return least;
}

/**
 * The least limit with which any candidate can have admitted what was admitted, if that is more than promised. It
 * proves that too much passed, even if no candidate explains everything. Undefined otherwise.
 */
export function admissionsNeedOver(
  trace: Trace,
  promised: PromisedLimit,
  algorithm?: Algorithm,
): number | undefined {
  return leastOverCandidates(trace, algorithm, { ...promised, enough: promised.requests }, (narrow) => {
    const range = new LimitFromAdmissions();
    narrow(range);
    return range.min;
  });
}

/**
 * The largest limit with which any candidate can have rejected what was rejected, if that is less than promised. It
 * proves a wrong rejection. Undefined otherwise.
 */
export function refusalsNeedUnder(
  trace: Trace,
  promised: PromisedLimit,
  algorithm?: Algorithm,
): number | undefined {
  const least = leastOverCandidates(
    trace,
    algorithm,
    { ...promised, enough: -promised.requests },
    (narrow) => {
      const range = new LimitFromRefusals();
      narrow(range);
      return -range.max;
    },
  );
  return least === undefined ? undefined : -least;
}

/** The least bound over all candidates and phases, if it is over `enough`. */
function leastOverCandidates(
  trace: Trace,
  algorithm: Algorithm | undefined,
  { enough, windowNs }: PromisedLimit & { readonly enough: number },
  boundOf: (narrow: (range: LimitRange) => void) => number,
): number | undefined {
  const view = viewOf(trace);
  let least = Number.POSITIVE_INFINITY;
  // Those without a phase to search first: one that has room ends the question cheaply.
  for (const kind of promisable(algorithm).toSorted(
    (a, b) => (a.period === undefined ? 0 : 1) - (b.period === undefined ? 0 : 1),
  )) {
    const bound =
      kind.period !== undefined
        ? leastOverPhases(view, kind, { windowNs, enough }, boundOf)
        : boundOf((range) => narrowInWindow(view, kind, windowNs, range));
    least = Math.min(least, bound);
    if (least <= enough) return undefined;
  }
  return Number.isFinite(least) ? least : undefined;
}

/**
 * For each request, 1 if some honest limiter of the promised limit could have rejected it. Each kind gets the reading
 * that is easiest on the target: rejected requests count, the phase with the highest load, every uncertain request
 * came before. 0 means a wrong rejection, for every limiter.
 */
export function refusalsPermitted(trace: Trace, promised: PromisedLimit, algorithm?: Algorithm): Uint8Array {
  const view = viewOf(trace);
  // Kinds of one family share the easiest reading.
  const readings = new Set(promisable(algorithm).flatMap(({ mayRefuse }) => mayRefuse ?? []));
  const permitting = Array.from(readings, (mayRefuse) => mayRefuse(view, promised));
  return bytes(trace.length, (i) => (permitting.some((permits) => permits(i)) ? 1 : 0));
}
