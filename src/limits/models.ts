import type { Candidate } from './candidates.ts';
import { countsOf } from './counts.ts';
import { FixedWindowModel } from './fixed-window.ts';
import type { LimitRange } from './limit-range.ts';
import type { JudgePhases, SearchBounds } from './phase-search.ts';
import { SlidingCounterModel } from './sliding-counter.ts';
import { narrowBySlidingLog } from './sliding-log.ts';
import { narrowByTokenBucket } from './token-bucket.ts';
import type { Trace } from './trace.ts';
import { griddedWindows, windowsOpenedByRequests } from './windows.ts';

/** A candidate made ready for one trace: either its phase is open and has to be searched, or it has none. */
export type Model =
  | { readonly kind: 'phased'; readonly judge: JudgePhases; readonly bounds: SearchBounds }
  | { readonly kind: 'direct'; readonly narrow: (range: LimitRange) => void };

/** Counting in a window costs O(log n) a phase, so phases are told apart as finely as round trips last. */
const countingParts = 16_384;
/** Weighing costs O(n) a phase; a 2,048th of a window at the limit is half a request. */
const weighingParts = 2_048;
/** Phases closer together than the slack that clocks are given cannot be told apart. */
const finestUsefulNs = 5e6;
/** Load intervals reckoned in a search by weighing, at most: about a third of a second's worth. */
const mostWeighed = 3e7;

/** Prepares a candidate for a trace. */
export function modelOf(trace: Trace, candidate: Candidate, windowNs: number): Model {
  switch (candidate.algorithm) {
    case 'fixed-window': {
      const model = new FixedWindowModel(trace);
      if (candidate.windows === 'first-request') {
        const windows = windowsOpenedByRequests(trace, windowNs);
        return { kind: 'direct', narrow: (range) => model.narrow(windows, range) };
      }
      return {
        kind: 'phased',
        judge: (loNs, hiNs, range) => model.narrow(griddedWindows(trace, windowNs, loNs, hiNs), range),
        bounds: { finestNs: Math.max(finestUsefulNs, windowNs / countingParts), mostJudged: countingParts },
      };
    }
    case 'sliding-counter': {
      const model = new SlidingCounterModel(trace, candidate.counted);
      return {
        kind: 'phased',
        judge: (loNs, hiNs, range) =>
          model.narrow(griddedWindows(trace, windowNs, loNs, hiNs), windowNs, range),
        bounds: {
          finestNs: Math.max(finestUsefulNs, windowNs / weighingParts),
          mostJudged: mostWeighed / (trace.length + 1),
        },
      };
    }
    case 'sliding-log':
    case 'token-bucket': {
      const counts = countsOf(trace, candidate.counted);
      const narrow = candidate.algorithm === 'sliding-log' ? narrowBySlidingLog : narrowByTokenBucket;
      return { kind: 'direct', narrow: (range) => narrow(trace, counts, windowNs, range) };
    }
  }
}
