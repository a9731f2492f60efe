import { continuousRefill, intervalRefill } from './refill.ts';
import { clockRateError, clockReadingNs, clockSlackNs } from './slack.ts';
import type { Span } from './span.ts';
import { anyTime, type Between, leftAfter, noneLeft, type StateAfter } from './state.ts';
import { levelBounds, tokenNoise } from './token-bucket.ts';
import { limited } from './trace.ts';
import type { View } from './view.ts';

/**
 * States of a bucket: a place is free once enough tokens have come that at most its burst less one are missing.
 */
export function stateInBucket(view: View, interval: Span, grain: number, limits: Between): StateAfter {
  const refill = continuousRefill(interval, grain);
  const shortestNs = interval.loNs / (1 + clockRateError);
  const longestNs = 1 / Math.max(Number.MIN_VALUE, (1 - clockRateError) / interval.hiNs - grain / 1e9);
  return stateByLevel(view, levelBounds(view.trace, view.admittedCounts, refill), limits, {
    soonestNs: (missing, _sentNs, answeredNs) => answeredNs + missing * shortestNs - clockReadingNs,
    latestNs: (missing, sentNs) => sentNs + missing * longestNs + clockReadingNs,
    nextNs: () => Number.NEGATIVE_INFINITY,
  });
}

/** States of a bucket with interval refill: one token's share of the interval, the interval, and the instant of one refill. */
export function stateInIntervalRefill(
  view: View,
  {
    share: interval,
    everyNs,
    refillAt,
  }: { readonly share: Span; readonly everyNs: number; readonly refillAt: Span },
  limits: Between,
): StateAfter {
  const { trace } = view;
  const traceNs = (trace.sentNs[trace.length - 1] ?? 0) - (trace.sentNs[0] ?? 0);
  const refill = intervalRefill(interval, everyNs, refillAt, traceNs);
  const slackNs = clockSlackNs(traceNs / 2);
  const firstNs = refillAt.loNs - slackNs;
  const lastNs = refillAt.hiNs + slackNs;
  const after = (fromNs: number, ns: number, refills: number): number =>
    fromNs + (Math.floor((ns - fromNs) / everyNs) + refills) * everyNs;
  return stateByLevel(view, levelBounds(trace, view.admittedCounts, refill), limits, {
    soonestNs: (missing, _sentNs, answeredNs) =>
      after(firstNs, answeredNs, Math.ceil((missing * interval.loNs) / everyNs)),
    latestNs: (missing, sentNs) => after(lastNs, sentNs, Math.ceil((missing * interval.hiNs) / everyNs)),
    // The first that may not have come when the request was sent.
    nextNs: (sentNs) => Math.max(sentNs, after(lastNs, sentNs, 1) - (lastNs - firstNs)),
  });
}

/** When this many missing tokens have come. */
interface Coming {
  readonly soonestNs: (missing: number, sentNs: number, answeredNs: number) => number;
  readonly latestNs: (missing: number, sentNs: number, answeredNs: number) => number;
  /** Before this instant nothing came that could have been missing at a rejection. */
  readonly nextNs: (sentNs: number) => number;
}

function stateByLevel(
  { trace }: View,
  { least, most }: { readonly least: Float64Array; readonly most: Float64Array },
  limits: Between,
  { soonestNs, latestNs, nextNs }: Coming,
): StateAfter {
  return (i) => {
    const sentNs = trace.sentNs[i] as number;
    const answeredNs = trace.answeredNs[i] as number;
    const level = { least: least[i] as number, most: most[i] as number };
    const fullNs = latestNs(level.most + 1, sentNs, answeredNs);
    if (trace.outcome[i] !== limited) {
      const left = leftAfter(limits, level);
      return {
        left: { least: left.least - tokenNoise, most: left.most + tokenNoise },
        free: anyTime,
        reset: { loNs: Number.NEGATIVE_INFINITY, hiNs: fullNs },
      };
    }
    const missing = {
      least: level.least - (limits.most - 1) - tokenNoise,
      most: level.most - (limits.least - 1) + tokenNoise,
    };
    const loNs = Math.max(
      nextNs(sentNs),
      missing.least > 0 ? soonestNs(missing.least, sentNs, answeredNs) : Number.NEGATIVE_INFINITY,
    );
    return {
      left: noneLeft,
      free: { loNs, hiNs: Math.max(answeredNs, latestNs(Math.max(0, missing.most), sentNs, answeredNs)) },
      reset: { loNs, hiNs: fullNs },
    };
  };
}
