/** Limiters of the foreign service: each written from its textbook definition, none shared with the product. */
export type ForeignLimiterName = 'sliding-log' | 'fixed-window' | 'sliding-counter' | 'token-bucket';

/** A limit of this many requests in a window. */
export interface Limit {
  readonly requests: number;
  readonly windowMs: number;
}

/**
 * Takes one request at `nowMs`: how many more would pass at once and when the count restarts, or the wait in ms.
 */
export type ForeignLimiter = (
  nowMs: number,
) => { readonly remaining: number; readonly resetMs?: number } | { readonly waitMs: number };

export function foreignLimiter(name: ForeignLimiterName, limit: Limit): ForeignLimiter {
  switch (name) {
    case 'sliding-log':
      return slidingLog(limit);
    case 'fixed-window':
      return fixedWindow(limit);
    case 'sliding-counter':
      return slidingCounter(limit);
    case 'token-bucket':
      return tokenBucket(limit);
  }
}

/** No more than the limit in any trailing window. Refused requests are not logged. */
function slidingLog({ requests, windowMs }: Limit): ForeignLimiter {
  const log: number[] = [];
  return (nowMs) => {
    while ((log[0] ?? nowMs) <= nowMs - windowMs) log.shift();
    if (log.length >= requests) return { waitMs: (log[0] ?? nowMs) + windowMs - nowMs };
    log.push(nowMs);
    return { remaining: requests - log.length };
  };
}

/** A counter that starts anew at every multiple of the window on the wall clock. */
function fixedWindow({ requests, windowMs }: Limit): ForeignLimiter {
  let window = -1;
  let count = 0;
  return (nowMs) => {
    const current = Math.floor(nowMs / windowMs);
    if (current !== window) count = 0;
    window = current;
    if (count >= requests) return { waitMs: (current + 1) * windowMs - nowMs };
    count++;
    return { remaining: requests - count, resetMs: (current + 1) * windowMs - nowMs };
  };
}

/** The current window's count plus the share of the last one's that a trailing window still covers. */
function slidingCounter({ requests, windowMs }: Limit): ForeignLimiter {
  const counts = new Map<number, number>();
  return (nowMs) => {
    const current = Math.floor(nowMs / windowMs);
    const intoMs = nowMs % windowMs;
    const own = counts.get(current) ?? 0;
    const last = counts.get(current - 1) ?? 0;
    const weighed = own + last * (1 - intoMs / windowMs);
    if (weighed + 1 > requests) {
      // Within this window once the last one weighs little enough, else in the next, once this one does.
      const isFull = own + 1 > requests;
      const freeAtMs = isFull
        ? windowMs * (2 - (requests - 1) / own)
        : windowMs * (1 - (requests - 1 - own) / last);
      return { waitMs: freeAtMs - intoMs };
    }
    counts.set(current, own + 1);
    return { remaining: Math.floor(requests - weighed - 1) };
  };
}

/** A bucket that holds the limit and is refilled evenly within the window. */
function tokenBucket({ requests, windowMs }: Limit): ForeignLimiter {
  let tokens = requests;
  let atMs: number | undefined;
  return (nowMs) => {
    tokens = Math.min(requests, tokens + ((nowMs - (atMs ?? nowMs)) * requests) / windowMs);
    atMs = nowMs;
    if (tokens < 1) return { waitMs: ((1 - tokens) * windowMs) / requests };
    tokens -= 1;
    return { remaining: Math.floor(tokens) };
  };
}
