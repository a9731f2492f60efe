import { type Folding, foldingNames, foldings } from '../alike.ts';
import { type ApiCall, type CallEvent, isBadEvent, outcomeOf } from '../call.ts';
import type { Presence } from '../register.ts';
import { goodPart, type Model } from '../stages.ts';
import type { World } from '../world.ts';
import { isAfter, otherwise, unsureAtOnce } from './certainty.ts';
import { faultsOf } from './fault.ts';
import { pinned } from './shades.ts';

/** What a batch of events stores. */

const fault = faultsOf('events');
const isRefused = (call: ApiCall): boolean => outcomeOf(call) === 'refused' || outcomeOf(call) === 'missing';

/** Another choice of the events that are stored of a batch. */
const storing = (
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
const droppingAfter = (
  m: Model,
  isMeant: (call: ApiCall, earlier: ApiCall) => boolean,
): Pick<Model, 'events' | 'isCertain'> => ({
  ...storing(m, (events, call, world) => (afterBatch(call, world, isMeant) === 'yes' ? [] : events)),
  isCertain: (call, world) => m.isCertain(call, world) && afterBatch(call, world, isMeant) !== 'maybe',
});
const isSelection = (event: CallEvent | undefined): boolean => event?.type === 'shade_selected';

export const eventFaults = [
  fault('unknown-sku-accepted', {
    says: 'An event with a SKU that the catalog does not have is stored.',
    behind: 'SKUs of events are not looked up.',
    alters: ({ free }) => ({ free: pinned(free, 'unknownSku', 'taken') }),
  }),
  fault('unknown-sku-dropped', {
    says: 'An event with a SKU that the catalog does not have is dropped, and its batch answered as accepted.',
    behind: 'An insert that selects from the catalog.',
    alters: ({ free }) => ({ free: pinned(free, 'unknownSku', 'dropped') }),
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
          return all.includes('yes') ? 'yes' : all.includes('maybe') ? 'maybe' : 'no';
        },
        'refused',
      ),
  }),
  fault('refused-interaction-stored', {
    says: 'A batch that is rejected stores {part}.',
    behind: 'Events are validated while they are written, without a transaction.',
    over: [
      { part: 'the events before the bad one' },
      { part: 'its good events' },
      { part: 'all its events' },
    ],
    alters: (m, { part }) => ({
      events: (events, call, world) => {
        const session = world.sessions.get(call.session ?? -1);
        if (!isRefused(call) || session === undefined || call.by.kind === 'key')
          return m.events(events, call, world);
        const shelf = world.catalogs.get(m.place(session.account, session.catalog, call));
        const isBad = (event: CallEvent): boolean => isBadEvent(event) || isUnknown(event);
        const isUnknown = ({ sku }: CallEvent): boolean =>
          sku !== undefined && shelf?.registers.has(m.skuSlot(sku, call, world)) !== true;
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
  fault('repeated-interaction-stored', {
    says: 'An event that is sent again with the same id is stored again{after}.',
    behind: 'Ids are not compared, or forgotten by a cache.',
    over: [
      { after: '', seconds: 0 },
      ...[1, 2, 3, 5, 10].map((seconds) => ({ after: ` after ${seconds} s`, seconds })),
    ],
    alters: (m, { seconds }) => ({
      eventSlot: (id, session, call, world) => {
        const slot = m.eventSlot(id, session, call, world);
        if (call.op !== 'interact') return slot;
        const shelf = world.histories.get(m.home(session));
        const lately = shelf
          ?.of(slot)
          .some(({ call: n, fromMs }) => n !== call.n && fromMs > call.fromMs - 1_000 * seconds);
        const isKnown = shelf?.of(slot).some(({ call: n }) => n !== call.n);
        return isKnown === true && lately !== true ? `${slot}\0${call.n}` : slot;
      },
    }),
  }),
  fault('interactions-lost-alone', {
    says: 'A batch with an event that was stored before stores none of its events.',
    behind: 'A unique key that the whole batch runs into.',
    alters: (m) =>
      droppingAfter(m, (call, each) => {
        const ids = new Set((call.events ?? []).map(({ id }) => id));
        return (each.events ?? []).some(({ id }) => ids.has(id));
      }),
  }),
  fault('interactions-lost-alone', {
    says: 'Ids of events are unique per {of}, not per session: an id of another session is not stored.',
    behind: 'The unique key leaves the session out.',
    over: [{ of: 'service' }, { of: 'account' }, { of: 'catalog' }, { of: 'product' }],
    alters: (_, { of }) => ({
      home: (session) => {
        const { account, catalog, product } = session;
        const scope = {
          service: '',
          account,
          catalog: `${account} ${catalog}`,
          product: `${account} ${product}`,
        };
        return `ids of ${scope[of as keyof typeof scope]}`;
      },
    }),
  }),
  fault('interactions-lost-alone', {
    says: 'Ids of events are compared {how}.',
    behind: 'A collation, or a column that is too short.',
    over: ['by their first 24 characters', 'by their first 18 characters', ...foldingNames].map((how) => ({
      how,
    })),
    alters: (m, { how }) => ({
      eventSlot: (id, session, call, world) => {
        const slot = m.eventSlot(id, session, call, world);
        const [, length] = /first (18|24)/.exec(how) ?? [];
        return length === undefined
          ? (foldings[how as Folding]?.(slot) ?? slot)
          : slot.slice(0, Number(length));
      },
    }),
  }),
  fault('interactions-lost', {
    says: 'Events of the type {type} are not stored.',
    behind: 'A filter, or a type that the store does not know.',
    over: [{ type: 'cart_intent' }, { type: 'shade_selected' }],
    alters: (m, { type }) => storing(m, (events) => events.filter((event) => event.type !== type)),
  }),
  fault('interactions-lost', {
    says: 'A cart intent without a SKU is not stored.',
    behind: 'A join with the shades drops it.',
    alters: (m) => storing(m, (events) => events.filter(({ sku }) => sku !== undefined)),
  }),
  fault('interactions-lost', {
    says: 'A batch stores only its first {most:event}.',
    behind: 'A limit of a queue or of a statement.',
    over: [1, 2, 5, 10, 20, 25, 50, 64, 100, 128].map((most) => ({ most })),
    alters: (m, { most }) => storing(m, (events) => events.slice(0, most)),
  }),
  fault('batch-too-large', {
    says: 'A batch of more than {most:event} is rejected.',
    behind: 'An undocumented limit.',
    over: [1, 2, 5, 10, 20, 25, 50, 64, 100, 128].map((most) => ({ most })),
    alters: (m, { most }) => ({
      admits: (right, call, world) =>
        call.op === 'interact' && (call.events?.length ?? 0) > most && right.includes('ok')
          ? ['refused']
          : m.admits(right, call, world),
    }),
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
    says: 'Of a batch, one event in {nth} is not stored.',
    behind: 'A chunk that loses its end.',
    over: [2, 3, 4, 5, 10, 20, 25, 50, 100].map((nth) => ({ nth })),
    alters: (m, { nth }) => storing(m, (events) => events.filter((_, at) => (at + 1) % nth !== 0)),
  }),
  fault('history-cut', {
    says: 'A session stores at most {most:event}.',
    behind: 'A bound of a document or an array.',
    over: [1, 5, 10, 20, 25, 50, 64, 100, 128].map((most) => ({ most })),
    alters: (m, { most }, { calls }) => ({
      ...unsureAtOnce(m, calls, 'interact'),
      ...storing(m, (events, call, world) => {
        const session = world.sessions.get(call.session ?? -1);
        const shelf = session && world.histories.get(m.home(session));
        const isOld = ({ id }: CallEvent): boolean => shelf?.registers.has(id) === true;
        const before = [...(shelf?.registers.values() ?? [])].filter(({ writes }) =>
          writes.some(({ untilMs }) => untilMs <= call.fromMs),
        );
        let left = most - before.length;
        return events.filter((event) => isOld(event) || left-- > 0);
      }),
    }),
    price: 2,
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
    alters: (m, { what }) => ({
      numbers: (numbers, call, world) => {
        const shown = m.numbers(numbers, call, world);
        if (call.op !== 'interact' || shown.accepted === undefined) return shown;
        const [least, most] = shown.accepted;
        if (what === 'nothing') return { ...shown, accepted: [0, 0] };
        const selections = (call.events ?? []).filter(isSelection).length;
        if (what === 'selections alone') return { ...shown, accepted: [0, selections] };
        const by = what.includes('less') ? -1 : 1;
        return { ...shown, accepted: [Math.max(0, least + by), Math.max(0, most + by)] };
      },
    }),
  }),
  fault('cart-intent-ends-session', {
    says: 'After a cart intent, a session takes no further events ({how}).',
    behind: 'The session is taken for finished.',
    over: [{ how: 'they are rejected' }, { how: 'they are not stored' }],
    alters: (m, { how }) => {
      const isCart = (_: ApiCall, { events = [] }: ApiCall): boolean =>
        events.some(({ type }) => type === 'cart_intent');
      if (how === 'they are not stored') return droppingAfter(m, isCart);
      return otherwise(m, (call, world) => afterBatch(call, world, isCart), 'refused');
    },
  }),
];
