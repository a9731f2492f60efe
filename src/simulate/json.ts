import { assumptions, type Simulated } from './assumptions.ts';
import { plannedOf, type SimulatedPeriod } from './play.ts';

/** A simulation as JSON: the same bytes for the same arguments, on any machine. */
export function simulationJson(simulated: Simulated): object {
  const { days, leftOut, model, outcome, scenario, seed } = simulated;
  const { analytics, channel, limitEndpoints, limitScope, limiter, quotas, rateLimit } = model;
  return {
    schema_version: 1,
    scenario: scenario.name,
    seed,
    ...(days === undefined
      ? {}
      : { sessions_per_day: days.sessionsPerDay, days_played: days.days, in_waves: days.inWaves }),
    left_out: leftOut,
    model: {
      limiter,
      rate_limit: { requests: rateLimit.requests, window_ms: rateLimit.windowMs },
      limit_scope: limitScope,
      limit_endpoints: limitEndpoints,
      quotas,
      channel,
      analytics: {
        shades_per_session: analytics.shadesPerSession,
        sessions_averaged: analytics.sessionsAveraged,
        top_shades: analytics.topShades,
        decimals: analytics.decimals,
      },
    },
    assumptions: assumptions(simulated),
    ...periodJson(outcome.all),
    interactions: outcome.events,
    requests: outcome.requests.map((counts) => ({
      role: counts.role,
      endpoint: counts.kind,
      planned: plannedOf(counts),
      admitted: counts.admitted,
      limited: counts.limited,
      over_quota: counts.overQuota,
      no_session: counts.noSession,
      no_channel: counts.noChannel,
    })),
    first_limited_ns: outcome.firstLimitedNs ?? null,
    quota_spent_ns: outcome.quotaSpentNs ?? null,
    unfinished: outcome.unfinished,
    busiest_window:
      outcome.busiest === undefined
        ? null
        : { requests: outcome.busiest.requests, start_ns: outcome.busiest.startNs },
    days: outcome.days.map((period, day) => ({ day: day + 1, ...periodJson(period) })),
    products: outcome.products.map(({ productId, analytics: numbers }) => ({
      product_id: productId,
      ...numbers,
    })),
  };
}

function periodJson({ analytics, shoppers }: SimulatedPeriod): object {
  const { limited, opened, overQuota } = shoppers;
  return {
    shoppers: { asked: opened + limited + overQuota, opened, limited, over_quota: overQuota },
    analytics,
  };
}
