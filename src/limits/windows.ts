import { clockSlackNs } from './slack.ts';
import type { Span } from './span.ts';
import type { Trace } from './trace.ts';

/**
 * Consecutive windows of a limiter that resets its count: window k begins at an instant within [beginLo[k], beginHi[k]]
 * and ends within [endLo[k], endHi[k]]. Nanoseconds on the trace's clock. Plain arrays: a search makes windows by the
 * hundred thousand, and a typed array costs more to make than a few windows to fill in. `begin…` may hold an instant more.
 */
export interface Windows {
  readonly length: number;
  readonly beginLo: readonly number[];
  readonly beginHi: readonly number[];
  readonly endLo: readonly number[];
  readonly endHi: readonly number[];
}

/**
 * Windows on a fixed grid: one of its boundaries lies within `boundary`, the others a window's length apart from it.
 * The first window begins before the trace's first request, the last ends after its last.
 */
export function griddedWindows(trace: Trace, window: Span, boundary: Span): Windows {
  const first = trace.sentNs[0] ?? 0;
  const last = trace.sentNs[trace.length - 1] ?? 0;
  const before = Math.ceil((boundary.hiNs - first) / window.loNs) + 1;
  const length = Math.max(1, before + Math.ceil((last - boundary.loNs) / window.loNs) + 1);
  const lo: number[] = [];
  const hi: number[] = [];
  // The boundary is free, so the clocks' rates can only pull the grid apart by half of the trace's length either way.
  const slackNs = clockSlackNs((length * window.hiNs) / 2);
  for (let steps = -before; steps <= length - before; steps++) {
    const isEarlier = steps < 0;
    lo.push(boundary.loNs + steps * (isEarlier ? window.hiNs : window.loNs) - slackNs);
    hi.push(boundary.hiNs + steps * (isEarlier ? window.loNs : window.hiNs) + slackNs);
  }
  // Each window ends where the next one begins.
  return { length, beginLo: lo, beginHi: hi, endLo: lo.slice(1), endHi: hi.slice(1) };
}
