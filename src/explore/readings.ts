import type { ApiCall } from '../model/call.ts';
import type { FreedomPromises } from '../model/freedoms.ts';
import { type Divergence, judge } from '../model/judge.ts';
import { honestModel, type ModelPromises, usualMostEvents } from '../model/stages.ts';
import { mostEvents, type Profile, possibleChannels } from '../target/profile.ts';
import { explorerRoles } from './exploration.ts';
import type { LateReads } from './plan.ts';

/** Within this after its answer, a request may be delivered again, where the profile says that it may be at all. */
const redeliveredMs = 5_000;
/** After 202, events show in their history within this. */
const eventsVisibleMs = 1_000;
/** Histories that are late whatever the status are so by this at most. Ours. */
const longestLagMs = 3_000;
/** Analytics of a target that is not late at all may still be so late. Ours. */
const promptMs = 1_000;

/**
 * What a profile may promise, in the model's words: whether the keys share an account or its catalogs may be open, and a target
 * may be sooner than it promises. What else it leaves open is found by consistency. The strictest readings come first; of those
 * that fit, the first counts. `calls`: with what events were sent. `sessionVisibleMs`: from when on a new session has to be found.
 */
export function readingsOf(
  profile: Profile,
  calls: readonly ApiCall[],
  sessionVisibleMs: number,
  freshness: readonly number[] = [
    Math.min(promptMs, profile.analytics.freshness),
    profile.analytics.freshness,
  ],
): readonly ModelPromises[] {
  const [channel] = possibleChannels(profile.channel);
  // A channel that is discovered may take keys.
  const isByKey = calls.some(({ by, op }) => op === 'interact' && by.kind === 'key');
  const isByToken = calls.some(({ by, op }) => op === 'interact' && by.kind === 'token');
  const isOfKeys = channel?.auth === 'api-key' || (isByKey && !isByToken);
  const apart = { accounts: Object.fromEntries(explorerRoles.map((role) => [role, role])) };
  const together = { accounts: Object.fromEntries(explorerRoles.map((role) => [role, 'all'])) };
  const scopes = {
    'per-key': [apart],
    shared: [together],
    discover: [apart, together, { ...apart, sharesCatalogs: true }],
  }[profile.data_scope];
  const lags = [
    { eventsVisibleMs },
    { eventsVisibleMs: Math.min(longestLagMs, profile.analytics.freshness), areEventsLate: true },
  ];
  const ways = lags.flatMap((lag) => scopes.map((scope) => ({ ...scope, ...lag })));
  return [...new Set(freshness)].flatMap((freshnessMs) =>
    ways.map((way) => ({
      ...way,
      channel: channel === undefined ? 'none' : isOfKeys ? 'key' : 'token',
      importVisibleMs: profile.import_visible,
      sessionVisibleMs,
      mostEvents: mostEvents(profile.channel) ?? usualMostEvents,
      freshnessMs,
      finishes: profile.finishes,
      decimals: profile.analytics.decimals,
      ...(profile.analytics.top_shades !== 'discover' && { topShades: profile.analytics.top_shades }),
      clockSkewMs: profile.clock_skew_bound,
      redeliveredMs: profile.redeliveries > 0 ? redeliveredMs : 0,
      freedoms: freedomsBy(profile),
    })),
  );
}

/** A kind of read that was late, and how long after the last write it has to be right, ms. */
interface LateRead {
  readonly op: keyof LateReads;
  readonly afterMs: number;
}

/** The reads that are not what they had to be if the target were prompt. */
export function lateReadsOf(calls: readonly ApiCall[], profile: Profile): readonly LateRead[] {
  const late: readonly LateRead[] = [
    { op: 'list-shades', afterMs: profile.import_visible },
    { op: 'analytics', afterMs: profile.analytics.freshness },
  ];
  const isPromised = !calls.some(({ answer, op }) => op === 'import-shades' && answer?.status === 202);
  const only = new Set(calls.filter((call) => late.some(({ op }) => op === call.op)).map(({ n }) => n));
  const found = readingsOf(profile, calls, 0, [promptMs]).map(
    (promises) =>
      judge(calls, honestModel({ ...promises, importVisibleMs: 0 }), { only, isBrief: true }).divergences,
  );
  const isLate = ({ kind, op }: Divergence): boolean =>
    op === 'analytics' ? kind === 'number' : !isPromised;
  return late.filter(({ op }) => found.every((each) => each.some((one) => one.op === op && isLate(one))));
}

const notStored = ['refused', 'dropped'] as const;

function freedomsBy({ analytics, channel, session_history: history }: Profile): FreedomPromises {
  const told = typeof channel === 'string' ? undefined : channel;
  return {
    // A refused import has stored nothing: a 4xx says that there was no effect.
    refusedImport: 'nothing',
    ...(told?.unknown_sku === 'refused' && { unknownSku: notStored, unknownCartSku: notStored }),
    ...(told?.repeated_id === 'once' && { repeatedId: 'once' as const, idInBatch: 'once' as const }),
    ...(told?.malformed === 'refused' && { refusedEvents: 'nothing' as const }),
    ...(told?.other_token === 'refused' && {
      otherToken: 'refused' as const,
      keyOnChannel: 'refused' as const,
    }),
    ...(analytics.shades_per_session !== 'discover' && { shadesPerSession: analytics.shades_per_session }),
    ...(analytics.sessions_averaged !== 'discover' && { sessionsAveraged: analytics.sessions_averaged }),
    ...(analytics.cart_intent !== 'discover' && { cartIntent: analytics.cart_intent }),
    // The profile speaks of averages: one over sessions with shades may have its rate over all.
    ...(analytics.sessions_averaged === 'all' && { cartOver: 'all' as const }),
    ...(history.order === 'arrival' && { order: ['arrival', 'newest arrival'] as const }),
    ...(history.order === 'at' && { order: ['at', 'newest at'] as const }),
  };
}
