import { type Folding, foldingNames, foldings } from '../alike.ts';
import { type ApiCall, type CallEvent, isBadEvent, mayHaveEffect, outcomeOf } from '../call.ts';
import { overlaps } from '../features.ts';
import type { Presence } from '../register.ts';
import { goodPart, type Model, usualMostEvents } from '../stages.ts';
import { entry, type World } from '../world.ts';
import { isAfter, ofChunk, otherwise, ranging, unsureAtOnce, withoutOneOf } from './certainty.ts';
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
/** Whether two batches for one session have an event of one id. */
function sharesId(a: ApiCall, b: ApiCall): boolean {
  if (a.op !== 'interact' || b.op !== 'interact' || a.session !== b.session) return false;
  const ids = new Set((a.events ?? []).map(({ id }) => id));
  return (b.events ?? []).some(({ id }) => ids.has(id));
}
const isCart = ({ type }: CallEvent): boolean => type === 'cart_intent';
const isSelection = (event: CallEvent | undefined): boolean => event?.type === 'shade_selected';

const instantsOfEvents = ['`at`', 'second of `at`', 'minute of `at`'] as const;

/** What an event has of the columns of a key. */
function keyed(key: string, { atMs, sku, type }: CallEvent): string {
  const ms = key.includes('minute') ? 60_000 : key.includes('second') ? 1_000 : 1;
  const at = key.endsWith('`at`') ? Math.floor(atMs / ms) : '';
  return [at, key.startsWith('SKU') ? sku : '', key.includes('type') ? type : ''].join(' ');
}

/** Events of a session are one where their keys are equal; without a key, by their ids. */
const mergedBy = (m: Model, keyOf: (event: CallEvent) => string | undefined): Pick<Model, 'eventSlot'> => ({
  eventSlot: (id, session, call, world) => {
    const own = world.calls.filter((each) => each.op === 'interact' && each.session === session.n);
    const event = own.flatMap(({ events = [] }) => events).find((each) => each.id === id);
    const key = event && keyOf(event);
    return key === undefined ? m.eventSlot(id, session, call, world) : `key ${key}`;
  },
});

