import { randomUUID } from 'node:crypto';
import * as calls from '../../target/calls.ts';
import type { Channel } from '../../target/profile.ts';
import type { Interaction, InteractionBatch, SessionGrant } from '../../wire.ts';
import type { Question } from '../ask/ask.ts';
import { epochMs } from '../clock/clock.ts';
import { placeOf } from './ask-contract.ts';
import type { SetupOptions } from './setup-options.ts';

type EventProbe =
  | 'connection:acts'
  | 'corners:acts'
  | 'acts:at-once'
  | 'acts:again'
  | 'acts:cart'
  | 'acts:after-cart'
  | 'acts:bare-cart'
  | 'acts:late';

/** Sessions of these probes. */
export const eventSessions = 2;
/** Batches sent at once in a session, and the events in each. */
const batchesAtOnce = 4;
const actsInBatch = 2;
/** How often a batch is sent again: the more, the less it can hide among other figures. */
const repeats = 2;
/** Requests after the load: an event that is sent again, and one that comes late. */
export const lateQuestions = 2;
/** Requests of these probes. All use the load key, so they may spend its rate. */
export const eventQuestions = eventSessions * (1 + batchesAtOnce) + 1 + repeats + 4 + lateQuestions;

/** The product of these probes' sessions, which are then all that its analytics know. */
export function eventsProductId(tag: string): string {
  return `tryon-${tag}-acts`;
}

/** Events of which analytics have to know exactly: that arrive at the same moment, are sent again, or are cart intents. */
export async function probeEvents(options: SetupOptions, channel: Channel): Promise<EventProbes> {
  const [product] = options.catalogs.load.products;
  const skus = product?.shades.map(({ sku }) => sku) ?? [];
  const ofCatalog = options.catalogs.load.products.flatMap(({ shades }) => shades.map(({ sku }) => sku));
  let earlier: SessionGrant | undefined;
  let late: LateEvents | undefined;
  for (const [n, grant] of (await openSessions(options)).entries()) {
    // Two sessions with one id are a fault that shows by itself.
    if (grant === undefined || grant.session_id === earlier?.session_id) continue;
    const session = { options, channel, grant };
    // Their instants are milliseconds apart, and none is before the session.
    await options.asker.until(options.clock.nowNs() + batchesAtOnce * actsInBatch * 1e6);
    const batches = batchesOf(options, channel, skus);
    const [first] = batches;
    const again = n === 0 && channel.repeated_id === 'once' && first !== undefined ? [first] : [];
    // Over a single connection nothing arrives at once. A batch that is sent again may overtake the first one.
    if (options.profile.connections > 1) await sendEvents(session, 'acts:at-once', [...batches, ...again]);
    for (let times = 0; times < repeats && again.length > 0; times++)
      await sendEvents(session, 'acts:again', again);
    const used = batches.flatMap(({ interactions }) => interactions.map(({ sku }) => sku));
    const [unused, , third, fourth] = ofCatalog.filter((sku) => !used.includes(sku));
    // The last event: in a short run it may be the only one, and a rate of 0 is right in any unit.
    const [sku] = used;
    if (n === 0 && unused !== undefined && third !== undefined) {
      // Of a shade that is never selected; and not the last event, as that of the other session is.
      const cart: Interaction = { ...selection(options, unused), type: 'cart_intent' };
      // A second one in the session changes no rate of sessions.
      const carts = [cart, ...(sku === undefined ? [] : [{ ...selection(options, sku), type: cart.type }])];
      await sendEvents(session, 'acts:cart', [{ interactions: carts.slice(0, channel.most_events) }]);
      await sendEvents(session, 'acts:after-cart', [{ interactions: [selection(options, third)] }]);
    }
    if (n === 0 && first !== undefined && fourth !== undefined) late = { grant, sku: fourth, batch: first };
    if (n > 0 && sku !== undefined) {
      const cart: Interaction = { ...selection(options, sku), type: 'cart_intent' };
      await sendEvents(session, 'acts:cart', [{ interactions: [cart] }]);
      // In the same session, so that the rate is right whether or not this one counts.
      const { sku: _, ...bare } = { ...cart, id: randomUUID() };
      await sendEvents(session, 'acts:bare-cart', [{ interactions: [bare] }]);
    }
    options.sample.toBeRead('load', grant.session_id, grant.token);
    earlier = grant;
  }
  return { last: earlier, late };
}

