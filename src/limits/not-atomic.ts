import type { PromisedLimit } from './kinds/kind.ts';
import { admittedTogether } from './kinds/sliding-log.ts';
import { leastInTrailingWindow, mostInTrailingWindow } from './kinds/trailing-counts.ts';
import { admitted, limited, type Trace } from './trace.ts';
import { viewOf } from './view.ts';

/** More admissions than the limit, where each of them by itself may have met fewer. */
interface PassedTogether {
  /** Admissions in one window beyond the limit, at the most. */
  readonly over: number;
  /** Index in the trace of the admission that completes them. */
  readonly index: number;
}

/**
 * Whether a sliding window of the promised limit explains every answer if requests in flight at the same time do not see
 * each other, and only then: it decides by its count, and counts later.
 */
export function passedTogether(
  trace: Trace,
  { requests, windowNs }: PromisedLimit,
): PassedTogether | undefined {
  const view = viewOf(trace);
  let most = { over: 0, index: -1 };
  for (let i = 0; i < trace.length; i++) {
    if (trace.outcome[i] === admitted) {
      if (leastInTrailingWindow(trace, view.admittedCounts, windowNs, i) >= requests) return undefined;
      const over = admittedTogether(view, windowNs, i) - requests;
      if (over > most.over) most = { over, index: i };
    } else if (trace.outcome[i] === limited) {
      if (mostInTrailingWindow(trace, view.admittedCounts, windowNs, i) < requests) return undefined;
    }
  }
  return most.over > 0 ? most : undefined;
}
