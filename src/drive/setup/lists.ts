import * as calls from '../../target/calls.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Role } from '../../vocabulary/roles.ts';
import { contract, modelled } from './ask-contract.ts';
import { followPages } from './pages.ts';
import { probeShades } from './probe-shades.ts';
import type { SetupOptions } from './setup-options.ts';

/** Shades that POST /shades takes at most, by the interface. */
export const batchLimit = 500;

/** How often a list is read until it shows an import. */
const askAgainNs = 500e6;
/** How often the longest list is read: only the target can have delayed the fastest of these reads. */
const largeLists = 5;

/** What the longest list costs on the load key. */
export const largeListCost = { imports: 1, lists: 1 + largeLists } as const;

/** A catalog's shades, and whose key reads them. */
interface CatalogList {
  readonly catalogId: string;
  readonly probe: Probe;
  readonly role?: Role;
}

/** An import that was accepted for later (202) gets the time that the profile gives it to show. */
export async function untilListed(options: SetupOptions, list: CatalogList, count: number): Promise<number> {
  const { asker, clock, profile } = options;
  const deadlineNs = clock.nowNs() + profile.import_visible * 1e6;
  for (;;) {
    // The last judged list was requested when the time was up.
    const isLast = clock.nowNs() >= deadlineNs;
    const shades = await listed(options, list);
    if (isLast || shades >= count) return shades;
    await asker.until(Math.min(clock.nowNs() + askAgainNs, Math.max(deadlineNs, clock.nowNs())));
  }
}

/** GET /shades, and its further pages if it comes in pages, all answers kept. Returns how many shades they show. */
export async function listed(
  options: SetupOptions,
  { catalogId, probe, role = 'load' }: CatalogList,
): Promise<number> {
  const asked = { credential: role, probe, keeps: true } as const;
  const known = modelled(role, { op: 'list-shades', catalog: catalogId });
  const first = await contract(options, calls.listShades(catalogId), asked, known);
  return (first.reading.count ?? 0) + (await followPages(options, first, catalogId, role));
}

/** Imports the largest batch, and asks for its list so often that the machine's own hiccups do not matter. */
export async function probeLargeList(options: SetupOptions): Promise<void> {
  const catalogId = `tryon-${options.tag}-large`;
  const shades = probeShades(options, 'M', batchLimit);
  const wire = calls.importShades({ catalog_id: catalogId, shades });
  const call = { op: 'import-shades', by: { kind: 'key', key: 'load' }, catalog: catalogId, shades } as const;
  const { exchange } = await contract(options, wire, { credential: 'load', probe: 'batch-max' }, { call });
  const list = { catalogId, probe: 'batch-max:list' } as const;
  if (exchange.status === 202) await untilListed(options, list, batchLimit);
  else await listed(options, list);
  for (let n = 0; n < largeLists; n++)
    await contract(options, calls.listShades(catalogId), { credential: 'load', probe: 'large:list' });
}
