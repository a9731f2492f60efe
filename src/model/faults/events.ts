import { type ApiCall, type CallEvent, isBadEvent, outcomeOf } from '../call.ts';
import { anyOf, type Presence } from '../register.ts';
import { goodPart, type Model, usualMostEvents } from '../stages.ts';
import type { World } from '../world.ts';
import {
  isAfter,
  ofChunk,
  otherwise,
  partOfRows,
  parts,
  ranging,
  unsureAtOnce,
  withoutOneOf,
} from './certainty.ts';
import { faultsOf } from './fault.ts';
import { pinned } from './shades.ts';

/** What a batch of events stores. */

const fault = faultsOf('events');
const isRefused = (call: ApiCall): boolean => outcomeOf(call) === 'refused' || outcomeOf(call) === 'missing';

/** Another choice of the events that are stored of a batch. */
export const storing = (
  m: Model,
  choose: (events: readonly CallEvent[], call: ApiCall, world: World) => readonly CallEvent[],
): Pick<Model, 'events'> => ({
  events: (events, call, world) => choose(m.events(events, call, world), call, world),
});
/** Whether a batch came after another one of its session that was taken. */
const afterBatch = (
  call: ApiCall,
  world: World,
  isMeant: (call: ApiCall, earlier: ApiCall) => boolean,
): Presence =>
  call.op === 'interact'
    ? isAfter(
        call,
        world,
        (each) =>
          each.op === 'interact' &&
          each.session === call.session &&
          outcomeOf(each) === 'ok' &&
          isMeant(call, each),
      )
    : 'no';
/** Batches that come after another one are taken, and not stored. */
export const droppingAfter = (
  m: Model,
  isMeant: (call: ApiCall, earlier: ApiCall) => boolean,
): Pick<Model, 'events' | 'isCertain'> => ({
  ...storing(m, (events, call, world) => (afterBatch(call, world, isMeant) === 'yes' ? [] : events)),
  isCertain: (call, world) => m.isCertain(call, world) && afterBatch(call, world, isMeant) !== 'maybe',
});
const isCart = ({ type }: CallEvent): boolean => type === 'cart_intent';
export const isSelection = (event: CallEvent | undefined): boolean => event?.type === 'shade_selected';

