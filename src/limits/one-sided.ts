import { type Algorithm, candidatesFor } from './candidates.ts';
import type { PromisedLimit } from './fit.ts';
import { LimitFromAdmissions, LimitFromRefusals } from './limit-range.ts';
import { type Model, modelsOf } from './models.ts';
import { leastOverPhases } from './phase-search.ts';
import type { Trace } from './trace.ts';

/**
 * The least limit with which any candidate can have admitted what was admitted, if that is more than promised. It
 * proves that too much passed, even if no candidate explains everything. Undefined otherwise.
 */
export function admissionsNeedOver(
  trace: Trace,
  promised: PromisedLimit,
  algorithm?: Algorithm,
): number | undefined {
  return leastOverCandidates({ trace, promised, algorithm, enough: promised.requests }, (narrow) => {
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
  const least = leastOverCandidates({ trace, promised, algorithm, enough: -promised.requests }, (narrow) => {
    const range = new LimitFromRefusals();
    narrow(range);
    return -range.max;
  });
  return least === undefined ? undefined : -least;
}

type Narrow = (range: LimitFromAdmissions | LimitFromRefusals) => void;

interface OneSided {
  readonly trace: Trace;
  readonly promised: PromisedLimit;
  readonly algorithm: Algorithm | undefined;
  /** A bound up to this is none. */
  readonly enough: number;
}

/** The least bound over all candidates and phases, if it is over `enough`. */
function leastOverCandidates(
  { algorithm, enough, promised, trace }: OneSided,
  boundOf: (narrow: Narrow) => number,
): number | undefined {
  const models = modelsOf(trace, candidatesFor(algorithm), promised.windowNs);
  let least = Number.POSITIVE_INFINITY;
  // Those without a phase to search first: one that has room ends the question cheaply.
  for (const model of models.toSorted((a, b) => Number(isPhased(a)) - Number(isPhased(b)))) {
    const bound =
      model.kind === 'direct'
        ? boundOf(model.narrow)
        : leastOverPhases(promised.windowNs, model.bounds, enough, (loNs, hiNs) =>
            boundOf((range) => model.judge(loNs, hiNs, range)),
          );
    least = Math.min(least, bound);
    if (least <= enough) return undefined;
  }
  return Number.isFinite(least) ? least : undefined;
}

function isPhased(model: Model): boolean {
  return model.kind === 'phased';
}
