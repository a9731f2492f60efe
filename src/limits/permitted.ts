import type { Algorithm } from './candidates.ts';
import { type Counts, countsOf } from './counts.ts';
import type { PromisedLimit } from './fit.ts';
import { clockSlackNs } from './slack.ts';
import { mostInTrailingWindow } from './sliding-log.ts';
import { countBelow } from './sorted.ts';
import { bucketMayRefuse } from './token-bucket.ts';
import type { Trace } from './trace.ts';

/** Phases tried for a sliding counter: a part of the window is a second for a minute. */
const phaseParts = 60;

/**
 * For each request, 1 if some honest limiter of the promised limit could have rejected it. Each family gets the
 * reading that is easiest on the target: rejected requests count, the phase with the highest load, every uncertain
 * request came before. 0 means a wrong rejection, for every limiter.
 */
export function refusalsPermitted(trace: Trace, promised: PromisedLimit, algorithm?: Algorithm): Uint8Array {
  const { requests, windowNs } = promised;
  const isPossible = (each: Algorithm): boolean => algorithm === undefined || algorithm === each;
  const everything = countsOf(trace, 'all');
  const permitted = isPossible('token-bucket')
    ? bucketMayRefuse(trace, countsOf(trace, 'admitted'), windowNs, requests)
    : new Uint8Array(trace.length);
  for (let i = 0; i < trace.length; i++) {
    if (permitted[i] === 1) continue;
    // A fixed window of any phase lies within the trailing window, so the log's reading covers it.
    const inWindow = isPossible('fixed-window') || isPossible('sliding-log');
    if (inWindow && mostInTrailingWindow(trace, everything, windowNs, i) >= requests) permitted[i] = 1;
    else if (
      isPossible('sliding-counter') &&
      highestWeighedLoad(trace, everything, windowNs, i) > requests - 1
    )
      permitted[i] = 1;
  }
  return permitted;
}

/** The highest load that a sliding counter of any phase can have seen when request `i` arrived. */
function highestWeighedLoad(trace: Trace, counts: Counts, windowNs: number, i: number): number {
  const sentNs = trace.sentNs[i] as number;
  const before = counts.maybeBefore[i] as number;
  const slackNs = clockSlackNs(windowNs);
  let highest = 0;
  for (let part = 0; part < phaseParts; part++) {
    const beginHi = sentNs - (part / phaseParts) * windowNs + slackNs;
    const beginLo = sentNs - ((part + 1) / phaseParts) * windowNs - slackNs;
    const current = before - countBelow(counts.mayAnsweredNs, beginLo);
    const previous =
      countBelow(counts.maySentNs, beginHi) - countBelow(counts.mayAnsweredNs, beginLo - windowNs - slackNs);
    highest = Math.max(highest, current + (1 - part / phaseParts) * previous);
  }
  return highest;
}
