import { randomUUID } from 'node:crypto';
import { counted } from '../../amounts.ts';
import {
  type CornerSession,
  eventDeliveries,
  longSessionsInSetup,
  mostInCornerSession,
  sessionsBeforeLoad,
  urlProduct,
} from '../../corners/sessions.ts';
import type { SessionValues, TakenValues } from '../../corners/taken.ts';
import * as calls from '../../target/calls.ts';
import type { Channel } from '../../target/profile.ts';
import type { Interaction, InteractionBatch, SessionGrant } from '../../wire.ts';
import { epochMs } from '../clock/clock.ts';
import { contract } from './ask-contract.ts';
import type { Corners } from './corner-probes.ts';
import { eventsProductId, selection, sendEvents } from './event-probes.ts';
import type { SetupOptions } from './setup-options.ts';

/**
 * Sessions before the load: one with many events in an unusual order, on a product whose id differs from another's in case only,
 * and some with unusual products. @returns which values the target took, so that shoppers may use them.
 */
export async function probeCornerSessions(
  options: SetupOptions,
  corners: Corners,
  channel: Channel | undefined,
): Promise<TakenValues | undefined> {
  const { tag, writer } = options;
  const long = eventDeliveries('single', channel?.most_events).slice(0, longSessionsInSetup);
  const deliver = await openLong(options, corners, channel, long);
  const { areOpen, delivered } = await deliver();
  // The first delivery alone begins with a cart intent, and the others have every SKU.
  const [cartFirst = false, ...others] = delivered;
  const areSelected = channel === undefined ? areOpen : others.length > 0 && others.every((each) => each);
  const usable = areSelected ? corners : { ...corners, skus: [] };
  const { catalogId, skus } = selectable(options, usable);
  const openings: SessionValues[] = [];
  const one = await opened(options, catalogId, withLocale(options, urlProduct(`tryon-${tag}`)));
  if (one !== undefined) {
    openings.push(one.opening);
    await cartAlone(options, one.grant, channel, skus[0]);
  }
  openings.push(...(await openUnusual(options, usable, channel, sessionsBeforeLoad(`tryon-${tag}`))));
  const catalog = usable.skus.length > 0 ? { id: catalogId, skus } : undefined;
  const value = inWords(openings, catalog);
  writer.event({ kind: 'discovered', what: 'unusual values for shoppers', value });
  // Usual products were not tried with the catalog.
  return openings.length === 0 ? undefined : { catalog, openings, cartFirst };
}

function inWords(openings: TakenValues['openings'], catalog: TakenValues['catalog']): string {
  if (openings.length === 0) return 'none was accepted';
  const products = counted(openings.length, 'product');
  return catalog === undefined
    ? products
    : `${products}, and a catalog with ${counted(catalog.skus.length, 'SKU')}`;
}

/** Its only event is a cart intent: of a shade that was never selected. */
async function cartAlone(
  options: SetupOptions,
  grant: SessionGrant,
  channel: Channel | undefined,
  sku: string | undefined,
): Promise<void> {
  if (channel === undefined || sku === undefined) return;
  const cart: Interaction = { ...selection(options, sku), type: 'cart_intent' };
  await sendEvents({ options, channel, grant }, 'corners:acts', [{ interactions: [cart] }]);
}

/** Opens sessions with unusual products and locales, and sends one event, two, and so on in turn. @returns those that were opened. */
async function openUnusual(
  options: SetupOptions,
  corners: Corners,
  channel: Channel | undefined,
  sessions: readonly CornerSession[],
): Promise<SessionValues[]> {
  const { catalogId, skus } = selectable(options, corners);
  const openings: SessionValues[] = [];
  for (const [place, session] of sessions.entries()) {
    const one = await opened(options, catalogId, withLocale(options, session));
    if (one === undefined) continue;
    openings.push(one.opening);
    if (channel === undefined) continue;
    // Their instants are milliseconds apart, and none is before the session.
    await options.asker.until(options.clock.nowNs() + mostInCornerSession * 1e6);
    const count = 1 + (place % mostInCornerSession);
    const interactions = fewEvents(options, skus, place * mostInCornerSession, count);
    for (const batch of batchesOf(interactions, channel))
      await sendEvents({ options, channel, grant: one.grant }, 'corners:acts', [batch]);
  }
  return openings;
}

/** A catalog with SKUs that a session may select: unusual ones, if the target took any. */
function selectable(
  { catalogs }: SetupOptions,
  corners: Corners,
): { readonly catalogId: string; readonly skus: readonly string[] } {
  const { id, products } = catalogs.load;
  return corners.skus.length > 0
    ? { catalogId: corners.catalogId ?? id, skus: corners.skus }
    : { catalogId: id, skus: products.flatMap(({ shades }) => shades.map(({ sku }) => sku)) };
}

