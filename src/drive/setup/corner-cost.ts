import {
  cornerCatalogIds,
  cornerProducts,
  cornerSessions,
  eventDeliveries,
  invalidColours,
  longSessionsInSetup,
  mostInCornerSession,
  sessionsBeforeLoad,
} from '../../corners/sessions.ts';
import { groupCount } from '../../corners/shades.ts';
import type { Reach } from '../../corners/value-class.ts';
import type { Scenario } from '../../scenario/define.ts';

/** How far a scenario goes to reach classes of values; undefined where it probes nothing of the contract. */
export function reachOf({
  checks,
  corners,
  probes,
}: Pick<Scenario, 'checks' | 'corners' | 'probes'>): Reach | undefined {
  return probes && checks.includes('contract') && corners !== 'none' ? corners : undefined;
}

/** Imports of the catalog of more than a thousand shades. */
export const largeCatalog = [500, 500, 1] as const;

/** Each is a number of requests. */
interface CornerCost {
  readonly imports: number;
  readonly lists: number;
  /** Sessions that are opened, and second tries after a first one was rejected. */
  readonly sessions: number;
  readonly retries: number;
  readonly deliveries: number;
  readonly reads: number;
  /** Questions for analytics of a product. */
  readonly products: number;
}

export function requestsOf(cost: CornerCost): number {
  return Object.values(cost).reduce((sum: number, requests: number) => sum + requests, 0);
}

const nothing: CornerCost = {
  ...{ imports: 0, lists: 0, sessions: 0, retries: 0 },
  ...{ deliveries: 0, reads: 0, products: 0 },
};

/**
 * The most that the probes of value classes send on the load key. `setUp`: in set-up at least; `early`: in set-up where there is room
 * for all; `all`: in set-up and after the load. `mostEvents`: in a request.
 */
export function cornerCosts(
  reach: Reach | undefined,
  mostEvents?: number,
): { readonly setUp: CornerCost; readonly early: CornerCost; readonly all: CornerCost } {
  if (reach === undefined) return { setUp: nothing, early: nothing, all: nothing };
  const deliveries = eventDeliveries(reach, mostEvents);
  const inSetUp = deliveries.slice(0, longSessionsInSetup);
  const setUp: CornerCost = {
    // All at once, or else each group and those that were accepted; an empty batch and one of one shade, with one id or the other.
    imports: 1 + groupCount + 1 + 3,
    lists: 1 + groupCount + 1 + 2,
    // One on a product with characters of URLs.
    sessions: inSetUp.length + 1,
    // Each may be rejected for its locale, and opened again with a plain one.
    retries: inSetUp.length + 1,
    deliveries: 1 + inSetUp.flat().length,
    reads: inSetUp.length,
    products: 2,
  };
  const catalogs = cornerCatalogIds('').length + invalidColours().length;
  const pairs = reach === 'single' ? 0 : 1;
  const isLong = reach === 'long';
  const unusual = cornerSessions('').length;
  const sessions = deliveries.length - inSetUp.length + unusual;
  const deliveriesOfEach = Math.ceil(mostInCornerSession / (mostEvents ?? mostInCornerSession));
  const beforeLoad = sessionsBeforeLoad('').length;
  return {
    setUp,
    early: {
      ...setUp,
      sessions: setUp.sessions + beforeLoad,
      retries: setUp.retries + beforeLoad,
      deliveries: setUp.deliveries + beforeLoad * deliveriesOfEach,
    },
    all: {
      // One large, two with an invalid shade, and two at the same time.
      imports: setUp.imports + catalogs + pairs + 5 + (isLong ? largeCatalog.length : 0),
      lists: setUp.lists + catalogs + pairs + 4 + (isLong ? 1 : 0),
      sessions: setUp.sessions + sessions,
      retries: setUp.retries + sessions,
      deliveries: 1 + deliveries.flat().length + unusual * deliveriesOfEach,
      reads: setUp.reads + sessions,
      products: setUp.products + cornerProducts('').length,
    },
  };
}
