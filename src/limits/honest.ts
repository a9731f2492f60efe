import { searchBoxes } from './box-search.ts';
import type { Likeness, LimiterKind, PromisedLimit } from './kinds/kind.ts';
import { kinds } from './kinds/table.ts';
import { exactly } from './span.ts';
import type { Trace } from './trace.ts';
import { type View, viewOf } from './view.ts';

/**
 * Looks for a limiter beyond the kinds of `fitLimiters` that keeps to the promised limit and explains the trace: the
 * `likenesses` of each kind. Only if there is none does a trace prove a broken promise. A window extended by
 * rejections is none: under steady load it never admits anything again.
 */
export function honestLikeness(trace: Trace, promised: PromisedLimit): Likeness | undefined {
  const view = viewOf(trace);
  for (const kind of kinds) {
    const found = kind.likenesses?.(promised, view.block).find((likeness) => fits(view, kind, likeness));
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
