import type { LimiterInference } from '../../../limits/inference.ts';
import { type ProbeScale, scaleOf } from '../../../limits/probes.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';

/** Kinds less likely than this do not scale probes. */
const leastLikely = 0.02;
/** Probes keep to the promised limit or window if the found one is within this factor of it. */
const near = { limit: 2, window: 1.5 };
const shortestWindowMs = 1_000;

/** Probes are scaled to the promised limit and window, unless the answers rule both out; bounded in count and time. */
export function probeScale(inference: LimiterInference | undefined, promised: RateLimit): ProbeScale {
  const asPromised = { limit: promised.requests, windowMs: promised.windowMs };
  const likely = (inference?.survivors ?? []).filter(({ confidence }) => confidence > leastLikely);
  const [best] = likely;
  if (best === undefined || best.limit === null || best.windowMs === null) return asPromised;
  const isNear = likely.some(
    ({ limit, windowMs }) =>
      limit !== null &&
      windowMs !== null &&
      within(limit / promised.requests, near.limit) &&
      within(windowMs / promised.windowMs, near.window),
  );
  if (isNear) return asPromised;
  const scale = scaleOf(best);
  return {
    limit: Math.min(scale.limit, 2 * promised.requests),
    windowMs: Math.min(Math.max(scale.windowMs, shortestWindowMs), 2 * promised.windowMs),
  };
}

function within(ratio: number, factor: number): boolean {
  return ratio <= factor && ratio >= 1 / factor;
}
