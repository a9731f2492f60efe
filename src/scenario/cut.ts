import type { CheckGroup } from '../vocabulary/check-ids.ts';
import type { Scenario } from './define.ts';
import { phaseNames } from './load.ts';
import type { Study } from './study.ts';

/** What is kept of a scenario. */
export interface Kept {
  readonly probes: boolean;
  readonly phases: readonly string[];
  readonly studies: readonly Study['kind'][];
  readonly checks: readonly CheckGroup[];
}

/** The part of a scenario with these phases and studies. What runs at the same time as a kept phase is kept, too. */
export function cutTo(scenario: Scenario, { checks, phases, probes, studies }: Kept): Scenario {
  return {
    ...scenario,
    load: scenario.load.filter((phase) => phaseNames(phase).some((name) => phases.includes(name))),
    study: scenario.study.filter(({ kind }) => studies.includes(kind)),
    parts: [],
    probes: scenario.probes && probes,
    slo: [],
    checks: [...checks],
  };
}
