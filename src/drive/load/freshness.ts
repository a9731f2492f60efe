import type { Plan } from '../../plan/plan.ts';
import { randomStream } from '../../random.ts';
import * as calls from '../../target/calls.ts';
import type { Key } from '../../target/keys.ts';
import { interactionsCount, type Profile } from '../../target/profile.ts';
import { companionPhases } from '../../vocabulary/phases.ts';
import type { RateLimit } from '../../vocabulary/quantities.ts';
import { type Governor, share } from '../ask/governor.ts';
import { type DateFormat, type Days, dayQuery } from '../clock/days.ts';
import { atInstants, type BesideLoad, sendBeside } from './load-probe.ts';

/**
 * How soon analytics show what happened: one cheap query, polled during the load and after it. It asks for the
 * product with the most sessions; the run made its id, so no other traffic counts. It covers more days than the run,
 * so that no date convention leaves one out.
 */

/** The most polls during a load. */
const mostBeside = 300;
/** The share of the rate limit that polls may take. */
const pollShare = 0.05;
/** How often the query is asked within the time that analytics may lag, where the rate limit lets it. */
const perBound = 8;
const shortestGapMs = 250;

/** The time from one poll to the next. */
function pollGapMs(limit: RateLimit, freshnessMs: number, horizonNs: number): number {
  return Math.max(
    shortestGapMs,
    freshnessMs / perBound,
    limit.windowMs / (pollShare * limit.requests),
    horizonNs / 1e6 / mostBeside,
  );
}

export interface FreshnessPlan {
  readonly productId: string;
  /** When to poll during the load, ns since its start, in order. */
  readonly instants: readonly number[];
  readonly gapMs: number;
}

/** Slots that a window of the rate limit is cut into, to see how full it will be. */
const slotsPerWindow = 20;

/**
 * What to poll and when. Polls go where every window has room by the plan, below the share of the limit that is never
 * rejected. Undefined if no session is planned.
 */
export function freshnessPlan(
  plan: Pick<Plan, 'horizonNs' | 'phases' | 'requests'>,
  { analytics, channel, rate_limit: limit }: Pick<Profile, 'analytics' | 'channel' | 'rate_limit'>,
): FreshnessPlan | undefined {
  const actsSpend = interactionsCount(channel) === true;
  const slotNs = (limit.windowMs * 1e6) / slotsPerWindow;
  const planned = new Float64Array(Math.ceil(plan.horizonNs / slotNs) + 1);
  const opened = new Map<string, number>();
  for (const { atNs, role, step } of plan.requests()) {
    if (role !== 'load') continue;
    const slot = Math.floor(atNs / slotNs);
    if (actsSpend || step.kind !== 'interact') planned[slot] = (planned[slot] ?? 0) + 1;
    if (step.kind === 'create-session') opened.set(step.productId, (opened.get(step.productId) ?? 0) + 1);
  }
  const [busiest] = [...opened].toSorted(([, a], [, b]) => b - a);
  if (busiest === undefined) return undefined;
  const gapMs = pollGapMs(limit, analytics.freshness, plan.horizonNs);
  const room = limit.requests * (share - pollShare);
  // At even instants, a target that updates its figures at even instants would seem to drift.
  const random = randomStream(0, 'polls');
  const instants = Array.from({ length: Math.floor(plan.horizonNs / 1e6 / gapMs) }, (_, n) =>
    Math.round((n + random()) * gapMs * 1e6),
  ).filter((atNs) => fullest(planned, Math.floor(atNs / slotNs)) <= room);
  return { productId: busiest[0], instants, gapMs };
}

/** The most that is planned in any window around a slot. */
function fullest(planned: Float64Array, slot: number): number {
  let most = 0;
  for (let first = slot - slotsPerWindow; first <= slot; first++) {
    let sum = 0;
    for (let each = Math.max(0, first); each <= first + slotsPerWindow; each++) sum += planned[each] ?? 0;
    most = Math.max(most, sum);
  }
  return most;
}

/** Bounds of the time for which a target is waited for beyond the promised one, when sessions are still missing. */
const shortestPatienceMs = 2_000;
const longestPatienceMs = 60_000;

/** How long analytics are polled at most from the last event on, so that late results are still seen. */
export function patienceMs(freshnessMs: number): number {
  return freshnessMs + Math.min(longestPatienceMs, Math.max(shortestPatienceMs, 4 * freshnessMs));
}

/** The most polls: during the load, after it, and one for each product if sessions stay missing. */
export function mostPolls(
  { analytics, rate_limit: limit }: Pick<Profile, 'analytics' | 'rate_limit'>,
  horizonNs: number,
  products: number,
): { readonly beside: number; readonly after: number; readonly patient: number } {
  const gapMs = pollGapMs(limit, analytics.freshness, horizonNs);
  return {
    beside: Math.floor(horizonNs / 1e6 / gapMs),
    after: Math.ceil(analytics.freshness / gapMs) + 2,
    patient: Math.ceil(patienceMs(analytics.freshness) / gapMs) + products,
  };
}

interface PollingOptions extends Omit<BesideLoad, 'instants'> {
  readonly freshness: FreshnessPlan;
  readonly governor: Governor;
  readonly key: Key;
  readonly days: Days;
  readonly dateFormat: DateFormat;
}

/** Polls during the load, one at a time; a poll without room under the governor is skipped. */
export async function pollBeside(options: PollingOptions): Promise<void> {
  const { clock, days, dateFormat, governor, key } = options;
  const { instants, productId } = options.freshness;
  await atInstants({ ...options, instants }, async () => {
    const nowNs = clock.nowNs();
    if (!governor.hasRoom(nowNs)) return;
    governor.note(nowNs);
    const query = dayQuery(days.wide(), dateFormat, productId);
    await sendBeside(options, calls.analytics(query), `Bearer ${key.value}`, {
      phase: companionPhases.freshness,
      credential: 'load',
      productId,
      keepAnswer: { ...query },
    });
  });
}