/** What the probes leave for later. */
interface EventProbes {
  /** The last of their sessions. */
  readonly last: SessionGrant | undefined;
  readonly late: LateEvents | undefined;
}

/** A session, a batch that it got at its start, and a shade of which it has no event. */
export interface LateEvents {
  readonly grant: SessionGrant;
  readonly batch: InteractionBatch;
  readonly sku: string;
}

/**
 * After the load: a batch of the start again, since what was remembered of its ids may be forgotten, and an event that carries
 * the instant of that batch, as from a device that was offline. None in a session that may have expired.
 */
export async function probeLateEvents(
  options: SetupOptions,
  channel: Channel,
  { batch, grant, sku }: LateEvents,
): Promise<void> {
  if (!isLive(options, grant)) return;
  const session = { options, channel, grant };
  if (channel.repeated_id === 'once') await sendEvents(session, 'acts:again', [batch]);
  const at = batch.interactions[0]?.at ?? '';
  await sendEvents(session, 'acts:late', [{ interactions: [{ ...selection(options, sku), at }] }]);
}

/** Whether the session has not expired yet, by any clock. */
export function isLive({ clock, profile }: SetupOptions, { expires_at }: SessionGrant): boolean {
  return epochMs(clock, clock.nowNs()) < Date.parse(expires_at) - profile.clock_skew_bound;
}

/** All at once: whatever requests share, each has to get a separate session. */
async function openSessions(options: SetupOptions): Promise<(SessionGrant | undefined)[]> {
  const productId = eventsProductId(options.tag);
  const { id, locale } = options.catalogs.load;
  const body = { product_id: productId, catalog_id: id, locale };
  const probe = { credential: 'load', probe: 'acts:create-session' } as const;
  const call = calls.createSession(body);
  const question: Question = { call, ...placeOf(options), ...probe };
  const replies = await options.asker.askAtOnce(Array.from({ length: eventSessions }, () => question));
  return replies.map(({ reading }) => reading.grant);
}

/**
 * Batches of different shades where there are enough, so that each event can be told by its content. No two have one instant:
 * what merges such events would lose some of these, too.
 */
function batchesOf(
  options: SetupOptions,
  { most_events: most = actsInBatch }: Channel,
  skus: readonly string[],
): InteractionBatch[] {
  const size = Math.min(most, actsInBatch);
  const count = Math.min(batchesAtOnce, Math.floor(skus.length / size));
  return Array.from({ length: count }, (_, n) => ({
    interactions: skus
      .slice(n * size, (n + 1) * size)
      .map((sku, place) => selection(options, sku, n * size + place)),
  }));
}

/** `earlierMs`: how long before now it happened. */
export function selection({ clock }: SetupOptions, sku: string, earlierMs = 0): Interaction {
  const at = new Date(epochMs(clock, clock.nowNs()) - earlierMs).toISOString();
  return { id: randomUUID(), type: 'shade_selected', sku, at };
}

/** A session to which probes send events. */
interface ProbedSession {
  readonly options: SetupOptions;
  readonly channel: Channel;
  readonly grant: SessionGrant;
}

/** Sends batches to a session's channel, all at once. @returns whether all were taken. */
export async function sendEvents(
  { channel, grant, options }: ProbedSession,
  probe: EventProbe,
  batches: readonly InteractionBatch[],
): Promise<boolean> {
  const { session_id: sessionId, token } = grant;
  const byToken = channel.auth === 'session-token';
  const questions = batches.map(
    (batch): Question => ({
      call: calls.interact(channel, sessionId, batch),
      ...placeOf(options),
      credential: byToken ? 'session' : 'load',
      probe,
      known: { secrets: [token] },
    }),
  );
  const replies = await options.asker.askAtOnce(questions, byToken ? token : undefined);
  return replies.every(({ exchange: { status = 0 } }) => status >= 200 && status < 300);
}
