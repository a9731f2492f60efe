import type { Box, LimiterKind, LimitRange, Thoroughness } from './kinds/kind.ts';
import { finestUsefulNs, type Span } from './span.ts';
import type { View } from './view.ts';

/** A box of parameters that may explain everything, with the limits for which it may. */
export interface Cell extends Box {
  readonly range: LimitRange;
}

/** Above this number of requests, searches take fewer steps, which leaves bounds wider. */
export const usualRequests = 15_000;
/** Requests tested against boxes in the last, thorough round; the other boxes stay. Weighing costs most. */
const mostThorough = { counting: 3e6, weighing: 1e6 };
/**
 * Counting in a given window costs O(log n) a phase, so phases are told apart as finely as round trips last. Weighing
 * costs O(n) a phase; a 2,048th of a window at the limit is half a request.
 */
const countingParts = 16_384;
const weighingParts = 2_048;
/** The most load intervals in a search with weighing: about a third of a second of work. */
const mostWeighed = 3e7;
/** How far the phases of a given window are told apart: in no finer parts than this, and in no more steps than that. */
export function phaseEffort(
  { remembersWindows }: LimiterKind,
  windowNs: number,
  requests: number,
): { readonly finestNs: number; readonly mostJudged: number } {
  const parts = remembersWindows > 1 ? weighingParts : countingParts;
  return {
    finestNs: Math.max(finestUsefulNs, windowNs / parts),
    mostJudged: remembersWindows > 1 ? mostWeighed / (requests + 1) : countingParts,
  };
}

/** Narrows a cell's range to limits for which some of its parameters may explain all traces; stops once it is empty. */
export function narrowInBox(
  views: readonly View[],
  kind: LimiterKind,
  cell: Cell,
  thoroughness: Thoroughness,
): void {
  const { range } = cell;
  for (const view of views) {
    if (range.isEmpty) return;
    range.base = view.base;
    kind.narrow(view, cell, range, thoroughness);
  }
}

/** From the first sending to the last, over all traces. */
export function timeCovered(views: readonly View[]): Span {
  return {
    loNs: Math.min(...views.map(({ trace }) => trace.sentNs[0] ?? 0)),
    hiNs: Math.max(...views.map(({ trace }) => trace.sentNs[trace.length - 1] ?? 0)),
  };
}

/** How many cells of a kind a last, thorough round is worth. */
export function mostThorougher({ remembersWindows }: LimiterKind, requests: number, effort: number): number {
  const costs = remembersWindows > 1 ? 'weighing' : 'counting';
  return (mostThorough[costs] * effort) / (requests + 1);
}
