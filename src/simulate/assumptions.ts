import { number } from '../amounts.ts';
import { perWindow } from '../report/format.ts';
import type { Days } from './days.ts';
import type { Outcome } from './play.ts';
import type { ServiceModel } from './service.ts';

/** A simulation and what it was of: all that its reports need. */
export interface Simulated {
  readonly scenario: { readonly name: string; readonly title: string };
  readonly seed: number;
  /** Absent where the scenario's own load was played. */
  readonly days?: Days & { readonly inWaves: boolean };
  /** Names of phases of the load that cannot be played. */
  readonly leftOut: readonly string[];
  readonly model: ServiceModel;
  readonly outcome: Outcome;
}

/** What a simulation takes for granted, a sentence each. */
export function assumptions({ days, leftOut, model }: Simulated): string[] {
  const { analytics, channel, limitEndpoints, limitScope, limiter, quotas, rateLimit } = model;
  const allowed = Object.entries(quotas).map(([role, sessions]) => `${number(sessions)} on the ${role} key`);
  return [
    'Every request is answered at once and none is lost, so nobody runs out of patience.',
    `The limiter is a ${limiter.replace('-', ' ')} of ${perWindow(rateLimit.requests, rateLimit.windowMs)}${limitScope === 'shared' ? ' for all keys together' : ' for each key'}${limitEndpoints === 'apart' ? ', each endpoint apart' : ''}; what it refuses spends nothing, and is not tried again.`,
    allowed.length === 0
      ? 'No key has a session quota.'
      : `Sessions in all: ${allowed.join(', ')}; other keys have no quota.`,
    ...(days === undefined ? [] : ['All shoppers come with the load key. Days are of UTC.']),
    {
      free: 'Acts of shoppers spend no rate limit, and no session expires.',
      'spends-rate': 'Acts of shoppers spend the rate limit of their key, and no session expires.',
      none: 'Shoppers have no way to act.',
    }[channel],
    `Analytics are those of the load key, of the sessions created in the period: ${analytics.shadesPerSession === 'distinct' ? 'distinct shades' : 'selections'} averaged over ${analytics.sessionsAveraged === 'all' ? 'all sessions' : 'sessions with shades'}.`,
    'The load alone is played, without what a run asks before and after it.',
    ...(leftOut.length === 0
      ? []
      : [`Left out, since their pace hangs on the answers: ${leftOut.join(', ')}.`]),
  ];
}
