import type { Scenario } from '../../scenario/define.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { crossedCostOf } from './crossed-probes.ts';
import { cornerCost, largeListCost, usesCorners } from './lists.ts';
import { sessionRequests, setupSessions } from './setup.ts';

/** What probes send at most, all of it with the load key. */
export interface ProbeCost {
  readonly isProbed: boolean;
  /** During set-up and after the load. */
  readonly requests: number;
  /** Of these, after the load. */
  readonly afterLoad: number;
  readonly sessions: number;
  readonly imports: number;
}

/** The probes of a scenario. `imported`: the keys that may write. */
export function probeCost(scenario: Scenario, imported: readonly Role[]): ProbeCost {
  const writes = imported.includes('load');
  const isProbed = scenario.probes && writes;
  if (!isProbed)
    return {
      isProbed,
      requests: 0,
      afterLoad: 0,
      imports: 0,
      sessions: writes ? setupSessions : 0,
    };
  const corners = usesCorners(scenario) ? cornerCost : { imports: 0, lists: 0 };
  const crossed = crossedCostOf(scenario);
  const imports = largeListCost.imports + corners.imports;
  return {
    isProbed,
    requests: sessionRequests + imports + largeListCost.lists + corners.lists + crossed.requests,
    afterLoad: crossed.requests,
    sessions: setupSessions + crossed.sessions,
    imports: imports + crossed.imports,
  };
}
