import type { Scenario } from '../scenario/define.ts';
import { dayCurve, type Phase } from '../scenario/load.ts';
import { dayMs } from '../vocabulary/quantities.ts';

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
