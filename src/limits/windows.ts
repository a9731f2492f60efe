import { clockSlackNs } from './slack.ts';
import { countUpTo } from './sorted.ts';
import { ambiguous, type Trace } from './trace.ts';

/**
 * Consecutive windows of a limiter that resets its count: window k begins at an instant within [beginLo[k], beginHi[k]]
 * and ends within [endLo[k], endHi[k]]. Nanoseconds on the trace's clock.
 */
export interface Windows {
  readonly length: number;
  readonly beginLo: Float64Array;
  readonly beginHi: Float64Array;
  readonly endLo: Float64Array;
  readonly endHi: Float64Array;
}

/** How many windows of `windowNs` it takes to cover the trace, whatever the phase. */
function windowsToCover(trace: Trace, windowNs: number): number {
  const first = trace.sentNs[0] ?? 0;
  const last = trace.sentNs[trace.length - 1] ?? 0;
  return Math.ceil((last - first) / windowNs) + 2;
}

/**
 * Windows on a fixed grid whose phase (offset after the trace's first request, 0 ≤ phase < W) lies anywhere in
 * [phaseLoNs, phaseHiNs].
 */
export function griddedWindows(
  trace: Trace,
  windowNs: number,
  phaseLoNs: number,
  phaseHiNs: number,
): Windows {
  const length = windowsToCover(trace, windowNs);
  const first = trace.sentNs[0] ?? 0;
  // The phase is free, so the clocks' rates can only pull the grid apart by half of the trace's length either way.
  const slackNs = clockSlackNs((length * windowNs) / 2);
  const lo = Float64Array.from(
    { length: length + 1 },
    (_, k) => first + (k - 1) * windowNs + phaseLoNs - slackNs,
  );
  const hi = lo.map((beginNs) => beginNs + phaseHiNs - phaseLoNs + 2 * slackNs);
  return {
    length,
    beginLo: lo.subarray(0, length),
    beginHi: hi.subarray(0, length),
    endLo: lo.subarray(1),
    endHi: hi.subarray(1),
  };
}

/**
 * Windows that each begin with the first request after the previous one ran out. Which request that was may be
 * uncertain; the interval then reaches from the first that may have opened it to the first that surely came after.
 */
export function windowsOpenedByRequests(trace: Trace, windowNs: number): Windows {
  const slackNs = clockSlackNs(windowNs);
  const beginLo: number[] = [];
  const beginHi: number[] = [];
  let openLo = trace.sentNs[0] ?? 0;
  let openHi = firstSureArrival(trace, Number.NEGATIVE_INFINITY);
  const latestAnswered = runningMaximum(trace.answeredNs);
  while (openLo < Number.POSITIVE_INFINITY) {
    beginLo.push(openLo);
    beginHi.push(openHi);
    const ranOutLo = openLo + windowNs - slackNs;
    const ranOutHi = openHi + windowNs + slackNs;
    openLo = firstPossibleArrival(trace, latestAnswered, ranOutLo);
    openHi = Math.max(openLo, firstSureArrival(trace, ranOutHi));
  }
  return {
    length: beginLo.length,
    beginLo: Float64Array.from(beginLo),
    beginHi: Float64Array.from(beginHi),
    endLo: Float64Array.from(beginLo, (ns) => ns + windowNs - slackNs),
    endHi: Float64Array.from(beginHi, (ns) => ns + windowNs + slackNs),
  };
}

/** The earliest instant >= `afterNs` at which any request may have arrived; infinite if none may. */
function firstPossibleArrival(trace: Trace, latestAnswered: Float64Array, afterNs: number): number {
  // A request sent before `afterNs` may still have arrived at it; the running maximum tells without a search.
  const sentBefore = countUpTo(trace.sentNs, afterNs);
  if (sentBefore > 0 && (latestAnswered[sentBefore - 1] as number) >= afterNs) return afterNs;
  return trace.sentNs[sentBefore] ?? Number.POSITIVE_INFINITY;
}

/** The earliest instant by which some request sent at or after `fromNs` had surely arrived; infinite if none had. */
function firstSureArrival(trace: Trace, fromNs: number): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (let i = countUpTo(trace.sentNs, fromNs); i < trace.length; i++) {
    if ((trace.sentNs[i] as number) > earliest) break;
    if (trace.outcome[i] !== ambiguous) earliest = Math.min(earliest, trace.answeredNs[i] as number);
  }
  return earliest;
}

function runningMaximum(values: Float64Array): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  return values.map((value) => {
    most = Math.max(most, value);
    return most;
  });
}
