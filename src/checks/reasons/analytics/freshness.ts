import { counted, number, range, span, verb } from '../../../amounts.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';

/** A lag that is known within bounds. */
function lagText({ min = 0, max }: Interval): string {
  if (max === undefined) return `over ${number(min)} ms`;
  return min < 1 ? `at most ${number(max)} ms` : `${range({ min, max })} ms`;
}

/** How soon analytics show new sessions. */
export const freshnessReasons = {
  'freshness-fresh': ({ boundMs, polls, productId }: { polls: number; productId: string; boundMs: number }) =>
    `In ${counted(polls, 'poll')} of product ${productId}, no session was missing ${span(boundMs)} after it was created.`,
  'freshness-late': ({ atLeastMs, boundMs }: { atLeastMs: number; boundMs: number }) =>
    `Expected new sessions within ${span(boundMs)} (profile: analytics.freshness), but some appeared only after ${span(atLeastMs)}. All of them appeared in the end, so none is lost.`,
  'freshness-lag-grows': ({ afterMs, beforeMs }: { beforeMs: number; afterMs: number }) =>
    `Analytics get older during the load, at the same request rate: ${span(beforeMs)} old in its first quarter, ${span(afterMs)} in its last (medians).`,
  'freshness-stale': ({ atLeastMs, boundMs }: { atLeastMs: number; boundMs: number }) =>
    `Expected new sessions within ${span(boundMs)} (profile: analytics.freshness), but answers are at least ${span(atLeastMs)} old.`,
  'freshness-stale-since': (params: { lacking: number; products: number; asOfMs: number }) =>
    `Analytics of ${counted(params.products, 'product')} lack exactly the ${counted(params.lacking, 'session')} created after ${span(params.asOfMs)} of the run. Nothing shows that a session is lost.`,
  'freshness-shows-nothing': (params: { products: number; atLeastMs: number; boundMs: number }) =>
    `Expected new sessions within ${span(params.boundMs)} (profile: analytics.freshness), but ${counted(params.products, 'product')} ${verb(params.products, 'has', 'have')} none after ${span(params.atLeastMs)}. Analytics lag by more than that, or count nothing.`,
  'freshness-missing': ({ lacking }: { lacking: number }) =>
    `Analytics lack ${counted(lacking, 'session')} to the end, and not only the newest, so sessions are lost and not late. See analytics.total-sessions.`,
  'freshness-unclear': ({ lacking }: { lacking: number }) =>
    `The last poll lacked ${counted(lacking, 'session')}. Late and lost sessions look alike here, as the newest ones or any others may be missing.`,
  'freshness-surplus': (params: { sessions: number; opened: number; later: number }) =>
    `An answer counted ${counted(params.sessions, 'session')} of a product when at most ${number(params.opened)} had been created, and a later one ${number(params.later)}.`,
  'freshness-beyond':
    'Analytics show more sessions than the run created, so their number tells nothing about age.',
  'freshness-not-polled': 'Analytics were not polled while sessions were created or afterwards.',
  'freshness-lag': (params: { sessions: number; p50Ms: Interval; p99Ms: Interval; maxMs: Interval }) =>
    `Lag of ${counted(params.sessions, 'session')} until visible: median ${lagText(params.p50Ms)}, p99 ${lagText(params.p99Ms)}, longest ${lagText(params.maxMs)}.`,
  'freshness-lag-uncertain': ({ boundMs, maxMs }: { maxMs: number; boundMs: number }) =>
    `Each lag includes the time until the next poll, so a lag of ${number(maxMs)} ms may really be within ${number(boundMs)} ms.`,
  'answers-stale': ({ atLeastMs }: { atLeastMs: number }) =>
    `Analytics are stale by at least ${span(atLeastMs)}, which may explain this failure: see analytics.freshness.`,
} as const;