export const eventFaults = [
  fault('unknown-sku-accepted', {
    says: 'An event with a SKU that the catalog does not have is stored.',
    behind: 'SKUs of events are not looked up.',
    alters: ({ free }) => ({ free: pinned(free, 'unknownSku', 'taken') }),
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
  fault('repeated-interaction-stored', {
    says: 'An event that is sent again with the same id is stored again {when}.',
    behind: 'Ids are not compared, or forgotten by a cache.',
    over: [
      ...[
        'in another batch',
        'in any batch',
        'in the same batch',
        'where both are sent at the same time',
      ].map((when) => ({
        ...{ when, seconds: 0 },
      })),
      ...[1, 2, 3, 5, 10].map((seconds) => ({ when: `after ${seconds} s`, seconds })),
    ],
    alters: (m, { seconds, when }, { calls }) => {
      const again = pinned(m.free, 'repeatedId', 'each');
      if (when === 'in any batch') return { free: pinned(again, 'idInBatch', 'each') };
      if (when === 'in another batch') return { free: again };
      if (when === 'in the same batch') return { free: pinned(m.free, 'idInBatch', 'each') };
      const unsure = overlaps(calls, (a, b) => when.endsWith('time') && sharesId(a, b));
      const stored = new Map<string, { n: number; fromMs: number; slot: string }[]>();
      return {
        isCertain: (call, world) => m.isCertain(call, world) && !unsure.has(call.n),
        eventSlot: (id, session, call, world) => {
          const slot = m.eventSlot(id, session, call, world);
          if (call.op !== 'interact' || !mayHaveEffect(call)) return slot;
          const home = m.home(session);
          // What was sent before is written first.
          world.histories.get(home)?.of(slot);
          const all = entry(stored, `${home} ${slot}`, () => []);
          const own = all.find(({ n }) => n === call.n);
          if (own !== undefined) return own.slot;
          const isLate = (fromMs: number): boolean => fromMs <= call.fromMs - 1_000 * seconds;
          const isKnown = when.endsWith('time')
            ? !unsure.has(call.n)
            : !all.every((each) => isLate(each.fromMs));
          if (isKnown) return slot;
          const made = all.length === 0 ? slot : `${slot}\0${call.n}`;
          all.push({ n: call.n, fromMs: call.fromMs, slot: made });
          return made;
        },
      };
    },
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
    over: [...[24, 18, 13, 8].map((length) => `by their first ${length} characters`), ...foldingNames].map(
      (how) => ({ how }),
    ),
    alters: (m, { how }) => ({
      eventSlot: (id, session, call, world) => {
        const slot = m.eventSlot(id, session, call, world);
        const [, length] = /first (\d+)/.exec(how) ?? [];
        return length === undefined
          ? (foldings[how as Folding]?.(slot) ?? slot)
          : slot.slice(0, Number(length));
      },
    }),
  }),
  fault('repeated-selections-merged', {
    says: 'Of selections of a session with the same {key}, one alone is stored.',
    behind: 'A set where a list should be, or a filter for double clicks.',
    over: [{ key: 'SKU' }, ...instantsOfEvents.map((at) => ({ key: `SKU and ${at}` as const }))],
    alters: (m, { key }) => mergedBy(m, (event) => (isSelection(event) ? keyed(key, event) : undefined)),
  }),
  fault('repeated-selections-merged', {
    says: 'A selection is not stored that comes within {seconds} s of one of its SKU in the same session.',
    behind: 'A filter for double clicks.',
    over: [0.2, 0.5, 1, 2, 5, 10].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => {
      const ms = 1_000 * seconds;
      const isAlike = (a: CallEvent, b: CallEvent | undefined): boolean => isSelection(b) && a.sku === b?.sku;
      return {
        ...ranging(m, ['accepted'], (_, { events = [] }) => [0, events.length]),
        ...storing(m, (events, call, { histories, sessions }) => {
          const session = sessions.get(call.session ?? -1);
          const shelf = session && histories.get(m.home(session));
          const stored = [...(shelf?.registers.values() ?? [])].flatMap(({ writes }) => writes);
          const near = stored.filter((each) => each.call !== call.n && call.fromMs - each.fromMs < ms);
          return events.filter(
            (event, at) =>
              !isSelection(event) ||
              ![...near.map(({ value }) => value), ...events.slice(0, at)].some((each) =>
                isAlike(event, each),
              ),
          );
        }),
        // Which came first is not known of batches at the same time, nor whether the time is just over.
        isCertain: (call, world) =>
          m.isCertain(call, world) &&
          !world.known.some(
            (each) =>
              each.op === 'interact' &&
              each.n !== call.n &&
              each.session === call.session &&
              [0, ms].some(
                (apart) => call.untilMs > each.fromMs + apart && call.fromMs < each.untilMs + apart,
              ),
          ),
      };
    },
  }),
  fault('interactions-lost', {
    says: 'Of events of a session with the same {key}, one alone is stored.',
    behind: 'The key of the table is of other columns than the id, or repetitions are found by these.',
    over: ['', 'SKU and ', 'SKU, type and '].flatMap((of) =>
      instantsOfEvents.map((at) => ({ key: `${of}${at}` })),
    ),
    alters: (m, { key }) => mergedBy(m, (event) => keyed(key, event)),
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
    says: 'A batch stores only its first {most:event}.',
    behind: 'A limit of a queue or of a statement.',
    over: [1, 2, 3, 4, 5, 6, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128].map((most) => ({ most })),
    alters: (m, { most }) => storing(m, (events) => events.slice(0, most)),
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
  fault('interactions-lost', {
    says: 'A batch of more than {size:event} stores only whole chunks of {size}.',
    behind: 'The last chunk is not written, since it never becomes full.',
    over: [2, 3, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100].map((size) => ({ size })),
    alters: (m, { size }) =>
      storing(m, (events) =>
        events.length > size ? events.slice(0, events.length - (events.length % size)) : events,
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