/** Selections of the next SKUs, with a cart intent before the last one. */
function fewEvents(
  options: SetupOptions,
  skus: readonly string[],
  first: number,
  count: number,
): Interaction[] {
  return Array.from({ length: count }, (_, n) => ({
    ...selection(options, skus[(first + n) % skus.length] ?? '', count - 1 - n),
    ...(n === count - 2 && { type: 'cart_intent' as const }),
  }));
}

function batchesOf(
  interactions: readonly Interaction[],
  { most_events: most = interactions.length }: Channel,
): InteractionBatch[] {
  return Array.from({ length: Math.ceil(interactions.length / most) }, (_, n) => ({
    interactions: interactions.slice(n * most, (n + 1) * most),
  }));
}

/**
 * The products of these sessions, of which analytics are asked for: each id has to be told from those nearly like it. First that
 * which differs in case only from the product that is asked for just before.
 */
export function unusualProducts({ corners, probeSessions, tag }: SetupOptions): readonly string[] {
  if (!probeSessions || !corners) return [];
  return [
    eventsProductId(tag).toUpperCase(),
    urlProduct(`tryon-${tag}`).productId,
    ...sessionsBeforeLoad(`tryon-${tag}`).map(({ productId }) => productId),
  ];
}

/** Whether the sessions were opened, and which deliveries of events were taken. */
interface LongSessions {
  readonly areOpen: boolean;
  readonly delivered: readonly boolean[];
}

/** Opens a session for each of these deliveries. The result delivers the events, of which none is before the session. */
async function openLong(
  options: SetupOptions,
  corners: Corners,
  channel: Channel | undefined,
  long: readonly (readonly number[])[],
): Promise<() => Promise<LongSessions>> {
  const { asker, clock, tag } = options;
  const productId = eventsProductId(tag).toUpperCase();
  const { catalogId, skus } = selectable(options, corners);
  const session = withLocale(options, { productId, locale: 'zh-Hans-CN', isExact: true });
  const sessions: (readonly [grant: SessionGrant, deliveries: readonly number[], openedNs: number])[] = [];
  for (const deliveries of long) {
    const one = await opened(options, catalogId, session);
    if (one !== undefined) sessions.push([one.grant, deliveries, clock.nowNs()]);
  }
  return async () => {
    const areOpen = sessions.length > 0;
    if (channel === undefined) return { areOpen, delivered: [] };
    const delivered: boolean[] = [];
    for (const [grant, deliveries, openedNs] of sessions) {
      const total = deliveries.reduce((sum, each) => sum + each, 0);
      await asker.until(openedNs + total * 1e6);
      for (const interactions of events(options, skus, deliveries))
        delivered.push(await sendEvents({ options, channel, grant }, 'corners:acts', [{ interactions }]));
    }
    return { areOpen, delivered };
  };
}

/** The session with a locale that the target takes, where the profile names those. */
function withLocale({ catalogs, profile }: SetupOptions, session: CornerSession): CornerSession {
  const isTaken = profile.locales === undefined || profile.locales.includes(session.locale);
  return isTaken ? session : { ...session, locale: catalogs.load.locale };
}

/** Opens a session, with a plain locale where its own is rejected. */
async function opened(
  options: SetupOptions,
  catalogId: string,
  { isExact, locale, productId }: CornerSession,
): Promise<{ readonly grant: SessionGrant; readonly opening: SessionValues } | undefined> {
  for (const tried of new Set([locale, options.catalogs.load.locale])) {
    const body = { product_id: productId, catalog_id: catalogId, locale: tried };
    const probe = { credential: 'load', probe: 'corners:create-session' } as const;
    const { exchange, reading } = await contract(options, calls.createSession(body), probe);
    const { grant } = reading;
    if (grant !== undefined) {
      if (isExact) options.sample.toBeRead('load', grant.session_id, grant.token);
      return { grant, opening: { productId, locale: tried } };
    }
    const { status = 0 } = exchange;
    // A quota or a rate does not depend on the locale.
    if (status < 400 || status >= 500 || [401, 402, 429].includes(status)) return undefined;
  }
  return undefined;
}

/**
 * Events in deliveries of these sizes: a cart intent first and no other, each SKU selected again and again, two with the same
 * instant, and one earlier than the one before it.
 */
function events(
  { clock }: SetupOptions,
  skus: readonly string[],
  deliveries: readonly number[],
): Interaction[][] {
  const total = deliveries.reduce((sum, each) => sum + each, 0);
  const endMs = epochMs(clock, clock.nowNs());
  // Not in the future: the last one is now.
  const atMs = (place: number): number => endMs - total + 1 + place;
  let place = 0;
  return deliveries.map((count) =>
    Array.from({ length: count }, () => {
      const n = place++;
      // The second and the third share an instant; the fifth comes before the fourth.
      const shift = n === 2 ? -1 : n === 4 ? -2 : 0;
      const sku = skus[n % skus.length] ?? '';
      const type = n === 0 ? 'cart_intent' : 'shade_selected';
      return { id: randomUUID(), type, sku, at: new Date(atMs(n + shift)).toISOString() };
    }),
  );
}
