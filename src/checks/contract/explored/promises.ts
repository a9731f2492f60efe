import type { FreedomPromises } from '../../../model/freedoms.ts';
import type { ModelPromises } from '../../../model/stages.ts';
import type { Profile } from '../../../target/profile.ts';

/** Within this after its answer, a request may be delivered again, where the profile says that it may be at all. */
const redeliveredMs = 5_000;
/** After 202, events show in their history within this. */
const eventsVisibleMs = 1_000;

/** What a profile promises, in the model's words. What it leaves open is found by consistency. */
export function promisesBy(
  profile: Profile,
  accounts: ModelPromises['accounts'],
  channel: ModelPromises['channel'],
  sessionVisibleMs: number,
): ModelPromises {
  return {
    accounts,
    channel,
    importVisibleMs: profile.import_visible,
    eventsVisibleMs,
    sessionVisibleMs,
    freshnessMs: profile.analytics.freshness,
    clockSkewMs: profile.clock_skew_bound,
    redeliveredMs: profile.redeliveries > 0 ? redeliveredMs : 0,
    freedoms: freedomsBy(profile),
  };
}

function freedomsBy({ channel, session_history: history }: Profile): FreedomPromises {
  const told = typeof channel === 'string' ? undefined : channel;
  return {
    // A refused import has stored nothing: a 4xx says that there was no effect.
    refusedImport: 'nothing',
    ...(told?.unknown_sku === 'refused' && { unknownSku: ['refused', 'dropped'] as const }),
    ...(told?.repeated_id === 'once' && { repeatedId: 'once' as const, idInBatch: 'once' as const }),
    ...(told?.malformed === 'refused' && { refusedEvents: 'nothing' as const }),
    ...(told?.other_token === 'refused' && {
      otherToken: 'refused' as const,
      keyOnChannel: 'refused' as const,
    }),
    ...(history.order === 'arrival' && { order: 'arrival' as const }),
    ...(history.order === 'at' && { order: 'at' as const }),
  };
}
