import type { IncomingHttpHeaders } from 'node:http';

/** A reset further away than this many seconds is a date, not a wait. */
const longestWaitS = 86_400;

/** How long to wait. */
export interface WaitAdvice {
  readonly waitMs: number;
  /** Calculated from an instant of some clock, not stated as a duration. */
  readonly isByClock: boolean;
}

/**
 * How long a rejection says to wait: `Retry-After` (RFC 9110 10.2.3: seconds or a date), else the reset of a
 * rate-limit header of any draft. Undefined if neither is there. `nowEpochMs`: from the target's `Date` if it sends
 * one.
 */
export function adviceOf(headers: IncomingHttpHeaders, nowEpochMs: number): WaitAdvice | undefined {
  const serverMs = headers.date === undefined ? Number.NaN : Date.parse(headers.date);
  const fromMs = Number.isNaN(serverMs) ? nowEpochMs : serverMs;
  const retryAfter = headers['retry-after'];
  if (retryAfter !== undefined) return adviceIn(retryAfter.trim(), fromMs);
  for (const name of ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']) {
    const value = headers[name];
    if (typeof value === 'string') return adviceIn(value.trim(), fromMs);
  }
  const combined = headers.ratelimit;
  const reset = typeof combined === 'string' ? /(?:\breset=|;\s*t=)(\d+)/.exec(combined)?.[1] : undefined;
  return reset === undefined ? undefined : adviceIn(reset, fromMs);
}

function adviceIn(text: string, fromEpochMs: number): WaitAdvice | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) {
    const value = Number(text);
    if (value <= longestWaitS) return { waitMs: value * 1e3, isByClock: false };
    return { waitMs: (value > 1e11 ? value : value * 1e3) - fromEpochMs, isByClock: true };
  }
  // A date without a zone is not a date: Date.parse finds a year in almost any text.
  const dateMs = /GMT|Z$|[+-]\d\d:?\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : { waitMs: dateMs - fromEpochMs, isByClock: true };
}
