import { randomUUID } from 'node:crypto';
import type { Catalog } from '../../../scenario/catalog/catalog.ts';
import * as calls from '../../../target/calls.ts';
import type { Keys } from '../../../target/keys.ts';
import type { Channel } from '../../../target/profile.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { ScopeProbe } from '../../../vocabulary/probes.ts';
import type { InteractionBatch, SessionGrant, ShadeBatch } from '../../../wire.ts';
import { type DateFormat, type Days, dayQuery } from '../../clock/days.ts';
import type { Asked } from '../../record/recorder.ts';
import type { StudyRequest } from '../sending/prober.ts';

interface TriesInput {
  readonly catalog: Catalog;
  /** A catalog that the bystander's key may read, since keys of other accounts do not see the load key's. */
  readonly otherCatalog: Catalog;
  readonly tag: string;
  readonly keys: Keys;
  readonly days: Days;
  readonly dateFormat: DateFormat;
  /** A session of the `load` key to read from and send events in; absent if none could be opened. */
  readonly session: SessionGrant | undefined;
  /** How shoppers send events, if known. */
  readonly channel: Channel | undefined;
  /** The instant for an interaction, epoch milliseconds. */
  readonly nowEpochMs: () => number;
  /** There is another address to send from. */
  readonly hasElsewhere: boolean;
}

/** The product of sessions that are requested only while the key is at its limit. */
export function refusedProductId(tag: string): string {
  return `tryon-${tag}-refused`;
}

/**
 * The tests while the `load` key is at its limit. Each is a function of a number, for fields that must differ between
 * requests.
 */
export function scopeTries(input: TriesInput): ReadonlyMap<ScopeProbe, (n: number) => StudyRequest> {
  const { catalog, channel, days, dateFormat, keys, session: opened, tag } = input;
  const read = calls.listShades(catalog.id);
  const tries = new Map<ScopeProbe, (n: number) => StudyRequest>();
  const add = (
    probe: ScopeProbe,
    call: (n: number) => calls.Call,
    credential: StudyRequest['credential'] = 'load',
    known: Partial<Asked> = {},
  ): void => {
    tries.set(probe, (n) => ({ call: call(n), credential, phase: studyPhases.scope, probe, known }));
  };
  if (opened !== undefined) {
    const { session_id: sessionId } = opened;
    add('scope:read-session', () => calls.readSession(sessionId), 'load', { sessionId });
  }
  const productId = refusedProductId(tag);
  const count = calls.analytics(dayQuery(days.exact(), dateFormat, productId));
  add('scope:analytics', () => count, 'load', { productId });
  const session = { product_id: productId, catalog_id: catalog.id, locale: catalog.locale };
  add('scope:create-session', () => calls.createSession(session), 'load', {
    productId,
    catalogId: catalog.id,
    locale: session.locale,
  });
  const shade = catalog.products[0]?.shades[0];
  const catalogId = `tryon-${tag}-scope`;
  let imported = 0;
  // A new SKU each time: a service may refuse one that it has.
  const shades = (): ShadeBatch['shades'] =>
    shade === undefined ? [] : [{ ...shade, sku: `${shade.sku}-${++imported}` }];
  add('scope:import-shades', () => calls.importShades({ catalog_id: catalogId, shades: shades() }), 'load', {
    catalogId,
    items: shade === undefined ? 0 : 1,
  });
  if (opened !== undefined && channel !== undefined && shade !== undefined)
    tries.set('scope:interact', () => interaction(channel, opened, shade.sku, input.nowEpochMs()));
  if (keys.bystander !== undefined)
    add('scope:other-key', () => calls.listShades(input.otherCatalog.id), 'bystander');
  if (input.hasElsewhere) {
    tries.set('scope:other-address', () => ({
      call: read,
      credential: 'load',
      phase: studyPhases.scope,
      probe: 'scope:other-address',
      from: 'elsewhere',
    }));
  }
  // Addresses for documentation (RFC 5737), a new one each time.
  add('scope:forwarded', (n) => ({ ...read, headers: sentFrom(`203.0.113.${1 + (n % 254)}`) }));
  add('scope:spelled', () => ({ ...read, spelling: 'trailing-slash' as const }));
  tries.set('scope:new-connection', () => ({
    call: read,
    credential: 'load',
    phase: studyPhases.scope,
    probe: 'scope:new-connection',
    from: 'new-connection',
  }));
  add('scope:bad-key', () => read, 'bad');
  add('scope:no-key', () => read, 'none');
  const unknown = `tryon-${tag}-unknown`;
  add('scope:unknown-session', () => calls.readSession(unknown), 'load', { sessionId: unknown });
  add('scope:unknown-catalog', () => calls.createSession({ ...session, catalog_id: unknown }), 'load', {
    productId,
    catalogId: unknown,
  });
  return tries;
}

/** Headers by which proxies say where a request comes from, and which a client can write as well. */
function sentFrom(address: string): Readonly<Record<string, string>> {
  return {
    'x-forwarded-for': address,
    'x-real-ip': address,
    'x-client-ip': address,
    'true-client-ip': address,
    forwarded: `for=${address}`,
  };
}

/** One selection in a session of the `load` key: an empty batch may be rejected before it is counted. */
function interaction(
  channel: Channel,
  { session_id: sessionId, token }: SessionGrant,
  sku: string,
  atMs: number,
): StudyRequest {
  const at = new Date(atMs).toISOString();
  const batch: InteractionBatch = { interactions: [{ id: randomUUID(), type: 'shade_selected', sku, at }] };
  return {
    call: calls.interact(channel, sessionId, batch),
    credential: channel.auth === 'session-token' ? { token, openedBy: 'load' } : 'load',
    phase: studyPhases.scope,
    probe: 'scope:interact',
    known: { sessionId, batch, items: batch.interactions.length, secrets: [token] },
  };
}
