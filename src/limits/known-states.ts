import { type Cell, searchBoxes, usualRequests } from './box-search.ts';
import type { Between, KnownBox, LimiterKind, StateAfter } from './kinds/kind.ts';
import type { Span } from './span.ts';
import type { View } from './view.ts';

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
    else boxes[boxes.length - 1] = hull(last, box);
  }
  return boxes;
}

function hull(a: KnownBox, b: KnownBox): KnownBox {
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
