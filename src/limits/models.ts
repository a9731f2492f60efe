import type { Candidate } from './candidates.ts';
import { counterWindows } from './counter-windows.ts';
import type { LimitRange } from './limit-range.ts';
import { openedWindows } from './opened-windows.ts';
import type { JudgePhases, SearchBounds } from './phase-search.ts';
import { finestUsefulNs } from './slack.ts';
import { narrowBySlidingCounter } from './sliding-counter.ts';
import { narrowBySlidingLog } from './sliding-log.ts';
import { exactly, type Span } from './span.ts';
import { narrowByTokenBucket } from './token-bucket.ts';
import type { Trace } from './trace.ts';
import { type View, viewOf } from './view.ts';
import { griddedWindows } from './windows.ts';

/** A candidate made ready for one trace: either its phase is open and has to be searched, or it has none. */
export type Model =
  | { readonly kind: 'phased'; readonly judge: JudgePhases; readonly bounds: SearchBounds }
  | { readonly kind: 'direct'; readonly narrow: (range: LimitRange) => void };

/** Counting in a window costs O(log n) a phase, so phases are told apart as finely as round trips last. */
const countingParts = 16_384;
/** Weighing costs O(n) a phase; a 2,048th of a window at the limit is half a request. */
const weighingParts = 2_048;
/** The most load intervals in a search with weighing: about a third of a second of work. */
const mostWeighed = 3e7;

/** Prepares a candidate for a trace. */
export function modelOf(view: View, candidate: Candidate, windowNs: number): Model {
  const window = exactly(windowNs);
  const { trace } = view;
  const boundary = (loNs: number, hiNs: number): Span => phaseAfterFirst(trace, loNs, hiNs);
  switch (candidate.algorithm) {
    case 'fixed-window': {
      if (candidate.windows === 'first-request') {
        const windows = openedWindows(view, window, 'opening');
        return { kind: 'direct', narrow: (range) => view.fixedWindow.narrow(windows, range) };
      }
      return {
        kind: 'phased',
        judge: (loNs, hiNs, range) =>
          view.fixedWindow.narrow(griddedWindows(trace, window, boundary(loNs, hiNs)), range),
        bounds: { finestNs: Math.max(finestUsefulNs, windowNs / countingParts), mostJudged: countingParts },
      };
    }
    case 'sliding-counter': {
      const kind = { counted: candidate.counted, blocks: false };
      if (candidate.windows === 'first-request') {
        const windows = counterWindows(view, window, candidate.counted);
        return {
          kind: 'direct',
          narrow: (range) => narrowBySlidingCounter(view, { kind, windows, window }, range, view.every),
        };
      }
      return {
        kind: 'phased',
        judge: (loNs, hiNs, range) => {
          const windows = griddedWindows(trace, window, boundary(loNs, hiNs));
          narrowBySlidingCounter(view, { kind, windows, window }, range, view.every);
        },
        bounds: {
          finestNs: Math.max(finestUsefulNs, windowNs / weighingParts),
          mostJudged: mostWeighed / (trace.length + 1),
        },
      };
    }
    case 'sliding-log':
      return {
        kind: 'direct',
        narrow: (range) =>
          narrowBySlidingLog(view, { counted: candidate.counted, window }, range, view.every),
      };
    case 'token-bucket':
      return {
        kind: 'direct',
        narrow: (range) => narrowByTokenBucket(trace, view.admittedCounts, windowNs, range),
      };
  }
}

/** Prepares a trace once for several candidates. */
export function modelsOf(trace: Trace, candidates: readonly Candidate[], windowNs: number): readonly Model[] {
  const view = viewOf(trace);
  return candidates.map((candidate) => modelOf(view, candidate, windowNs));
}

function phaseAfterFirst(trace: Trace, loNs: number, hiNs: number): Span {
  const first = trace.sentNs[0] ?? 0;
  return { loNs: first + loNs, hiNs: first + hiNs };
}
