import { type Candidate, candidates } from './candidates.ts';
import { freeRunMismatches } from './free-run.ts';
import { LimitRange } from './limit-range.ts';
import { modelOf } from './models.ts';
import { type PhaseSearch, searchPhases } from './phase-search.ts';
import { admitted, countOutcome, limited, type Trace } from './trace.ts';
import { type View, viewOf } from './view.ts';

/** A limit that a target is held to. */
export interface PromisedLimit {
  readonly requests: number;
  readonly windowNs: number;
}

/** A trace's result for one candidate. Plain data that can be serialised (an infinite `max` is left out). */
export interface CandidateFit {
  readonly candidate: Candidate;
  /** The limits for which the candidate explains every answer (the hull over phases); absent when it is refuted. */
  readonly limits?: { readonly min: number; readonly max?: number };
  /** The candidate explains every answer at exactly the promised limit and window. */
  readonly fitsPromise: boolean;
  /** For windows on a grid: a phase that fits, nanoseconds after the trace's first request. */
  readonly phaseNs?: number;
  /**
   * Indexes in the trace of the admission and the rejection that bound the limit most tightly, or contradict each
   * other.
   */
  readonly tightest: { readonly admission?: number; readonly refusal?: number };
  /** Answers that differ when the candidate decides for itself, at the promised limit if that fits; absent when refuted. */
  readonly mismatches?: number;
}

/** A trace's results for all candidates, in the order of `candidates`. */
export interface LimiterFit {
  readonly promised: PromisedLimit;
  readonly requests: number;
  readonly admitted: number;
  readonly limited: number;
  readonly candidates: readonly CandidateFit[];
}

/** Judges candidates against the trace. 20,000 requests against every candidate take well under 3 s. */
export function fitLimiters(
  trace: Trace,
  promised: PromisedLimit,
  chosen: readonly Candidate[] = candidates,
): LimiterFit {
  return {
    promised,
    requests: trace.length,
    admitted: countOutcome(trace, admitted),
    limited: countOutcome(trace, limited),
    candidates: chosen.length === 0 ? [] : fitCandidates(viewOf(trace), chosen, promised),
  };
}

function fitCandidates(view: View, chosen: readonly Candidate[], promised: PromisedLimit): CandidateFit[] {
  return chosen.map((candidate) => fitCandidate(view, candidate, promised));
}

function fitCandidate(view: View, candidate: Candidate, promised: PromisedLimit): CandidateFit {
  const { range, nearest, fitsPromise, phaseNs } = search(view, candidate, promised);
  const { min, max, isEmpty } = range;
  const limit = fitsPromise ? promised.requests : Number.isFinite(max) ? Math.floor((min + max) / 2) : min;
  const tightest = isEmpty ? nearest : range;
  return {
    candidate,
    ...(isEmpty
      ? {}
      : {
          limits: { min, ...(Number.isFinite(max) ? { max } : {}) },
          mismatches: freeRunMismatches(view.trace, candidate, {
            limit,
            windowNs: promised.windowNs,
            phaseNs: phaseNs ?? 0,
          }),
        }),
    fitsPromise,
    ...(phaseNs === undefined ? {} : { phaseNs }),
    tightest: {
      ...(tightest.minSetBy < 0 ? {} : { admission: tightest.minSetBy }),
      ...(tightest.maxSetBy < 0 ? {} : { refusal: tightest.maxSetBy }),
    },
  };
}

function search(view: View, candidate: Candidate, promised: PromisedLimit): PhaseSearch {
  const { requests, windowNs } = promised;
  const model = modelOf(view, candidate, windowNs);
  if (model.kind === 'phased') return searchPhases(windowNs, model.bounds, requests, model.judge);
  const range = new LimitRange();
  model.narrow(range);
  return { range, nearest: range, fitsPromise: range.includes(requests), phaseNs: undefined };
}
