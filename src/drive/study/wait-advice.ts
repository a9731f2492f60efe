import type { IncomingHttpHeaders } from 'node:http';

/** A reset further away than this many seconds is a date, not a wait. */
const longestWaitS = 86_400;

/**
 * How long a refusal says to wait, in milliseconds: by `Retry-After` (RFC 9110 10.2.3: seconds or a date), which takes
 * precedence, else by the reset of a rate-limit header of any draft. Undefined when nothing does. `nowEpochMs`: by the
 * target's own `Date` where it sends one.
 */
export function adviceOf(headers: IncomingHttpHeaders, nowEpochMs: number): number | undefined {
  const serverMs = headers.date === undefined ? Number.NaN : Date.parse(headers.date);
  const fromMs = Number.isNaN(serverMs) ? nowEpochMs : serverMs;
  const retryAfter = headers['retry-after'];
  if (retryAfter !== undefined) return waitMs(retryAfter.trim(), fromMs);
  for (const name of ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']) {
    const value = headers[name];
    if (typeof value === 'string') return waitMs(value.trim(), fromMs);
  }
  const combined = headers.ratelimit;
  const reset = typeof combined === 'string' ? /(?:\breset=|;\s*t=)(\d+)/.exec(combined)?.[1] : undefined;
  return reset === undefined ? undefined : waitMs(reset, fromMs);
}

function waitMs(text: string, fromEpochMs: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) {
    const value = Number(text);
    if (value <= longestWaitS) return value * 1e3;
    return (value > 1e11 ? value : value * 1e3) - fromEpochMs;
  }
  // A date without its zone is none: Date.parse finds a year in almost any words.
  const dateMs = /GMT|Z$|[+-]\d\d:?\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs - fromEpochMs;
}
