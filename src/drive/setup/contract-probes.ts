import * as calls from '../../target/calls.ts';
import { setupPhases } from '../../vocabulary/phases.ts';
import { type ProbeStep, sendsStep } from '../../vocabulary/probe-steps.ts';
import { type NearKey, type Probe, spellings } from '../../vocabulary/probes.ts';
import { type Role, roles } from '../../vocabulary/roles.ts';
import type { Shade } from '../../wire.ts';
import type { Reply } from '../ask/ask.ts';
import { dayQuery } from '../clock/days.ts';
import { contract, contractAlone } from './ask-contract.ts';
import { nearKeyHeaders } from './near-keys.ts';
import { followPages } from './pages.ts';
import { probeShades } from './probe-shades.ts';
import type { SetupOptions } from './setup-options.ts';

/** Shades that POST /shades takes at most, by the interface. */
export const batchLimit = 500;

/** Characters of an id that no target issues: columns and routers end at 255 or 1,024. */
const longId = 1_100;

/** How often a list is read until it shows an import. */
const askAgainNs = 500e6;

/** One request, or a request and a read that follows it up, for each promise of the interface that can be asked directly. */
export async function probeContract(options: SetupOptions): Promise<void> {
  const ids = contractIds(options.tag);
  const unauthorised = unauthorisedCalls(options);
  const sends = (step: ProbeStep): boolean => sendsStep(step, options.onlyProbes);
  if (sends('authentication')) await probeAuthentication(options, unauthorised);
  if (sends('spellings')) await probeSpellings(options, unauthorised);
  if (sends('nearKeys')) await probeNearKeys(options, unauthorised);
  if (sends('notFound')) await probeNotFound(options, ids);
  if (sends('batches')) await probeBatches(options, ids);
}

/** Catalogs of a few shades that the probes of imports fill and list. */
export function smallCatalogIds(tag: string): readonly [again: string, names: string] {
  return [`tryon-${tag}-batch-again`, `tryon-${tag}-batch-names`];
}

/** Ids of the contract probes, unique to the run like all that it creates. */
export function contractIds(tag: string): {
  readonly max: string;
  readonly over: string;
  readonly unknown: string;
  readonly unauthorised: string;
  readonly tenancy: string;
} {
  return {
    max: `tryon-${tag}-batch-max`,
    over: `tryon-${tag}-batch-over`,
    unknown: `tryon-${tag}-unknown`,
    unauthorised: `tryon-${tag}-unauthorised`,
    tenancy: `tryon-${tag}-tenancy`,
  };
}

/**
 * One request to each endpoint of the interface, with and without its optional parameter, to be sent without a valid key. The
 * record of a session says of which product it is, in case it is opened; those of the others are about nothing that the run
 * knows.
 */
function unauthorisedCalls(options: SetupOptions): readonly calls.Call[] {
  const ids = contractIds(options.tag);
  const catalogId = options.catalogs.load.id;
  const product = options.catalogs.load.products[0];
  const session = {
    product_id: product?.id ?? ids.unknown,
    catalog_id: catalogId,
    locale: options.catalogs.load.locale,
  };
  // A separate catalog: a target that accepts this shade must not seem to know the unknown one.
  const batch = { catalog_id: ids.unauthorised, shades: product?.shades.slice(0, 1) ?? [] };
  const others = [
    calls.readSession(ids.unknown),
    calls.listShades(catalogId),
    calls.importShades(batch),
    calls.analytics(dayQuery(options.days.wide(), 'date')),
    calls.analytics(dayQuery(options.days.wide(), 'date', session.product_id)),
  ];
  return [calls.createSession(session), ...others.map((call) => ({ ...call, about: {} }))];
}

async function probeAuthentication(
  options: SetupOptions,
  unauthorised: readonly calls.Call[],
): Promise<void> {
  for (const [credential, prefix] of [
    ['none', 'no-key'],
    ['bad', 'bad-key'],
  ] as const) {
    for (const call of unauthorised)
      await contract(options, call, { credential, probe: `${prefix}:${call.endpoint}` });
  }
  // Connections are shared by all keys: one that takes later requests for those of its first key is told by this.
  await contractAlone(
    options,
    { ...calls.listShades(options.catalogs.load.id), about: {} },
    { credential: 'none', probe: 'no-key:own-connection' },
  );
}

