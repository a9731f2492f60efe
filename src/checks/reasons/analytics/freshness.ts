import { counted, number, range, span, verb } from '../../../amounts.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import { wording } from '../wording.ts';

/** A lag that is known within bounds. */
function lagText({ min = 0, max }: Interval): string {
  if (max === undefined) return `over ${number(min)} ms`;
  return min < 1 ? `at most ${number(max)} ms` : `${range({ min, max })} ms`;
}

/** How soon analytics show new sessions. */
export const freshnessReasons = {
  'freshness-fresh': wording<{ polls: number; productId: string; boundMs: number }>(
    { polls: 12, productId: 'p-1', boundMs: 10_000 },
    ({ boundMs, polls, productId }) =>
      `In ${counted(polls, 'poll')} of product ${productId}, no session was missing ${span(boundMs)} after it was created.`,
  ),
  'freshness-late': wording(
    { atLeastMs: 12_500, boundMs: 10_000 },
    ({ atLeastMs, boundMs }) =>
      `Expected new sessions within ${span(boundMs)} (profile: analytics.freshness), but some appeared only after ${span(atLeastMs)}. All of them appeared in the end, so none is lost.`,
  ),
  'freshness-stale': wording(
    { atLeastMs: 20_100, boundMs: 10_000 },
    ({ atLeastMs, boundMs }) =>
      `Expected new sessions within ${span(boundMs)} (profile: analytics.freshness), but answers are at least ${span(atLeastMs)} old.`,
  ),
  'freshness-stale-since': wording(
    { lacking: 8, products: 2, asOfMs: 12_000 },
    ({ asOfMs, lacking, products }) =>
      `Analytics of ${counted(products, 'product')} lack exactly the ${counted(lacking, 'session')} created after ${span(asOfMs)} of the run. Nothing shows that a session is lost.`,
  ),
  'freshness-shows-nothing': wording(
    { products: 2, atLeastMs: 20_100, boundMs: 10_000 },
    ({ atLeastMs, boundMs, products }) =>
      `Expected new sessions within ${span(boundMs)} (profile: analytics.freshness), but ${counted(products, 'product')} ${verb(products, 'has', 'have')} none after ${span(atLeastMs)}. Analytics lag by more than that, or count nothing.`,
  ),
  'freshness-missing': wording(
    { lacking: 8 },
    ({ lacking }) =>
      `Analytics lack ${counted(lacking, 'session')} to the end, and not only the newest, so sessions are lost and not late. See analytics.total-sessions.`,
  ),
  'freshness-unclear': wording(
    { lacking: 8 },
    ({ lacking }) =>
      `The last poll lacked ${counted(lacking, 'session')}. Late and lost sessions look alike here, as the newest ones or any others may be missing.`,
  ),
  'freshness-beyond': wording(
    {},
    () => 'Analytics show more sessions than the run created, so their number tells nothing about age.',
  ),
  'freshness-not-polled': wording(
    {},
    () => 'Analytics were not polled while sessions were created or afterwards.',
  ),
  'freshness-lag': wording<{ sessions: number; p50Ms: Interval; p99Ms: Interval; maxMs: Interval }>(
    { sessions: 40, p50Ms: { min: 100, max: 400 }, p99Ms: { min: 0, max: 900 }, maxMs: { min: 700 } },
    ({ maxMs, p50Ms, p99Ms, sessions }) =>
      `Lag of ${counted(sessions, 'session')} until visible: median ${lagText(p50Ms)}, p99 ${lagText(p99Ms)}, longest ${lagText(maxMs)}.`,
  ),
  'freshness-lag-uncertain': wording(
    { maxMs: 1_004, boundMs: 1_000 },
    ({ boundMs, maxMs }) =>
      `Each lag includes the time until the next poll, so a lag of ${number(maxMs)} ms may really be within ${number(boundMs)} ms.`,
  ),
  'answers-stale': wording(
    { atLeastMs: 20_100 },
    ({ atLeastMs }) =>
      `Analytics are stale by at least ${span(atLeastMs)}, which may explain this failure: see analytics.freshness.`,
  ),
} as const;
