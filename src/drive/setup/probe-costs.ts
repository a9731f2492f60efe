import {
  eventDeliveries,
  longSessionsInSetup,
  mostInCornerSession,
  sessionsBeforeLoad,
} from '../../corners/sessions.ts';
import type { Scenario } from '../../scenario/define.ts';
import { mostEvents, type Profile } from '../../target/profile.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { cornerImportCost } from './corner-probes.ts';
import { crossedCostOf } from './crossed-probes.ts';
import { eventQuestions, eventSessions, lateQuestions } from './event-probes.ts';
import { largeListCost } from './lists.ts';
import { type MostPages, mostPages } from './page-budget.ts';

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

/** Requests for one query of analytics: once after the load, and again when it has to be fresh. */
export const readsOfQuery = 2;
/** A session that is opened, and read over two connections. */
const canary = { sessions: 1, requests: 3 + laterReadsMs.length } as const;
/** Looks for the interaction channel. */
export const channelProbes = 2;

/** Whether a scenario sends unusual values, which its shoppers then use. */
export function usesCorners({
  checks,
  corners,
  probes,
}: Pick<Scenario, 'checks' | 'corners' | 'probes'>): boolean {
  return probes && checks.includes('contract') && corners !== 'none';
}

/** What set-up sends to find out which unusual values a target takes, and the questions about them after the load. */
function cornerCost(most: number | undefined): Pick<ProbeCost, 'requests' | 'afterLoad' | 'sessions'> {
  const long = eventDeliveries('single', most).slice(0, longSessionsInSetup);
  const unusual = sessionsBeforeLoad('').length;
  // One more on a product with characters of URLs.
  const sessions = long.length + 1 + unusual;
  const deliveries =
    1 + long.flat().length + unusual * Math.ceil(mostInCornerSession / (most ?? mostInCornerSession));
  const products = 2 + unusual;
  const reads = long.length + unusual;
  const { imports, lists } = cornerImportCost;
  // Each session may be rejected for its locale, and opened again with a plain one.
  return {
    requests: imports + lists + 2 * sessions + deliveries + reads + products,
    afterLoad: reads + products,
    sessions: 2 * sessions,
  };
}

/** The sessions that set-up opens at most: all of them, and without those of probes. */
export function setupSessions(
  scenario: Scenario,
  profile: Pick<Profile, 'channel'>,
): { readonly most: number; readonly least: number } {
  const corners = usesCorners(scenario) ? cornerCost(mostEvents(profile.channel)).sessions : 0;
  return { least: canary.sessions, most: canary.sessions + eventSessions + corners };
}

/** The probes of a scenario. `imported`: the keys that may write. */
export function probeCost(scenario: Scenario, profile: Profile, imported: readonly Role[]): ProbeCost {
  const writes = imported.includes('load');
  const isProbed = scenario.probes && writes;
  const sessions = setupSessions(scenario, profile);
  if (!isProbed) {
    const none = { requests: 0, afterLoad: 0, imports: 0 };
    return { isProbed, ...none, sessions: writes ? sessions.least : 0, mostPages };
  }
  const corners = usesCorners(scenario)
    ? cornerCost(mostEvents(profile.channel))
    : { requests: 0, afterLoad: 0, sessions: 0 };
  const crossed = crossedCostOf(scenario);
  const { imports, lists } = largeListCost;
  return {
    isProbed,
    requests:
      canary.requests +
      imports +
      lists +
      eventQuestions +
      eventSessions +
      readsOfQuery +
      corners.requests +
      crossed.requests,
    afterLoad: lateQuestions + eventSessions + readsOfQuery + corners.afterLoad + crossed.requests,
    sessions: sessions.most + crossed.sessions,
    imports: imports + crossed.imports + (usesCorners(scenario) ? cornerImportCost.imports : 0),
    mostPages,
  };
}
