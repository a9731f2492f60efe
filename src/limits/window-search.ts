import { type BoxSearch, searchBoxes } from './box-search.ts';
import { phaseEffort } from './cells.ts';
import type { LimiterKind } from './kinds/kind.ts';
import { LimitFromAdmissions, LimitFromRefusals, LimitRange } from './limit-range.ts';
import { evenly, exactly, type Span } from './span.ts';
import type { View } from './view.ts';

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
export function narrowInWindow(view: View, kind: LimiterKind, windowNs: number, range: LimitRange): void {
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
export function leastOverPhases(
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
