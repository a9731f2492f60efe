import type { Scenario } from '../../scenario/define.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { crossedCostOf } from './crossed-probes.ts';
import { cornerCost, largeListCost } from './lists.ts';
import { type MostPages, mostPages } from './setup-options.ts';

/** What probes send at most, all of it with the load key. */
export interface ProbeCost {
  readonly isProbed: boolean;
  /** During set-up and after the load. */
  readonly requests: number;
  /** Of these, after the load. */
  readonly afterLoad: number;
  readonly sessions: number;
  readonly imports: number;
  /** Pages of lists beyond the first one. */
  readonly mostPages: MostPages;
}

/** How long after one another a session is read again that is not found. */
export const laterReadsMs = [500, 1_500, 4_000];

/** A session that set-up opens, and reads over two connections. */
export const setupSessions = 1;
const sessionRequests = 3 + laterReadsMs.length;
/** Looks for the interaction channel. */
export const channelProbes = 2;

/** Whether a scenario sends unusual shades, which its shoppers then use. */
export function usesCorners({ checks, probes }: Pick<Scenario, 'checks' | 'probes'>): boolean {
  return probes && checks.includes('contract');
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
      mostPages,
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
    mostPages,
  };
}
