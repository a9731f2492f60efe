import type { Segment } from '../scenario/load.ts';

/**
 * The instants at which a shape's arrivals are due: arrival k at the time t where the integral of the rate reaches k.
 * With a rate from r₀ to r₁ over D, N(t) = r₀t + (r₁ − r₀)t²/2D, so t = 2k / (r₀ + √(r₀² + 2ak)) with a = (r₁ −
 * r₀)/D. This form of the root does not cancel for small a, and is k/r₀ for a = 0. Slots are absolute, so nothing
 * drifts; a fraction of an arrival at a segment's end carries over. Of each `atOnce` arrivals in turn, all come with the
 * first. @returns nanoseconds since the shape's start, never falling, rounded to the nearest.
 */
export function* slotsNs(segments: readonly Segment[], atOnce = 1): Generator<number> {
  let togetherNs = 0;
  let startMs = 0;
  let done = 0;
  let k = 0;
  for (const { durationMs, fromPerMs, toPerMs } of segments) {
    const total = ((fromPerMs + toPerMs) / 2) * durationMs;
    const slope = durationMs === 0 ? 0 : (toPerMs - fromPerMs) / durationMs;
    // Floating point may give slightly more than a whole number of arrivals; half a millionth of one is none.
    const last = done + total - 5e-7;
    for (; k < last; k++) {
      const within = Math.max(0, k - done);
      const root = Math.sqrt(Math.max(0, fromPerMs * fromPerMs + 2 * slope * within));
      const atMs = within === 0 ? 0 : (2 * within) / (fromPerMs + root);
      if (k % atOnce === 0) togetherNs = Math.round((startMs + atMs) * 1e6);
      yield togetherNs;
    }
    done += total;
    startMs += durationMs;
  }
}

const forgetAfter = 100_000;

/** The most slots of a shape in any window of this length. */
export function mostSlotsWithin(segments: readonly Segment[], windowMs: number, atOnce = 1): number {
  const recent: number[] = [];
  let oldest = 0;
  let most = 0;
  for (const slot of slotsNs(segments, atOnce)) {
    recent.push(slot);
    while ((recent[oldest] ?? slot) <= slot - windowMs * 1e6) oldest++;
    most = Math.max(most, recent.length - oldest);
    // Removes what has left the window, in one step from time to time.
    if (oldest > forgetAfter) {
      recent.splice(0, oldest);
      oldest = 0;
    }
  }
  return most;
}
