import type { Algorithm, LimiterKind, PromisedLimit } from './kinds/kind.ts';
import { promisable } from './kinds/table.ts';
import { LimitFromAdmissions, LimitFromRefusals, type LimitRange } from './limit-range.ts';
import type { Trace } from './trace.ts';
import { bytes } from './typed.ts';
import { viewOf } from './view.ts';
import { leastOverPhases, narrowInWindow } from './window-search.ts';

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
  for (const kind of promisable(algorithm).toSorted((a, b) => Number(hasPhase(a)) - Number(hasPhase(b)))) {
    const bound = hasPhase(kind)
      ? leastOverPhases(view, kind, { windowNs, enough }, boundOf)
      : boundOf((range) => narrowInWindow(view, kind, windowNs, range));
    least = Math.min(least, bound);
    if (least <= enough) return undefined;
  }
  return Number.isFinite(least) ? least : undefined;
}

function hasPhase({ period }: LimiterKind): boolean {
  return period !== undefined;
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
