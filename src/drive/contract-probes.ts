import { generateShades } from '../catalog/generate.ts';
import * as calls from '../target/calls.ts';
import { setupPhases } from '../vocabulary/phases.ts';
import type { NearKey, Probe } from '../vocabulary/probes.ts';
import { type Role, roles } from '../vocabulary/roles.ts';
import type { Shade } from '../wire.ts';
import type { Reply } from './ask.ts';
import type { KnownFields } from './ask-contract.ts';
import { contract } from './ask-contract.ts';
import { dayQuery } from './days.ts';
import { nearKeyHeaders } from './near-keys.ts';
import { followPages } from './pages.ts';
import type { SetupOptions } from './setup-options.ts';

/** Shades that POST /shades takes at most, by the interface. */
export const batchLimit = 500;

/** How often a list is read until it shows an import. */
const askAgainNs = 500e6;

/** One request, or a request and a read that follows it up, for each promise of the interface that can be asked directly. */
export async function probeContract(options: SetupOptions): Promise<void> {
  const ids = contractIds(options.tag);
  const requests = unauthorisedRequests(options);
  await probeAuthentication(options, requests);
  await probeNearKeys(options, requests);
  await probeNotFound(options, ids);
  await probeBatches(options, ids);
}

/** Ids of the contract probes, unique to the run like all that it creates. */
export function contractIds(tag: string): {
  readonly max: string;
  readonly over: string;
  readonly unknown: string;
  readonly unauthorised: string;
} {
  return {
    max: `tryon-${tag}-batch-max`,
    over: `tryon-${tag}-batch-over`,
    unknown: `tryon-${tag}-unknown`,
    unauthorised: `tryon-${tag}-unauthorised`,
  };
}

/**
 * A request without a valid key. If it is accepted, the history has to say which product has one session more.
 */
export interface Unauthorised {
  readonly call: calls.Call;
  readonly known: KnownFields;
}

/** One request to each endpoint of the interface. */
function unauthorisedRequests(options: SetupOptions): readonly Unauthorised[] {
  const ids = contractIds(options.tag);
  const catalogId = options.catalogs.load.id;
  const product = options.catalogs.load.products[0];
  const session = { product_id: product?.id ?? ids.unknown, catalog_id: catalogId, locale: 'en-GB' };
  return [
    {
      call: calls.createSession(session),
      known: { productId: session.product_id, catalogId, locale: session.locale },
    },
    { call: calls.readSession(ids.unknown), known: {} },
    { call: calls.listShades(catalogId), known: {} },
    // A separate catalog: a target that accepts this shade must not seem to know the unknown one.
    {
      call: calls.importShades({
        catalog_id: ids.unauthorised,
        shades: product?.shades.slice(0, 1) ?? [],
      }),
      known: {},
    },
    { call: calls.analytics(dayQuery(options.days.wide(), 'date')), known: {} },
  ];
}

async function probeAuthentication(options: SetupOptions, requests: readonly Unauthorised[]): Promise<void> {
  for (const [credential, prefix] of [
    ['none', 'no-key'],
    ['bad', 'bad-key'],
  ] as const) {
    for (const { call, known } of requests)
      await contract(options, call, { credential, probe: `${prefix}:${call.endpoint}` }, known);
  }
}

/** Keys that resemble the load key, each on one endpoint, in turn. */
async function probeNearKeys(options: SetupOptions, requests: readonly Unauthorised[]): Promise<void> {
  const { keys, pool } = options;
  const realKeys = new Set([...roles.flatMap((role) => keys[role]?.value ?? []), ...pool]);
  let place = 0;
  for (const [kind, authorization] of nearKeyHeaders(keys.load?.value ?? '', realKeys)) {
    const request = requests[place++ % requests.length];
    if (request === undefined) return;
    const { exchange } = await nearKey(options, request, kind, authorization);
    // The target has begun to limit invalid keys. More of them might lock out the valid ones.
    if (exchange.status === 429) return;
  }
}

/** Sends a request with a key that resembles a real one. */
export function nearKey(
  { asker }: SetupOptions,
  { call, known }: Unauthorised,
  kind: NearKey,
  authorization: string,
): Promise<Reply> {
  const secret = authorization.slice(authorization.indexOf(' ') + 1);
  return asker.askWith(authorization, {
    call,
    stage: 'setup',
    phase: setupPhases.contract,
    credential: 'bad',
    probe: `near-key:${kind}:${call.endpoint}`,
    known: { ...known, secrets: [secret] },
  });
}

async function probeNotFound(options: SetupOptions, ids: ReturnType<typeof contractIds>): Promise<void> {
  const product = options.catalogs.load.products[0];
  await contract(
    options,
    calls.readSession(ids.unknown),
    { credential: 'load', probe: 'unknown-session' },
    {
      sessionId: ids.unknown,
    },
  );
  const session = { product_id: product?.id ?? ids.unknown, catalog_id: ids.unknown, locale: 'en-GB' };
  await contract(
    options,
    calls.createSession(session),
    { credential: 'load', probe: 'unknown-catalog:create-session' },
    {
      catalogId: ids.unknown,
      productId: session.product_id,
    },
  );
  await contract(
    options,
    calls.listShades(ids.unknown),
    { credential: 'load', probe: 'unknown-catalog:list-shades' },
    {
      catalogId: ids.unknown,
    },
  );
}

async function probeBatches(options: SetupOptions, ids: ReturnType<typeof contractIds>): Promise<void> {
  const { seed, tag } = options;
  for (const role of options.roles)
    await listed(options, { catalogId: options.catalogs[role].id, probe: 'import:list', role });
  for (const [probe, catalogId, count] of [
    ['batch-max', ids.max, batchLimit],
    ['batch-over', ids.over, batchLimit + 1],
  ] as const) {
    const shades: Shade[] = generateShades({
      seed,
      tag: `${tag}${probe === 'batch-max' ? 'M' : 'O'}`,
      count,
    });
    const call = calls.importShades({ catalog_id: catalogId, shades });
    const { exchange } = await contract(
      options,
      call,
      { credential: 'load', probe },
      { catalogId, items: count },
    );
    if (exchange.status === 202) await untilListed(options, { catalogId, probe: `${probe}:list` }, count);
    else await listed(options, { catalogId, probe: `${probe}:list` });
  }
}

/** A catalog's shades, and whose key reads them. */
export interface CatalogList {
  readonly catalogId: string;
  readonly probe: Probe;
  readonly role?: Role;
}

/** An import that was accepted for later (202) gets the time that the profile gives it to show. */
export async function untilListed(options: SetupOptions, list: CatalogList, count: number): Promise<void> {
  const { asker, clock, profile } = options;
  const deadlineNs = clock.nowNs() + profile.import_visible * 1e6;
  for (;;) {
    // The last judged list was requested when the time was up.
    const isLast = clock.nowNs() >= deadlineNs;
    const shades = await listed(options, list);
    if (isLast || shades >= count) return;
    await asker.until(Math.min(clock.nowNs() + askAgainNs, Math.max(deadlineNs, clock.nowNs())));
  }
}

/** GET /shades, and its further pages if it comes in pages, all answers kept. Returns how many shades they show. */
export async function listed(
  options: SetupOptions,
  { catalogId, probe, role = 'load' }: CatalogList,
): Promise<number> {
  const first = await contract(
    options,
    calls.listShades(catalogId),
    { credential: role, probe },
    {
      catalogId,
      keepAnswer: { catalog_id: catalogId },
    },
  );
  return (first.reading.count ?? 0) + (await followPages(options, first, catalogId, role));
}
