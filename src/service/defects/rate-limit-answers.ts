import { type Alterations, altered, type Pause, timerPause } from '../alterations.ts';
import { type Defect, plant } from './defect.ts';

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

  plant('R23', 3, 'Requests over the limit are delayed instead of rejected', requestsHeld(timerPause)),
];

/** R23. A caller over the limit learns only that answers come late. nginx's limit_req does so by default. */
export function requestsHeld(pause: Pause): Alterations {
  return altered({
    rateLimiter: ({ take }, { clock }) => ({
      async take(approach) {
        const giveUpMs = clock.monotonicMs() + longestHoldMs;
        for (;;) {
          const decision = await take(approach);
          const patienceMs = giveUpMs - clock.monotonicMs();
          if (decision.admitted || patienceMs <= 0) return decision;
          await pause(Math.min(decision.moreInMs, patienceMs));
        }
      },
    }),
  });
}
