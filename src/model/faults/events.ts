import { type ApiCall, type CallEvent, isBadEvent, outcomeOf } from '../call.ts';
import { besides } from '../features.ts';
import { anyOf, type Presence } from '../register.ts';
import { goodPart, type Model, usualMostEvents } from '../stages.ts';
import type { World } from '../world.ts';
import { batchesOf, otherwise, ranging } from './certainty.ts';
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
  fault('event-in-other-session', {
    says: 'Events may be stored in the session of a call that is under way at the same time.',
    behind: 'What belongs to one request is kept in a variable that all share, and changes while one waits.',
    alters: (m, _, { calls }) => {
      const near = besides(calls);
      return {
        targets: (session, call, world) => {
          const others = [...(near.get(call.n) ?? [])].flatMap(
            (n) => world.sessions.get(world.byNumber.get(n)?.session ?? n) ?? [],
          );
          return [...new Set([...m.targets(session, call, world), ...others])];
        },
      };
    },
    price: 4,
  }),
  fault('accepted-wrong', {
    says: '`accepted` counts {what}.',
    behind: 'The number is taken from the wrong list.',
    over: ['one event less than there are', 'one event more', 'selections alone', 'nothing'].map((what) => ({
      what,
    })),
    alters: (m, { what }) =>
      ranging(m, ['accepted'], ([least, most], { events = [] }) => {
        if (what === 'nothing') return [0, 0];
        if (what === 'selections alone') return [0, events.filter(isSelection).length];
        const by = what.includes('less') ? -1 : 1;
        return [Math.max(0, least + by), Math.max(0, most + by)];
      }),
  }),
  fault('cart-intent-ends-session', {
    says: 'After a cart intent, further events of its session are rejected.',
    behind: 'The session is taken for finished.',
    alters: (m) =>
      otherwise(
        m,
        (call, world) => {
          const earlier = call.op === 'interact' ? batchesOf(world, call.session ?? -1, call) : [];
          const carts = earlier.filter(
            (each) => outcomeOf(each) === 'ok' && (each.events ?? []).some(isCart),
          );
          return anyOf(
            carts.map((each) => (each.n === call.n ? 'no' : each.untilMs <= call.fromMs ? 'yes' : 'maybe')),
          );
        },
        'refused',
      ),
  }),
];
