import { explorerRoles } from '../../explore/exploration.ts';
import type { CallRequest } from '../../model/call.ts';
import { generateShades } from '../../scenario/catalog/generate.ts';
import { type CornerCatalog, cornerShades } from '../../scenario/catalog/unusual-shades.ts';
import type { Scenario } from '../../scenario/define.ts';
import * as calls from '../../target/calls.ts';
import { nextPage, pageHeadersOf } from '../../target/shade-list.ts';
import { setupPhases } from '../../vocabulary/phases.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Shade } from '../../wire.ts';
import type { Question, Reply } from '../ask/ask.ts';
import type { Days } from '../clock/days.ts';
import type { RunUnderWay } from '../load/load.ts';

type UsedBySetup =
  | ('asker' | 'baseUrl' | 'catalogs' | 'clock' | 'keys' | 'onlyProbes' | 'openConnection' | 'pages')
  | ('profile' | 'progress' | 'roles' | 'scenario' | 'seed' | 'tag' | 'waitReadyMs' | 'writer');

/** What set-up, and the probes after the load, use of a run. */
export type SetupRun = Pick<RunUnderWay, UsedBySetup> & { readonly days: Days };

/** Shades that POST /shades takes at most, by the interface. */
export const batchLimit = 500;

/** How often a list is read until it shows an import. */
const askAgainNs = 500e6;
/** How often the longest list is read: only the target can have delayed the fastest of these reads. */
const largeLists = 5;

/** What the longest list costs on the load key, and what a catalog of unusual shades does. */
export const largeListCost = { imports: 1, lists: 1 + largeLists } as const;
export const cornerCost = { imports: 1, lists: 1 } as const;

/** Whether a scenario sends unusual shades, which its shoppers then use. */
export function usesCorners({ checks, probes }: Pick<Scenario, 'checks' | 'probes'>): boolean {
  return probes && checks.includes('contract');
}

/** For the model of the interface, which judges the answer: a request with a key that the explorer has. */
export function modelled(role: Role, request: Omit<CallRequest, 'by'>): NonNullable<Question['known']> {
  return explorerRoles.some((each) => each === role)
    ? { call: { ...request, by: { kind: 'key', key: role } } }
    : {};
}

/** Asks a probe of set-up. */
function ask({ asker }: SetupRun, question: Omit<Question, 'stage' | 'phase'>): Promise<Reply> {
  return asker.ask({ ...question, stage: 'setup', phase: setupPhases.contract });
}

/** A catalog's shades, and whose key reads them. */
interface CatalogList {
  readonly catalogId: string;
  readonly probe: Probe;
  readonly role?: Role;
}

/** An import that was accepted for later (202) gets the time that the profile gives it to show. */
export async function untilListed(options: SetupRun, list: CatalogList, count: number): Promise<number> {
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
  options: SetupRun,
  { catalogId, probe, role = 'load' }: CatalogList,
): Promise<number> {
  const first = await ask(options, {
    call: calls.listShades(catalogId),
    ...{ credential: role, probe, keeps: true },
    known: modelled(role, { op: 'list-shades', catalog: catalogId }),
  });
  const further = await followPages(options, { first, catalogId, role }, (question) =>
    ask(options, { ...question, credential: role, probe: 'next-page', keeps: true }),
  );
  return (first.reading.count ?? 0) + further;
}

/** Imports a batch with the load key, and waits until it is listed. @returns the number of shades; 0 if it was not accepted. */
async function imported(
  options: SetupRun,
  catalogId: string,
  shades: readonly Shade[],
  [probe, list]: readonly [Probe, Probe],
): Promise<number> {
  const { exchange } = await ask(options, {
    call: calls.importShades({ catalog_id: catalogId, shades: [...shades] }),
    ...{ credential: 'load', probe },
    known: modelled('load', { op: 'import-shades', catalog: catalogId, shades }),
  });
  const { status = 0 } = exchange;
  const asked = { catalogId, probe: list };
  if (status === 202) return untilListed(options, asked, shades.length);
  return status >= 200 && status < 300 ? listed(options, asked) : 0;
}

export const largeCatalog = (tag: string): string => `tryon-${tag}-large`;

/** Imports the largest batch, and asks for its list so often that the machine's own hiccups do not matter. */
export async function probeLargeList(options: SetupRun): Promise<void> {
  const catalogId = largeCatalog(options.tag);
  await imported(options, catalogId, probeShades(options, 'M', batchLimit), ['batch-max', 'batch-max:list']);
  for (let n = 0; n < largeLists; n++)
    await ask(options, {
      call: calls.listShades(catalogId),
      ...{ credential: 'load', probe: 'large:list' },
    });
}

/** Imports shades with unusual values, for shoppers to use; undefined where the target does not take all of them. */
export async function importCorners(options: SetupRun): Promise<CornerCatalog | undefined> {
  const { profile, tag } = options;
  const id = `tryon-${tag}-corners`;
  const shades = cornerShades(tag, profile.finishes);
  const shown = await imported(options, id, shades, ['corners:import', 'corners:list']);
  return shown === 0 ? undefined : { id, skus: shades.map(({ sku }) => sku) };
}

/** Valid shades for a probe, in the finishes of the profile. `mark`: goes into the SKUs. */
export function probeShades(
  { profile, seed, tag }: Pick<SetupRun, 'profile' | 'seed' | 'tag'>,
  mark: string,
  count: number,
): Shade[] {
  return generateShades({ seed, tag: `${tag}${mark}`, count, finishes: profile.finishes });
}

/**
 * Reads the further pages of a list and keeps each answer, asked for by `ask`. It stops at a page that it cannot follow; the
 * check sees that. Returns how many shades the pages show.
 */
export async function followPages(
  { baseUrl, pages }: Pick<SetupRun, 'baseUrl' | 'pages'>,
  { catalogId, first, role }: { readonly catalogId: string; readonly first: Reply; readonly role: Role },
  ask: (question: Pick<Question, 'call' | 'known'>) => Promise<Reply | undefined>,
): Promise<number> {
  let asked = calls.listShades(catalogId).path;
  const seen = new Set([asked]);
  let shades = 0;
  for (let reply: Reply | undefined = first; reply?.reading.count !== undefined; ) {
    const answer = { body: reply.exchange.json(), ...pageHeadersOf(reply.exchange.headers) };
    const next = nextPage(answer, asked, baseUrl);
    if (next.kind !== 'more' || seen.has(next.path) || !pages.spend(role)) break;
    asked = next.path;
    seen.add(asked);
    reply = await ask({ call: calls.nextShades(catalogId, asked), known: { pageOf: first.seq } });
    shades += reply?.reading.count ?? 0;
  }
  return shades;
}
