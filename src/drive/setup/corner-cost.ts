import {
  cornerCatalogIds,
  cornerProducts,
  cornerSessions,
  eventDeliveries,
  invalidColours,
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

interface CornerCost {
  readonly imports: number;
  readonly lists: number;
  readonly sessions: number;
  readonly deliveries: number;
  readonly reads: number;
  /** Questions for analytics of a product. */
  readonly products: number;
}

/** The part of it after the load. */
export function furtherCost(reach: Reach | undefined, mostEvents?: number): CornerCost {
  const all = cornerCost(reach, mostEvents);
  const before = cornerCost(reach === undefined ? undefined : 'single', mostEvents);
  return {
    imports: all.imports - before.imports,
    lists: all.lists - before.lists,
    sessions: all.sessions - before.sessions,
    deliveries: all.deliveries - before.deliveries,
    reads: all.reads - before.reads,
    products: all.products - before.products,
  };
}

/** The most that the probes of value classes send on the load key. A session is also read back. `mostEvents`: in a request. */
export function cornerCost(reach: Reach | undefined, mostEvents?: number): CornerCost {
  if (reach === undefined) return { imports: 0, lists: 0, sessions: 0, deliveries: 0, reads: 0, products: 0 };
  const isPaired = reach !== 'single';
  const isLong = reach === 'long';
  const catalogs = isPaired ? cornerCatalogIds('').length : 0;
  const deliveries = eventDeliveries(reach, mostEvents);
  const sessions = isPaired ? cornerSessions('').length : 0;
  return {
    // All at once, or else each group; an empty batch and one of one shade, with one id or the other.
    imports:
      1 +
      groupCount +
      3 +
      (isPaired ? 6 + catalogs + invalidColours().length : 0) +
      (isLong ? largeCatalog.length : 0),
    lists: 1 + groupCount + 2 + (isPaired ? 5 + catalogs + invalidColours().length : 0) + (isLong ? 1 : 0),
    // Each may be rejected for its locale, and opened again with a plain one.
    sessions: 2 * deliveries.length + 2 + 2 * sessions,
    deliveries: 1 + deliveries.flat().length,
    reads: deliveries.length + sessions,
    products: 2 + (isPaired ? cornerProducts('').length : 0),
  };
}
