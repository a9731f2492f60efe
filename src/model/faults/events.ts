import { type Folding, foldingNames, foldings } from '../alike.ts';
import { type ApiCall, type CallEvent, outcomeOf } from '../call.ts';
import { sizeOf } from '../expect.ts';
import type { Presence } from '../register.ts';
import { goodPart, type Item, type Model } from '../stages.ts';
import type { LearntSession, StoredEvent, World } from '../world.ts';
import { faultsOf } from './fault.ts';
import { listing, pinned } from './shades.ts';
import { bornIn, isAfter, isOverlapping, optional, otherwise, withoutEnd } from './sure.ts';

/** What a batch of events stores, and what a history shows. */

const fault = faultsOf('events');
const isRefused = (call: ApiCall): boolean => outcomeOf(call) === 'refused' || outcomeOf(call) === 'missing';

/** Another choice of the events that are stored of a batch. */
const storing = (
  m: Model,
  choose: (events: readonly CallEvent[], call: ApiCall, world: World) => readonly CallEvent[],
): Pick<Model, 'events'> => ({
  events: (events, call, world) => choose(m.events(events, call, world), call, world),
});
const changing = (
  m: Model,
  change: (event: CallEvent, session: LearntSession) => CallEvent,
): Pick<Model, 'event'> => ({
  event: (event, call, session) => change(m.event(event, call, session), session),
});
const history = (
  m: Model,
  choose: (items: readonly Item[]) => ReturnType<Model['shows']>,
): Pick<Model, 'shows'> => listing(m, choose, 'read-session');
const eventOf = ({ may }: Item): StoredEvent | undefined =>
  may.findLast(({ value }) => value !== undefined)?.value as StoredEvent | undefined;
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

