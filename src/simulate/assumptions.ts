import { number } from '../amounts.ts';
import { perWindow } from '../report/text.ts';
import type { SimulatedDays } from './days.ts';
import type { SimulationOutcome } from './play.ts';
import type { ServiceModel } from './service.ts';

/** A simulation and its input: all that its reports need. */
export interface Simulated {
  readonly scenario: { readonly name: string; readonly title: string };
  readonly seed: number;
  /** Absent where the scenario's own load was played. */
  readonly days?: SimulatedDays & { readonly inWaves: boolean };
  /** Names of phases of the load that cannot be played. */
  readonly leftOut: readonly string[];
  readonly model: ServiceModel;
  readonly outcome: SimulationOutcome;
}

/** The assumptions of a simulation, a sentence each. */
export function assumptions({ days, leftOut, model }: Simulated): string[] {
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
  ];
}
