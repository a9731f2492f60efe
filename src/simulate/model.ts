import { interactionsCount, type Profile } from '../target/profile.ts';
import type { Role } from '../vocabulary/roles.ts';
import type { SimulatedLimiter } from './limiter.ts';
import type { ServiceModel } from './service.ts';

/** Entries of `top_shades` where a profile leaves that to be discovered. */
const topShadesUsually = 10;

/**
 * A model of the deployment that a profile describes. What the profile leaves to be discovered is taken to be as the
 * reference service has it.
 */
export function modelOf(
  { analytics, channel, limit_endpoints, limit_scope, limiter, rate_limit }: Profile,
  quotas: Readonly<Partial<Record<Role, number>>>,
  limiterAsked: SimulatedLimiter | undefined,
): ServiceModel {
  const { decimals, sessions_averaged, shades_per_session, top_shades } = analytics;
  return {
    limiter: limiterAsked ?? (limiter === 'unspecified' ? 'sliding-log' : limiter),
    rateLimit: rate_limit,
    limitEndpoints: limit_endpoints === 'discover' ? 'together' : limit_endpoints,
    limitScope: limit_scope === 'discover' ? 'per-key' : limit_scope,
    quotas,
    channel: channelOf(channel),
    analytics: {
      shadesPerSession: shades_per_session === 'discover' ? 'distinct' : shades_per_session,
      sessionsAveraged: sessions_averaged === 'discover' ? 'all' : sessions_averaged,
      topShades: top_shades === 'discover' ? topShadesUsually : top_shades,
      decimals,
    },
  };
}

function channelOf(channel: Profile['channel']): ServiceModel['channel'] {
  if (channel === 'none') return 'none';
  return interactionsCount(channel) === true ? 'spends-rate' : 'free';
}