const instants: Readonly<Record<string, (atMs: number) => number>> = {
  'rounded down to seconds': (atMs) => Math.floor(atMs / 1_000) * 1_000,
  'rounded to seconds': (atMs) => Math.round(atMs / 1_000) * 1_000,
  'rounded to hundredths': (atMs) => Math.floor(atMs / 10) * 10,
  'an hour later': (atMs) => atMs + 3_600_000,
  'an hour earlier': (atMs) => atMs - 3_600_000,
  'two hours later': (atMs) => atMs + 7_200_000,
  'of 1970': (atMs) => Math.floor(atMs / 1_000),
};

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
    alters: (m) => ({
      admits: (right, call, world) => {
        const session = world.sessions.get(call.session ?? -1);
        const shelf = session && world.catalogs.get(m.place(session.account, session.catalog, call));
        const isNew = (call.events ?? []).some(
          ({ sku }) =>
            sku !== undefined &&
            shelf !== undefined &&
            session !== undefined &&
            shelf.of(m.skuSlot(sku, call, world)).every(({ fromMs }) => fromMs > session.untilMs),
        );
        return call.op === 'interact' && isNew && right.includes('ok')
          ? ['refused']
          : m.admits(right, call, world);
      },
    }),
  }),
  fault('refused-interaction-stored', {
    says: 'A batch that is refused stores {part}.',
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
        const isBad = ({ sku }: CallEvent): boolean =>
          sku !== undefined && shelf?.registers.has(m.skuSlot(sku, call, world)) !== true;
        if (part === 'all its events') return events;
        return part === 'its good events'
          ? events.filter((each) => !isBad(each))
          : goodPart(events, isBad, events.length);
      },
    }),
  }),
  fault('interactions-lost-alone', {
    says: 'The ids of a batch that was refused count as seen: its events are not stored when they are sent again.',
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
  fault('foreign-interactions', {
    says: 'Sessions of the same {of} share one history.',
    behind: 'Events are stored under the shopper or the page, not under the session.',
    over: [{ of: 'account' }, { of: 'catalog' }, { of: 'product' }],
    alters: (m, { of }) => {
      const keyOf = ({ account, catalog, product }: LearntSession): string =>
        `${account} ${of === 'catalog' ? catalog : of === 'product' ? product : ''}`;
      return {
        home: (session) => `shared ${keyOf(session)}`,
        shows: (list, call, world) => {
          const session = world.sessions.get(call.session ?? -1);
          if (call.op !== 'read-session' || session === undefined) return m.shows(list, call, world);
          const registers = world.histories.get(`shared ${keyOf(session)}`)?.registers.values() ?? [];
          const items = [...registers].map(({ name, writes }) => ({
            name,
            register: writes,
            may: shownBy(writes, call),
          }));
          return m.shows(
            { items: items.filter(({ may }) => may.some(({ value }) => value !== undefined)) },
            call,
            world,
          );
        },
      };
    },
    price: 2,
  }),
  fault('interactions-lost-alone', {
    says: 'Ids of events are compared {how}.',
    behind: 'A collation, or a column that is too short.',
    over: [...foldingNames, 'by their first 24 characters', 'by their first 18 characters'].map((how) => ({
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
  fault('repeated-selections-merged', {
    says: 'Selections of one SKU are stored once {how}.',
    behind: 'A set where a list should be, or a filter for double clicks.',
    over: [{ how: 'in a session' }, { how: 'in a row' }],
    alters: (m, { how }) => ({
      // What is merged may count as accepted.
      numbers: (numbers, call, world) => {
        const shown = m.numbers(numbers, call, world);
        const { accepted } = shown;
        return accepted === undefined
          ? shown
          : { ...shown, accepted: [accepted[0], call.events?.length ?? 0] };
      },
      ...history(m, (all) => {
        const items = all.map((item) => ({ item, event: eventOf(item), born: bornIn(item) }));
        const kept = items.flatMap(({ born, event, item }, at) => {
          if (!isSelection(event)) return [item];
          const isEqual = (other: (typeof items)[number]): boolean =>
            isSelection(other.event) && other.event?.sku === event?.sku;
          const before = items.slice(how === 'in a row' ? Math.max(0, at - 1) : 0, at);
          // Of those that were sent at the same time, any one may be the first; in one batch the order is known.
          const atOnce = items.filter((other) => other.item !== item && isOverlapping(born, other.born));
          const isSameBatch = (other: (typeof items)[number]): boolean =>
            born.call !== undefined && other.born.call === born.call;
          const isFree = how === 'in a row' && atOnce.length > 0;
          if (
            before.some((each) => isEqual(each) && (isSameBatch(each) || !(isFree || atOnce.includes(each))))
          )
            return [];
          const isDoubtful = isFree ? !before.some(isSameBatch) : atOnce.some(isEqual);
          return [isDoubtful ? optional(item) : item];
        });
        return { items: kept };
      }),
    }),
  }),
  fault('history-order-wrong', {
    says: 'A history is in the order of {by}.',
    behind: 'The query sorts by another column.',
    over: [
      { by: 'ids' },
      { by: 'SKUs' },
      { by: 'types' },
      { by: 'ids, descending' },
      { by: 'batches, each from its end' },
    ],
    alters: (_, { by }) => ({
      order: () => (a, b) => {
        const text = (value: StoredEvent | undefined): string =>
          String(by.startsWith('ids') ? value?.id : by === 'SKUs' ? (value?.sku ?? '') : value?.type);
        if (by === 'ids, descending') return text(b.value) < text(a.value);
        if (by.startsWith('batches')) return a.untilMs < b.fromMs || (a.call === b.call && a.index > b.index);
        return text(a.value) < text(b.value);
      },
    }),
  }),
  fault('history-cut', {
    says: 'A history shows the {which} {most:event} alone.',
    behind: 'A page size, or a list of a fixed length.',
    over: [1, 5, 10, 20, 25, 32, 50, 64, 100, 128].flatMap((most) => [
      { which: 'first', most },
      { which: 'newest', most },
    ]),
    alters: (m, { most, which }) =>
      history(m, (items) => withoutEnd(items, which === 'first' ? 'last' : 'first', most)),
  }),
  fault('interactions-lost', {
    says: 'A history leaves its {which} event out.',
    behind: 'An off-by-one in a page or an offset.',
    over: [{ which: 'first' }, { which: 'last' }],
    alters: (m, { which }) =>
      history(m, (items) => withoutEnd(items, which as 'first', sizeOf(items)[1] - 1)),
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
    says: 'Of a batch, the first {most:event} are stored.',
    behind: 'A limit of a queue or of a statement.',
    over: [1, 2, 5, 10, 20, 25, 50, 64, 100, 128].map((most) => ({ most })),
    alters: (m, { most }) => storing(m, (events) => events.slice(0, most)),
  }),
  fault('batch-too-large', {
    says: 'A batch of more than {most:event} is refused.',
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
    says: 'Of a batch, every {nth} event is not stored.',
    behind: 'A chunk that loses its end.',
    over: [2, 3, 4, 5, 10, 20, 25, 50, 100].map((nth) => ({ nth })),
    alters: (m, { nth }) => storing(m, (events) => events.filter((_, at) => (at + 1) % nth !== 0)),
  }),
  fault('history-cut', {
    says: 'A session stores at most {most:event}.',
    behind: 'A bound of a document or an array.',
    over: [1, 5, 10, 20, 25, 50, 64, 100, 128].map((most) => ({ most })),
    alters: (m, { most }) =>
      storing(m, (events, call, world) => {
        const session = world.sessions.get(call.session ?? -1);
        const shelf = session && world.histories.get(m.home(session));
        const isOld = ({ id }: CallEvent): boolean => shelf?.registers.has(id) === true;
        let left =
          most -
          [...(shelf?.registers.values() ?? [])].filter(({ writes }) => writes.some((w) => w.call !== call.n))
            .length;
        return events.filter((event) => isOld(event) || left-- > 0);
      }),
    price: 2,
  }),
  fault('history-without-shades', {
    says: 'Histories show events without their SKU.',
    behind: 'The serialiser leaves the SKU out.',
    alters: (m) => changing(m, (event) => ({ ...event, sku: undefined })),
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
  fault('interaction-changed', {
    says: 'Events show {what}.',
    behind: 'A conversion on the way into the store.',
    over: [
      { what: 'the type shade_selected for cart_intent' },
      { what: 'no SKU for cart_intent' },
      { what: 'SKUs in lower case' },
      { what: 'SKUs without spaces and signs' },
      { what: 'SKUs in Unicode form NFC' },
    ],
    alters: (m, { what }) =>
      changing(m, (event) => {
        const isCart = event.type === 'cart_intent';
        if (what.startsWith('the type')) return { ...event, type: 'shade_selected' };
        if (what.startsWith('no SKU')) return isCart ? { ...event, sku: undefined } : event;
        const how = what.endsWith('NFC')
          ? 'in Unicode form NFC'
          : what.endsWith('case')
            ? 'in any case'
            : 'by letters and digits alone';
        return event.sku === undefined ? event : { ...event, sku: foldings[how](event.sku) };
      }),
  }),
  fault('interaction-changed', {
    says: 'The instant of an event is shown {how}.',
    behind: 'A column without milliseconds, or a local time.',
    over: Object.keys(instants).map((how) => ({ how })),
    alters: (m, { how }) =>
      changing(m, (event) => ({ ...event, atMs: instants[how]?.(event.atMs) ?? event.atMs })),
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
    says: 'accepted counts {what}.',
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
    over: [{ how: 'they are refused' }, { how: 'they are not stored' }],
    alters: (m, { how }) => {
      const isCart = (_: ApiCall, { events = [] }: ApiCall): boolean =>
        events.some(({ type }) => type === 'cart_intent');
      if (how === 'they are not stored') return droppingAfter(m, isCart);
      return otherwise(m, (call, world) => afterBatch(call, world, isCart), 'refused');
    },
  }),
];

/** The first write of an event that a read may show: as the honest history does. */
function shownBy(writes: Item['register'], { fromMs, untilMs }: ApiCall): Item['may'] {
  const begun = writes.filter((each) => each.fromMs < untilMs);
  const isThere = begun.some((each) => each.isSure && each.untilMs <= fromMs);
  const [earliest] = begun;
  if (earliest === undefined) return [];
  return isThere ? [earliest] : [earliest, { ...earliest, value: undefined }];
}