/**
 * Each endpoint at a path that is spelled otherwise, or by HEAD, without a key: what compares the path or the method before it
 * asks for a key may take it for another one than what serves it.
 */
async function probeSpellings(options: SetupOptions, unauthorised: readonly calls.Call[]): Promise<void> {
  for (const [place, call] of unauthorised.entries()) {
    const spelling = spellings[place % spellings.length] ?? 'double-slash';
    await contract(
      options,
      { ...call, spelling },
      { credential: 'none', probe: `spelled:${spelling}:${call.endpoint}` },
    );
  }
}

/** Keys that resemble the load key, each on one endpoint, in turn. */
async function probeNearKeys(options: SetupOptions, unauthorised: readonly calls.Call[]): Promise<void> {
  const { keys, pool } = options;
  const realKeys = new Set([...roles.flatMap((role) => keys[role]?.value ?? []), ...pool]);
  let place = 0;
  for (const [kind, authorization] of nearKeyHeaders(keys.load?.value ?? '', realKeys)) {
    const call = unauthorised[place++ % unauthorised.length];
    if (call === undefined) return;
    const { exchange } = await nearKey(options, call, kind, authorization);
    // The target has begun to limit invalid keys. More of them might lock out the valid ones.
    if (exchange.status === 429) return;
  }
}

/** Sends a request with a key that resembles a real one. */
export function nearKey(
  { asker }: SetupOptions,
  call: calls.Call,
  kind: NearKey,
  authorization: string,
): Promise<Reply> {
  const secret = kind === 'scheme-alone' ? [] : [authorization.slice(authorization.indexOf(' ') + 1)];
  return asker.askWith(authorization, {
    call,
    stage: 'setup',
    phase: setupPhases.contract,
    credential: 'bad',
    probe: `near-key:${kind}:${call.endpoint}`,
    known: { secrets: secret },
  });
}

async function probeNotFound(options: SetupOptions, ids: ReturnType<typeof contractIds>): Promise<void> {
  const product = options.catalogs.load.products[0];
  // Imported later: that it did not exist must not be remembered.
  const [catalogId] = smallCatalogIds(options.tag);
  const session = {
    product_id: product?.id ?? ids.unknown,
    catalog_id: catalogId,
    locale: options.catalogs.load.locale,
  };
  const asLoad = (call: calls.Call, probe: Probe): Promise<Reply> =>
    contract(options, call, { credential: 'load', probe });
  await asLoad(calls.readSession(ids.unknown), 'unknown-session');
  await asLoad(calls.readSession(ids.unknown.padEnd(longId, '-')), 'unknown-session:long');
  await asLoad(calls.createSession(session), 'unknown-catalog:create-session');
  await asLoad(calls.listShades(catalogId), 'unknown-catalog:list-shades');
}

/** The shades of the largest batch, in a separate catalog. */
export function largestBatch(options: Pick<SetupOptions, 'profile' | 'seed' | 'tag'>): Shade[] {
  return probeShades(options, 'M', batchLimit);
}

async function probeBatches(options: SetupOptions, ids: ReturnType<typeof contractIds>): Promise<void> {
  for (const role of options.roles)
    await listed(options, { catalogId: options.catalogs[role].id, probe: 'import:list', role });
  for (const [probe, catalogId, shades] of [
    ['batch-max', ids.max, largestBatch(options)],
    ['batch-over', ids.over, probeShades(options, 'O', batchLimit + 1)],
  ] as const) {
    const call = calls.importShades({ catalog_id: catalogId, shades });
    const { exchange } = await contract(options, call, { credential: 'load', probe });
    if (exchange.status === 202)
      await untilListed(options, { catalogId, probe: `${probe}:list` }, shades.length);
    else await listed(options, { catalogId, probe: `${probe}:list` });
  }
  if (!options.probeSessions) return;
  const product = options.catalogs.load.products[0];
  const body = {
    product_id: product?.id ?? ids.unknown,
    catalog_id: ids.max,
    locale: options.catalogs.load.locale,
  };
  await contract(options, calls.createSession(body), {
    credential: 'load',
    probe: 'batch-max:create-session',
  });
}

/** Sessions of the contract probes. */
export const contractSessions = 1;

/** A catalog's shades, and whose key reads them. */
export interface CatalogList {
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
  const first = await contract(options, calls.listShades(catalogId), {
    credential: role,
    probe,
    keeps: true,
  });
  return (first.reading.count ?? 0) + (await followPages(options, first, catalogId, role));
}
