import { type Changes, type Defect, plant } from '../alterations.ts';
import { limiterPerKey } from '../limiters.ts';
import type { Approach, RateLimiter } from '../parts.ts';

/** R7. */
const nodes = 2;
/** R20: the number of keys whose requests are remembered. */
const rememberedKeys = 2;

/** How many requests are admitted, and which requests share a limit. */
export const limitDefects: readonly Defect[] = [
  // The limiter decides and its headers are sent, but no request is rejected.
  plant('R1', 1, 'There is no rate limit', {
    rateLimiter: ({ take }) => ({
      take: async (approach) => ({ ...(await take(approach)), admitted: true }),
    }),
  }),

  plant('R2', 2, 'Only 90 % of the promised rate is admitted', {
    rateLimiter: limitOf((requests) => (9 * requests) / 10),
  }),

  // A `<=` for a `<`.
  plant('R3', 3, 'One request more than the limit is admitted', {
    rateLimiter: limitOf((requests) => requests + 1),
  }),

  // Counted before it is compared. A limit of 1 stays as it is.
  plant('R3-', 3, 'One request fewer than the limit is admitted', {
    rateLimiter: limitOf((requests) => requests - 1),
  }),

  // A fixed window in place of a trailing one. A defect only of a service that promises a trailing window.
  plant('R5', 3, 'Twice the limit is admitted around the boundary of two windows', {
    options: (options) => ({ ...options, limiter: 'fixed-window' }),
  }),

  // Behind a balancer that takes turns: with two nodes, twice the limit in all.
  plant('R7', 4, `Each of ${nodes} nodes counts separately`, {
    rateLimiter(limiter) {
      let requests = 0;
      return bucketed(limiter, ({ caller }) => `${caller.keyLabel} on node ${requests++ % nodes}`);
    },
  }),

  plant('R9', 2, "The limit is per caller's address, not per key", {
    rateLimiter: (limiter) => bucketed(limiter, ({ remoteAddress }) => remoteAddress),
  }),

  plant('R10', 2, 'All keys share one limit', {
    rateLimiter: (limiter) => bucketed(limiter, () => 'everybody'),
  }),

  plant('R11', 2, 'Each endpoint has a separate limit', {
    rateLimiter: (limiter) => bucketed(limiter, ({ caller, endpoint }) => `${caller.keyLabel} ${endpoint}`),
  }),

  // A header that any caller can invent decides on the bucket.
  plant('R12', 2, 'A new X-Forwarded-For header gets a new limit', {
    rateLimiter: (limiter) =>
      bucketed(limiter, ({ caller, forwardedFor = '' }) => `${caller.keyLabel} for ${forwardedFor}`),
  }),

  // One route was added without the limiter.
  plant('R13', 2, 'GET /analytics/sessions spends no limit and is never rejected', {
    rateLimiter: ({ take }, { rateLimit }) => ({
      take: (approach) =>
        approach.endpoint === 'GET /v1/analytics/sessions'
          ? { admitted: true, remaining: rateLimit.requests, moreInMs: rateLimit.windowMs }
          : take(approach),
    }),
  }),

  // A gateway in front has a separate limit, a fifth above the promised rate.
  plant('R24', 2, 'A second limit lets too few requests pass within a second', {
    rateLimiter({ take }, options) {
      const { requests, windowMs } = options.rateLimit;
      const rateLimit = {
        requests: Math.ceil((1.2 * requests * 1_000) / windowMs),
        windowMs: 1_000,
      };
      const inFront = limiterPerKey({ ...options, rateLimit });
      return {
        take: async (approach) => {
          const passed = await inFront.take(approach);
          return passed.admitted ? take(approach) : passed;
        },
      };
    },
  }),

  // A key without a bucket starts with a full one. Invalid keys take places too, so any caller can evict another's bucket.
  plant('R20', 4, `The limiter forgets all keys except the last ${rememberedKeys}`, {
    parts({ authenticator, rateLimiter, ...parts }) {
      const bucketOf = leastRecentlyUsed();
      return {
        ...parts,
        rateLimiter: bucketed(rateLimiter, ({ caller }) => bucketOf(caller.keyLabel)),
        authenticator: {
          identify(apiKey, endpoint) {
            const caller = authenticator.identify(apiKey, endpoint);
            if (caller === undefined && apiKey !== undefined) bucketOf(`unknown ${apiKey}`);
            return caller;
          },
        },
      };
    },
  }),
];

/** The limiter admits another number of requests than the headers say. */
function limitOf(requestsOf: (requests: number) => number): NonNullable<Changes['rateLimiter']> {
  return (_limiter, options) => {
    const requests = Math.max(1, Math.floor(requestsOf(options.rateLimit.requests)));
    return limiterPerKey({ ...options, rateLimit: { ...options.rateLimit, requests } });
  };
}

