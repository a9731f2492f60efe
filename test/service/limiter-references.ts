import type { LimiterName, RequestLimit } from '../../src/service/options.ts';

/**
 * What each algorithm means, written for obviousness: from all admitted instants (whole milliseconds) it decides on
 * one more request at `nowMs`. Fractions are BigInt ratios, so nothing is rounded.
 */
export type Reference = (limit: RequestLimit, admittedMs: readonly number[], nowMs: number) => boolean;

export const references: Readonly<Record<LimiterName, Reference>> = {
  'fixed-window': ({ requests, windowMs }, admittedMs, nowMs) => {
    // A window opens with the first request after the one before it: walk through them all.
    let openedMs = Number.NEGATIVE_INFINITY;
    let inWindow = 0;
    for (const atMs of admittedMs) {
      if (atMs >= openedMs + windowMs) {
        openedMs = atMs;
        inWindow = 0;
      }
      inWindow++;
    }
    return nowMs >= openedMs + windowMs || inWindow < requests;
  },

  'sliding-log': ({ requests, windowMs }, admittedMs, nowMs) =>
    admittedMs.filter((atMs) => atMs > nowMs - windowMs).length < requests,

  'sliding-counter': ({ requests, windowMs }, admittedMs, nowMs) => {
    const windowOf = (atMs: number): number => Math.floor(atMs / windowMs);
    const countIn = (window: number): bigint =>
      BigInt(admittedMs.filter((atMs) => windowOf(atMs) === window).length);
    const leftOfWindow = BigInt(windowMs - (nowMs % windowMs));
    const window = BigInt(windowMs);
    const usedTimesWindow = countIn(windowOf(nowMs)) * window + countIn(windowOf(nowMs) - 1) * leftOfWindow;
    return usedTimesWindow + window <= BigInt(requests) * window;
  },

  'token-bucket': ({ requests, windowMs }, admittedMs, nowMs) => {
    // GCRA: each request books windowMs/requests of time; one may be booked ahead by all but one of those.
    const times = BigInt(requests);
    const interval = BigInt(windowMs);
    let bookedUntil: bigint | undefined;
    for (const atMs of admittedMs) {
      const at = BigInt(atMs) * times;
      bookedUntil = (bookedUntil === undefined || bookedUntil < at ? at : bookedUntil) + interval;
    }
    return bookedUntil === undefined || bookedUntil - interval * (times - 1n) <= BigInt(nowMs) * times;
  },
};
