import type { Span } from './span.ts';

/** An answer's `Date` header with the instants between which it was written. */
export interface DateSample {
  readonly sentNs: number;
  readonly answeredNs: number;
  /** Whole seconds, as milliseconds since 1970. */
  readonly dateEpochMs: number;
}

/**
 * Bounds the target's clock: its nanoseconds since 1970 at zero of the traces' clock. A `Date` (RFC 9110 6.6.1) is
 * cut to whole seconds, so the clock was within a second after it between sending and answer. Undefined without
 * samples or if they contradict each other (several machines, or a clock that was set).
 */
export function clockOffsetFrom(samples: Iterable<DateSample>): Span | undefined {
  let loNs = Number.NEGATIVE_INFINITY;
  let hiNs = Number.POSITIVE_INFINITY;
  for (const { sentNs, answeredNs, dateEpochMs } of samples) {
    loNs = Math.max(loNs, dateEpochMs * 1e6 - answeredNs);
    hiNs = Math.min(hiNs, (dateEpochMs + 1_000) * 1e6 - sentNs);
  }
  return Number.isFinite(loNs) && loNs <= hiNs ? { loNs, hiNs } : undefined;
}