/** Each request spends from the bucket of this name. Without a defect, that is the label of its key. */
function bucketed({ take }: RateLimiter, nameOf: (approach: Approach) => string): RateLimiter {
  return {
    take: (approach) => take({ ...approach, caller: { ...approach.caller, keyLabel: nameOf(approach) } }),
  };
}

/** Names the bucket of a key; another one each time that the key had to be forgotten in between. */
function leastRecentlyUsed(): (key: string) => string {
  // A Map keeps the order in which its keys were set.
  const buckets = new Map<string, string>();
  let made = 0;
  return (key) => {
    const bucket = buckets.get(key) ?? `bucket ${++made}`;
    buckets.delete(key);
    buckets.set(key, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > rememberedKeys && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  };
}

/** R21: how long a request to the store of the counters takes. */
const roundTripMs = 20;
/** R23: a request that has waited this long is rejected. */
const longestHoldMs = 30_000;

/** What happens to a request over the limit, and what its answer says. */
export const refusalDefects: readonly Defect[] = [
  // A key that goes on sending while it is rejected is never admitted again.
  plant('R6', 3, 'Each rejected request extends the block by a window', {
    rateLimiter({ take }, { clock, rateLimit: { windowMs } }) {
      const blockedUntilMs = new Map<string, number>();
      return {
        async take(approach) {
          const { keyLabel } = approach.caller;
          const nowMs = clock.monotonicMs();
          const isBlocked = nowMs < (blockedUntilMs.get(keyLabel) ?? 0);
          const decision = isBlocked ? undefined : await take(approach);
          if (decision?.admitted) return decision;
          blockedUntilMs.set(keyLabel, nowMs + windowMs);
          return { admitted: false, remaining: 0, moreInMs: windowMs };
        },
      };
    },
  }),

  plant('R15', 2, 'Retry-After is in milliseconds', {
    answer(reply) {
      const seconds = reply.getHeader('retry-after');
      if (seconds !== undefined) reply.header('retry-after', Number(seconds) * 1_000);
    },
  }),

  plant('R15-epoch', 2, 'Retry-After is an instant, in seconds since 1970', {
    answer(reply, { clock }) {
      const seconds = reply.getHeader('retry-after');
      if (seconds !== undefined)
        reply.header('retry-after', Math.ceil(clock.wallMs() / 1_000) + Number(seconds));
    },
  }),

  // Every answer has the headers of a key that has sent nothing. Retry-After stays right.
  plant('R17', 3, 'The remaining and reset headers never change', {
    answer(reply, { rateLimit }) {
      if (!reply.hasHeader('ratelimit-remaining')) return;
      reply.header('ratelimit-remaining', rateLimit.requests);
      reply.header('ratelimit-reset', Math.ceil(rateLimit.windowMs / 1_000));
    },
  }),

  // The default of nginx's limit_req.
  plant('R18', 2, 'The rate limit answers 503 instead of 429', {
    answer(reply) {
      if (reply.statusCode === 429) reply.code(503);
    },
  }),

  // A counter loses its expiry when two requests reach its store at the end of a window: one still finds the old window
  // full, the other starts the new one. (INCR and EXPIRE as two commands: redis/redis#4548.)
  plant('R21', 4, 'Two concurrent requests at the end of a window lock the key out for ever', {
    rateLimiter({ take }, { clock, rateLimit }) {
      const refusedMs = new Map<string, number>();
      const withoutExpiry = new Set<string>();
      return {
        async take(approach) {
          const { keyLabel } = approach.caller;
          if (withoutExpiry.has(keyLabel)) {
            return { admitted: false, remaining: 0, moreInMs: rateLimit.windowMs };
          }
          const nowMs = clock.monotonicMs();
          const decision = await take(approach);
          if (!decision.admitted) refusedMs.set(keyLabel, nowMs);
          else if (nowMs - (refusedMs.get(keyLabel) ?? Number.NEGATIVE_INFINITY) <= roundTripMs) {
            withoutExpiry.add(keyLabel);
          }
          return decision;
        },
      };
    },
  }),

  // A caller over the limit learns only that answers come late. nginx's limit_req does so by default.
  plant('R23', 3, 'Requests over the limit are delayed instead of rejected', {
    rateLimiter: ({ take }, { clock }) => ({
      async take(approach) {
        const giveUpMs = clock.monotonicMs() + longestHoldMs;
        for (;;) {
          const decision = await take(approach);
          const patienceMs = giveUpMs - clock.monotonicMs();
          if (decision.admitted || patienceMs <= 0) return decision;
          await clock.pause(Math.min(decision.moreInMs, patienceMs));
        }
      },
    }),
  }),
];
