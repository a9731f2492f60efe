import { type Algorithm, type Candidate, candidates } from './candidates.ts';
import { countsOf } from './counts.ts';
import { FixedWindowModel } from './fixed-window.ts';
import { freeRunMismatches } from './free-run.ts';
import { LimitFromAdmissions, LimitFromRefusals, LimitRange } from './limit-range.ts';
import { type JudgePhases, leastOverPhases, searchPhases } from './phase-search.ts';
import { SlidingCounterModel } from './sliding-counter.ts';
import { narrowBySlidingLog } from './sliding-log.ts';
import { narrowByTokenBucket } from './token-bucket.ts';
import { admitted, countOutcome, limited, type Trace } from './trace.ts';
import { griddedWindows, windowsOpenedByRequests } from './windows.ts';

/** A limit that a target is held to. */
export interface PromisedLimit {
  readonly requests: number;
  readonly windowNs: number;
}

/** What a trace says about one candidate. Plain data: it serialises as it stands (an infinite `max` is left out). */
export interface CandidateFit {
  readonly algorithm: Algorithm;
  readonly name: string;
  readonly candidate: Candidate;
  /** The limits for which the candidate explains every answer (the hull over phases); absent when it is refuted. */
  readonly limits?: { readonly min: number; readonly max?: number };
  /** The candidate explains every answer at exactly the promised limit and window. */
  readonly fitsPromise: boolean;
  /** For windows on a grid: a phase that fits, nanoseconds after the trace's first request. */
  readonly phaseNs?: number;
  /** The least limit that lets it admit what was admitted, whatever was refused. */
  readonly admissionsNeedAtLeast: number;
  /** The largest limit that lets it refuse what was refused, whatever was admitted; absent when nothing was refused. */
  readonly refusalsAllowAtMost?: number;
  /** Indexes in the trace of the admission and the refusal that bound the limit most tightly, or contradict each other. */
  readonly tightest: { readonly admission?: number; readonly refusal?: number };
  /** Answers that differ when the candidate decides for itself, at the promised limit if that fits; absent when refuted. */
  readonly mismatches?: number;
}

/** What a trace says about all candidates, in the order of `candidates`. */
export interface LimiterFit {
  readonly promised: PromisedLimit;
  readonly requests: number;
  readonly admitted: number;
  readonly limited: number;
  readonly candidates: readonly CandidateFit[];
}

/** How fine the phase is searched, as parts of a window: as fine as round trips for counting, and for weighing, which costs O(n) a phase, coarser. */
const countingParts = 16_384;
const weighingParts = 2_048;

/** Judges every candidate (or those of one algorithm) against the trace. 20,000 requests take well under 3 s. */
export function fitLimiters(trace: Trace, promised: PromisedLimit, algorithm?: Algorithm): LimiterFit {
  const chosen = candidates.filter((each) => algorithm === undefined || each.algorithm === algorithm);
  return {
    promised,
    requests: trace.length,
    admitted: countOutcome(trace, admitted),
    limited: countOutcome(trace, limited),
    candidates: chosen.map((candidate) => fitCandidate(trace, candidate, promised)),
  };
}

function fitCandidate(trace: Trace, candidate: Candidate, promised: PromisedLimit): CandidateFit {
  const { requests, windowNs } = promised;
  const onGrid = candidate.windows === 'grid';
  const found = onGrid ? fitOnGrid(trace, candidate, promised) : fitDirectly(trace, candidate, promised);
  const { range, fitsPromise, phaseNs } = found;
  const tightest = range.isEmpty ? found.nearest : range;
  const limit = fitsPromise
    ? requests
    : Number.isFinite(range.max)
      ? Math.floor((range.min + range.max) / 2)
      : range.min;
  return {
    algorithm: candidate.algorithm,
    name: candidate.name,
    candidate,
    ...(range.isEmpty
      ? {}
      : {
          limits: { min: range.min, ...(Number.isFinite(range.max) ? { max: range.max } : {}) },
          mismatches: freeRunMismatches(trace, candidate, limit, windowNs, phaseNs ?? 0),
        }),
    fitsPromise,
    ...(phaseNs === undefined ? {} : { phaseNs }),
    admissionsNeedAtLeast: found.admissionsNeedAtLeast,
    ...(Number.isFinite(found.refusalsAllowAtMost) ? { refusalsAllowAtMost: found.refusalsAllowAtMost } : {}),
    tightest: {
      ...(tightest.minSetBy < 0 ? {} : { admission: tightest.minSetBy }),
      ...(tightest.maxSetBy < 0 ? {} : { refusal: tightest.maxSetBy }),
    },
  };
}

interface Found {
  readonly range: LimitRange;
  readonly nearest: LimitRange;
  readonly fitsPromise: boolean;
  readonly phaseNs?: number | undefined;
  readonly admissionsNeedAtLeast: number;
  readonly refusalsAllowAtMost: number;
}

function fitDirectly(trace: Trace, candidate: Candidate, promised: PromisedLimit): Found {
  const range = new LimitRange();
  if (candidate.algorithm === 'fixed-window') {
    new FixedWindowModel(trace).narrow(windowsOpenedByRequests(trace, promised.windowNs), range);
  } else {
    const narrow = candidate.algorithm === 'sliding-log' ? narrowBySlidingLog : narrowByTokenBucket;
    narrow(trace, countsOf(trace, candidate.counted), promised.windowNs, range);
  }
  return {
    range,
    nearest: range,
    fitsPromise: range.includes(promised.requests),
    admissionsNeedAtLeast: range.min,
    refusalsAllowAtMost: range.max,
  };
}

function fitOnGrid(trace: Trace, candidate: Candidate, promised: PromisedLimit): Found {
  const { requests, windowNs } = promised;
  const parts = candidate.algorithm === 'fixed-window' ? countingParts : weighingParts;
  const judge = gridJudge(trace, candidate, windowNs);
  const found = searchPhases(windowNs, parts, requests, judge);
  if (found.fitsPromise) {
    return { ...found, admissionsNeedAtLeast: found.range.min, refusalsAllowAtMost: found.range.max };
  }
  const admissionsNeedAtLeast = leastOverPhases(windowNs, parts, (loNs, hiNs) => {
    const range = new LimitFromAdmissions();
    judge(loNs, hiNs, range);
    return range.min;
  });
  const refusalsAllowAtMost = -leastOverPhases(windowNs, parts, (loNs, hiNs) => {
    const range = new LimitFromRefusals();
    judge(loNs, hiNs, range);
    return -range.max;
  });
  return { ...found, admissionsNeedAtLeast, refusalsAllowAtMost };
}

function gridJudge(trace: Trace, candidate: Candidate, windowNs: number): JudgePhases {
  if (candidate.algorithm === 'fixed-window') {
    const model = new FixedWindowModel(trace);
    return (loNs, hiNs, range) => model.narrow(griddedWindows(trace, windowNs, loNs, hiNs), range);
  }
  const model = new SlidingCounterModel(trace, candidate.counted);
  return (loNs, hiNs, range) => model.narrow(griddedWindows(trace, windowNs, loNs, hiNs), windowNs, range);
}