export const eventFaults = [
  fault('unknown-sku-accepted', {
    says: 'An event with a SKU that the catalog does not have is stored.',
    behind: 'SKUs of events are not looked up.',
    alters: ({ free }) => ({ free: pinned(pinned(free, 'unknownSku', 'taken'), 'unknownCartSku', 'taken') }),
  }),
  fault('unknown-sku-accepted', {
    says: 'An event with a SKU of another catalog of the account is stored.',
    behind: 'SKUs of events are looked up without the catalog.',
    alters: (m) => ({
      reads: (account, catalog, call, world) =>
        call.op === 'interact'
          ? [...world.catalogs.keys()].filter((place) => place.startsWith(`${account} `))
          : m.reads(account, catalog, call, world),
    }),
  }),
  fault('unknown-sku-dropped', {
    says: 'An event with a SKU that the catalog does not have is dropped, and its batch answered as accepted.',
    behind: 'An insert that selects from the catalog.',
    alters: ({ free }) => ({
      free: pinned(pinned(free, 'unknownSku', 'dropped'), 'unknownCartSku', 'dropped'),
    }),
  }),
  fault('new-sku-unknown', {
    says: 'A SKU that was imported after the session was opened is unknown to its events.',
    behind: 'The session keeps the list of SKUs of its creation.',
    alters: (m) =>
      otherwise(
        m,
        (call, world) => {
          const session = world.sessions.get(call.session ?? -1);
          const shelf = session && world.catalogs.get(m.place(session.account, session.catalog, call));
          if (call.op !== 'interact' || session === undefined || shelf === undefined) return 'no';
          const all = (call.events ?? []).map(({ sku }): Presence => {
            const writes = sku === undefined ? [] : shelf.of(m.skuSlot(sku, call, world));
            if (writes.length === 0 || writes.some(({ untilMs }) => untilMs <= session.fromMs)) return 'no';
            return writes.every(({ fromMs }) => fromMs > session.untilMs) ? 'yes' : 'maybe';
          });
          return anyOf(all);
        },
        'refused',
      ),
  }),
  fault('refused-interaction-stored', {
    says: 'A batch that is rejected {why} stores {part}.',
    behind: 'Events are validated while they are written, without a transaction.',
    over: ['for whichever event', 'for a malformed event', 'for an unknown SKU'].flatMap((why) =>
      ['the events before the bad one', 'its good events', 'all its events'].map((part) => ({ part, why })),
    ),
    alters: (m, { part, why }) => ({
      events: (events, call, world) => {
        const session = world.sessions.get(call.session ?? -1);
        if (!isRefused(call) || session === undefined || call.by.kind === 'key')
          return m.events(events, call, world);
        const shelf = world.catalogs.get(m.place(session.account, session.catalog, call));
        const isBad = (event: CallEvent): boolean => isBadEvent(event) || isUnknown(event);
        const isUnknown = ({ sku }: CallEvent): boolean =>
          sku !== undefined && shelf?.registers.has(m.skuSlot(sku, call, world)) !== true;
        const isMeant = why.endsWith('SKU')
          ? isUnknown
          : why.endsWith('malformed event')
            ? isBadEvent
            : isBad;
        if (!events.some(isMeant)) return m.events(events, call, world);
        if (part === 'all its events') return events;
        return part === 'its good events'
          ? events.filter((each) => !isBad(each))
          : goodPart(events, isBad, events.length);
      },
    }),
  }),
  fault('interactions-lost-alone', {
    says: 'The ids of a batch that was rejected count as seen: its events are not stored when they are sent again.',
    behind: 'Ids are remembered before the events are validated.',
    alters: (m) =>
      storing(m, (events, call, { calls }) => {
        const seen = calls.filter(
          (each) =>
            each.fromMs < call.fromMs &&
            each.op === 'interact' &&
            each.session === call.session &&
            isRefused(each),
        );
        const ids = new Set(seen.flatMap((each) => (each.events ?? []).map(({ id }) => id)));
        return events.filter(({ id }) => !ids.has(id));
      }),
  }),
  fault('interactions-lost', {
    says: 'Events of the type {type} are not stored {when}.',
    behind: 'A filter, a type that the store does not know, or one write for all types of a batch.',
    over: ['at all', 'where their batch has another type', 'where another type comes before them'].flatMap(
      (when) => [
        { type: 'cart_intent', when },
        { type: 'shade_selected', when },
      ],
    ),
    alters: (m, { type, when }) =>
      storing(m, (events) => {
        const other = when === 'at all' ? 0 : events.findIndex((event) => event.type !== type);
        const from = when.includes('before') ? other : Math.min(other, 0);
        return other < 0 ? events : events.filter((event, at) => event.type !== type || at < from);
      }),
  }),
  fault('interactions-lost', {
    says: 'A cart intent without a SKU is not stored.',
    behind: 'A join with the shades drops it.',
    alters: (m) => storing(m, (events) => events.filter(({ sku }) => sku !== undefined)),
  }),
  fault('interactions-lost', {
    says: 'A batch stores only {part} {size:event}.',
    behind: 'A limit of a queue or of a statement, or a last chunk that never becomes full.',
    over: parts.flatMap((part) =>
      [1, 2, 3, 4, 5, 6, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128].map((size) => ({ part, size })),
    ),
    alters: (m, { part, size }) => storing(m, (events) => partOfRows(events, part, size)),
  }),
  fault('batch-too-large', {
    says: 'A batch of more than {most:event} is rejected.',
    behind: 'An undocumented limit.',
    over: [1, 2, 3, 4, 5, 8, 10, usualMostEvents].map((most) => ({ most })),
    alters: (m, { most }) =>
      otherwise(
        m,
        ({ events = [], op }) => (op === 'interact' && events.length > most ? 'yes' : 'no'),
        'refused',
      ),
  }),
  fault('interactions-lost', {
    says: 'Of a batch of several events, the {which} is not stored.',
    behind: 'An off-by-one in a loop.',
    over: [{ which: 'last' }, { which: 'first' }],
    alters: (m, { which }) =>
      storing(m, (events) =>
        events.length < 2 ? events : which === 'last' ? events.slice(0, -1) : events.slice(1),
      ),
  }),
  fault('every-nth-event-lost', {
    says: 'Of a batch in chunks of {size:event}, the {which} is not stored.',
    behind: 'Chunks whose ends do not meet.',
    over: ofChunk.flatMap((which) => [2, 3, 4, 5, 10, 20, 25, 50, 100].map((size) => ({ size, which }))),
    alters: (m, { size, which }) => storing(m, (events) => events.filter(withoutOneOf(size, which))),
  }),
  fault('event-in-other-session', {
    says: 'A batch is stored in the session of the batch before it.',
    behind: 'The id of the session is read from a variable that several requests share.',
    alters: () => ({
      targets: (session, call, { known, sessions }) => {
        const earlier = known.filter(
          (each) => each.op === 'interact' && each.n !== call.n && each.fromMs < call.untilMs,
        );
        const last = earlier.findLast(({ untilMs }) => untilMs <= call.fromMs);
        const rivals = earlier.filter(({ untilMs }) => last === undefined || untilMs >= last.fromMs);
        const all = rivals.flatMap((each) => sessions.get(each.session ?? -1) ?? []);
        return all.length === 0 ? [session] : [...new Set(last === undefined ? [session, ...all] : all)];
      },
    }),
    price: 4,
  }),
  fault('interactions-lost', {
    says: 'Events that are from before their session was opened are not stored.',
    behind: 'A filter against clocks that are wrong.',
    alters: (m) =>
      storing(m, (events, call, world) => {
        const session = world.sessions.get(call.session ?? -1);
        return session === undefined ? events : events.filter(({ atMs }) => atMs >= session.fromMs);
      }),
  }),
  fault('accepted-wrong', {
    says: '`accepted` counts {what}.',
    behind: 'The number is taken from the wrong list.',
    over: [
      { what: 'one event less than there are' },
      { what: 'one event more than there are' },
      { what: 'selections alone' },
      { what: 'nothing' },
    ],
    alters: (m, { what }) =>
      ranging(m, ['accepted'], ([least, most], { events = [] }) => {
        if (what === 'nothing') return [0, 0];
        if (what === 'selections alone') return [0, events.filter(isSelection).length];
        const by = what.includes('less') ? -1 : 1;
        return [Math.max(0, least + by), Math.max(0, most + by)];
      }),
  }),
  fault('cart-intent-ends-session', {
    says: 'After a cart intent, a session takes no further events ({how}).',
    behind: 'The session is taken for finished.',
    over: [
      { how: 'they are rejected' },
      { how: 'they are not stored' },
      { how: 'they are not stored, nor is the rest of its batch' },
    ],
    alters: (m, { how }, { calls }) => {
      const hasCart = (_: ApiCall, { events = [] }: ApiCall): boolean => events.some(isCart);
      if (how === 'they are rejected')
        return otherwise(m, (call, world) => afterBatch(call, world, hasCart), 'refused');
      const dropping = droppingAfter(m, hasCart);
      if (how === 'they are not stored') return dropping;
      const { isCertain } = unsureAtOnce({ ...m, ...dropping }, calls, 'interact');
      return {
        isCertain,
        // What is dropped may count as accepted, and as seen.
        ...ranging(m, ['accepted'], (_, { events = [] }) => [0, events.length]),
        ...storing({ ...m, ...dropping }, (events) => {
          const end = events.findIndex(isCart);
          return end < 0 ? events : events.slice(0, end + 1);
        }),
      };
    },
  }),
];
