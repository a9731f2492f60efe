import { number } from '../amounts.ts';
import type { Algorithm } from '../limits/kinds/kind.ts';
import { perWindow } from '../report/text.ts';
import type { Scenario } from '../scenario/define.ts';
import { dayCurve, type Phase } from '../scenario/load.ts';
import { interactionsCount, type Profile } from '../target/profile.ts';
import { dayMs } from '../vocabulary/quantities.ts';
import type { Role } from '../vocabulary/roles.ts';
import type { SimulationOutcome } from './play.ts';
import type { ServiceModel } from './service.ts';

/** A simulation and its input: all that its reports need. */
export interface Simulated {
  readonly scenario: { readonly name: string; readonly title: string };
  readonly seed: number;
  /** Absent where the scenario's own load was played. */
  readonly days?: SimulatedDays & { readonly inWaves: boolean };
  /** What of the scenario cannot be played: its studies. */
  readonly leftOut: readonly string[];
  /** What a run at this scale or budget leaves out, and why. */
  readonly untold: readonly string[];
  readonly model: ServiceModel;
  readonly outcome: SimulationOutcome;
}

/** The assumptions of a simulation, a sentence each. */
export function assumptions({ days, leftOut, model, untold }: Simulated): string[] {
  const { analytics, channel, limitEndpoints, limitScope, limiter, quotas, rateLimit } = model;
  const allowed = Object.entries(quotas).map(([role, sessions]) => `${number(sessions)} on the ${role} key`);
  return [
    'Every request is answered at once and none is lost, so no shopper leaves early.',
    `The limiter is a ${limiter.replace('-', ' ')} of ${perWindow(rateLimit.requests, rateLimit.windowMs)}${limitScope === 'shared' ? ' for all keys together' : ' for each key'}${limitEndpoints === 'apart' ? ', each endpoint apart' : ''}; a rejected request spends nothing, and is not repeated.`,
    allowed.length === 0
      ? 'No key has a session quota.'
      : `Session quotas: ${allowed.join(', ')}; other keys have none.`,
    ...(days === undefined ? [] : ['All shoppers use the load key. Days are in UTC.']),
    {
      free: 'Interactions spend no rate limit, and no session expires.',
      'spends-rate': 'Interactions spend the rate limit of their key, and no session expires.',
      none: 'There is no interaction channel.',
    }[channel],
    `Analytics cover the load key's sessions that were created in the period: ${analytics.shadesPerSession === 'distinct' ? 'distinct shades' : 'selections'} averaged over ${analytics.sessionsAveraged === 'all' ? 'all sessions' : 'sessions with shades'}.`,
    'Only the load is played, without the requests of a run before and after it.',
    ...(leftOut.length === 0
      ? []
      : [`Left out, since their pace depends on answers: ${leftOut.join(', ')}.`]),
    ...untold.map((each) => `Left out of the run, ${each}`),
  ];
}

/** How many shoppers are to come, on how many days. */
export interface SimulatedDays {
  readonly sessionsPerDay: number;
  readonly days: number;
}

/**
 * The scenario's shop over whole days: its catalog and its shoppers, who come by the day curve from midnight on, all with
 * the `load` key. They come in waves if any of the scenario's own do.
 */
export function overDays(scenario: Scenario, { days, sessionsPerDay }: SimulatedDays): Scenario {
  const phase = dayCurve(sessionsPerDay, days * dayMs, { bursts: comeInWaves(scenario.load) });
  return { ...scenario, load: [phase] };
}

export function comeInWaves(load: readonly Phase[]): boolean {
  return load.some((phase) =>
    phase.kind === 'together' ? phase.tracks.some(comeInWaves) : phase.kind === 'open' && phase.bursts,
  );
}

/** Entries of `top_shades` where a profile leaves that to be discovered. */
const topShadesUsually = 10;

/**
 * A model of the deployment that a profile describes. What the profile leaves to be discovered is taken to be as the
 * reference service has it.
 */
export function modelOf(
  { analytics, channel, limit_endpoints, limit_scope, limiter, rate_limit }: Profile,
  quotas: Readonly<Partial<Record<Role, number>>>,
  limiterAsked: Algorithm | undefined,
): ServiceModel {
  const { decimals, sessions_averaged, shades_per_session, top_shades } = analytics;
  return {
    limiter: limiterAsked ?? (limiter === 'unspecified' ? 'sliding-log' : limiter),
    rateLimit: rate_limit,
    limitEndpoints: limit_endpoints === 'discover' ? 'together' : limit_endpoints,
    limitScope: limit_scope === 'discover' ? 'per-key' : limit_scope,
    quotas,
    channel: channel === 'none' ? 'none' : interactionsCount(channel) === true ? 'spends-rate' : 'free',
    analytics: {
      shadesPerSession: shades_per_session === 'discover' ? 'distinct' : shades_per_session,
      sessionsAveraged: sessions_averaged === 'discover' ? 'all' : sessions_averaged,
      topShades: top_shades === 'discover' ? topShadesUsually : top_shades,
      decimals,
    },
  };
}
