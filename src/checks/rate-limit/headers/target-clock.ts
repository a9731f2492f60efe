import type { Span } from '../../../limits/span.ts';
import type { SentRequests } from '../../../sent/columns.ts';
import { clockOffsetIn } from '../../../sent/traces.ts';

/**
 * What the target's clock may have shown at the run's zero, nanoseconds since 1970: by its `Date` headers, and by the
 * clock of the harness give or take `skewMs`. Both, since limiter and `Date` may go by different clocks.
 */
export function targetClock(sent: SentRequests, zeroEpochMs: number, skewMs: number): Span {
  const byDate = clockOffsetIn(sent);
  const loNs = (zeroEpochMs - skewMs) * 1e6;
  const hiNs = (zeroEpochMs + skewMs) * 1e6;
  return { loNs: Math.min(loNs, byDate?.loNs ?? loNs), hiNs: Math.max(hiNs, byDate?.hiNs ?? hiNs) };
}
