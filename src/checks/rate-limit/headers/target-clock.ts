import { clockOffsetFrom } from '../../../limits/clock-offset.ts';
import type { Span } from '../../../limits/span.ts';
import type { SentRequest } from '../streams.ts';

/**
 * What the target's clock may have shown at the run's zero, nanoseconds since 1970: by its `Date` headers, and by the
 * clock of the harness give or take `skewMs`. Both, since limiter and `Date` may go by different clocks.
 */
export function targetClock(sent: readonly SentRequest[], zeroEpochMs: number, skewMs: number): Span {
  const byDate = clockOffsetFrom(
    sent.flatMap(({ sent_ns, answered_ns, status, server_date_ms }) =>
      status === null || server_date_ms === null
        ? []
        : [{ sentNs: sent_ns, answeredNs: answered_ns, dateEpochMs: server_date_ms }],
    ),
  );
  const loNs = (zeroEpochMs - skewMs) * 1e6;
  const hiNs = (zeroEpochMs + skewMs) * 1e6;
  return { loNs: Math.min(loNs, byDate?.loNs ?? loNs), hiNs: Math.max(hiNs, byDate?.hiNs ?? hiNs) };
}
