import { foldings } from '../alike.ts';
import { saidBy } from '../answer.ts';
import type { ApiCall, CallEvent } from '../call.ts';
import { itemsOf, sizeOf } from '../expect.ts';
import type { Divergence } from '../judge.ts';
import type { Presence } from '../register.ts';
import type { Item, Model } from '../stages.ts';
import type { LearntSession, StoredEvent } from '../world.ts';
import { boundsOf, isOfSame, optional, ranging, withoutEnd } from './certainty.ts';
import { faultsOf } from './fault.ts';
import { listing } from './lists.ts';

/** What a history shows. */

const fault = faultsOf('events');
const changing = (
  m: Model,
  change: (event: CallEvent, session: LearntSession, call: ApiCall) => CallEvent,
): Pick<Model, 'event'> => ({
  event: (event, call, session) => change(m.event(event, call, session), session, call),
});
const history = (
  m: Model,
  choose: (items: readonly Item[]) => ReturnType<Model['shows']>,
): Pick<Model, 'shows'> => listing(m, choose, 'read-session');
/** What is not stored, or no longer there, may count as accepted. */
const acceptingAll = (m: Model): Pick<Model, 'numbers'> =>
  ranging(m, ['accepted'], ([least], { events = [] }) => [least, events.length]);
const eventOf = ({ may }: Item): StoredEvent | undefined =>
  may.findLast(({ value }) => value !== undefined)?.value as StoredEvent | undefined;

const instants: Readonly<Record<string, (atMs: number) => number>> = {
  'rounded down to seconds': (atMs) => Math.floor(atMs / 1_000) * 1_000,
  'rounded to seconds': (atMs) => Math.round(atMs / 1_000) * 1_000,
  'rounded to hundredths': (atMs) => Math.floor(atMs / 10) * 10,
  'an hour later': (atMs) => atMs + 3_600_000,
  'an hour earlier': (atMs) => atMs - 3_600_000,
  'two hours later': (atMs) => atMs + 7_200_000,
  'of 1970': (atMs) => Math.floor(atMs / 1_000),
};

export const historyFaults = [
  fault('event-in-other-session', {
    says: 'A history shows the events of every session of its {of}.',
    behind: 'A join on the wrong column.',
    over: [{ of: 'account' }, { of: 'catalog' }, { of: 'product' }],
    alters: (m, { of }) => ({
      shows: (list, call, world) => {
        const own = world.sessions.get(call.session ?? -1);
        if (call.op !== 'read-session' || own === undefined) return m.shows(list, call, world);
        const span = m.span(call, world);
        const items = [...world.sessions.values()]
          .filter((each) => isOfSame(of, each, own))
          .flatMap((each) => {
            const registers = world.histories.get(m.home(each))?.registers ?? new Map();
            return itemsOf<StoredEvent>(m, registers, span, 'first');
          });
        return m.shows({ items }, call, world);
      },
      // Which session comes first is not known.
      order: (option) => {
        const isBefore = m.order(option);
        return (a, b) => a.value?.session === b.value?.session && isBefore(a, b);
      },
    }),
  }),
  fault('interactions-lost', {
    says: 'A shade that is imported again takes the events that name it out of histories.',
    behind:
      'A row is deleted and inserted in place of an update, and a foreign key deletes what refers to it.',
    alters: (m) => ({
      ...acceptingAll(m),
      shows: (list, call, world) => {
        const shown = m.shows(list, call, world);
        const session = world.sessions.get(call.session ?? -1);
        if (call.op !== 'read-session' || session === undefined) return shown;
        const shelf = world.catalogs.get(m.place(session.account, session.catalog, call));
        const isGone = ({ fromMs, untilMs, value }: Item['register'][number]): Presence => {
          const { sku } = (value ?? {}) as Partial<StoredEvent>;
          const imports = sku === undefined ? [] : (shelf?.of(m.skuSlot(sku, call, world)) ?? []);
          if (imports.some((each) => each.fromMs >= untilMs && each.untilMs <= call.fromMs)) return 'yes';
          return imports.some((each) => each.untilMs > fromMs && each.fromMs < call.untilMs) ? 'maybe' : 'no';
        };
        const items = shown.items.flatMap((item): Item[] => {
          const left = item.register.filter((each) => each.fromMs < call.untilMs && isGone(each) !== 'yes');
          const [first] = left;
          if (first === undefined) return [];
          // What is sent again after it was taken out may be known already.
          const isWhole = left.length === item.register.length;
          const isSure = isWhole && left.some((each) => each.untilMs <= call.fromMs && isGone(each) === 'no');
          const same = isWhole ? item : { ...item, may: left };
          return [isSure ? same : optional(same)];
        });
        return { ...shown, items };
      },
    }),
    price: 2,
  }),
  fault('interactions-lost', {
    says: 'Of the events of the type {type}, a session keeps the {which} alone.',
    behind:
      'The type is a column of the session, or a part of a key, and each event of it replaces the one before.',
    over: ['cart_intent', 'shade_selected'].flatMap((type) => [
      { type, which: 'last' },
      { type, which: 'first' },
    ]),
    alters: (m, { type, which }) => ({
      ...acceptingAll(m),
      ...history(m, (all) => {
        const own = all.filter((item) => eventOf(item)?.type === type);
        const kept = new Map(
          withoutEnd(own, which === 'last' ? 'first' : 'last', 1).items.map((item) => [item.register, item]),
        );
        const items = all.flatMap((item) => (own.includes(item) ? (kept.get(item.register) ?? []) : item));
        return { items };
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
    over: (evidence) =>
      boundsOf(evidence, [1, 5, 10, 20, 25, 32, 50, 64, 100, 128]).flatMap((most) => [
        { which: 'first', most },
        { which: 'newest', most },
      ]),
    alters: (m, { most, which }) =>
      history(m, (items) => withoutEnd(items, which === 'first' ? 'last' : 'first', most)),
  }),
  fault('history-cut', {
    says: 'A session stores at most {most:event}.',
    behind: 'A bound of a document or an array.',
    over: [1, 5, 10, 20, 25, 50, 64, 100, 128].map((most) => ({ most })),
    alters: (m, { most }) => ({
      ...history(m, (items) => withoutEnd(items, 'last', most)),
      tallies: (events, session, call, world) =>
        withoutEnd(m.tallies(events, session, call, world), 'last', most).items,
    }),
    price: 2,
  }),
  fault('interactions-lost', {
    says: 'A history leaves its {which} event out.',
    behind: 'An off-by-one in a page or an offset.',
    over: [{ which: 'first' }, { which: 'last' }],
    alters: (m, { which }) =>
      history(m, (items) => withoutEnd(items, which as 'first', sizeOf(items)[1] - 1)),
  }),
  fault('history-without-shades', {
    says: 'Histories show events without their SKU.',
    behind: 'The serialiser leaves the SKU out.',
    alters: (m) => changing(m, (event) => ({ ...event, sku: undefined })),
  }),
  fault('interaction-changed', {
    says: 'Events show {what}.',
    behind: 'A conversion on the way into the store.',
    over: [
      { what: 'the type shade_selected for cart_intent' },
      { what: 'no SKU for cart_intent' },
      { what: 'SKUs in lower case' },
      { what: 'SKUs without spaces and signs' },
      { what: 'SKUs without spaces around' },
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
            ? 'without regard to case'
            : what.endsWith('around')
              ? 'without spaces around'
              : 'by letters and digits only';
        return event.sku === undefined ? event : { ...event, sku: foldings[how](event.sku) };
      }),
  }),
  fault('interaction-changed', {
    says: 'The {field} {from} of an event is shown as {to} in {where}.',
    behind: 'A conversion that one of several versions, nodes or shards has.',
    over: ({ divergences }) =>
      changesShown(divergences).flatMap((each) =>
        ['every session', 'some sessions'].map((where) => ({ ...each, where })),
      ),
    alters: (m, { field, from, to, where }, { calls }) => {
      const hasChange = (event: CallEvent): boolean => event[field] === to;
      const shown = calls.filter((call) => saidBy(call).events?.some(hasChange) === true);
      const some = new Set(shown.map(({ session }) => session));
      const isMeant = ({ n }: LearntSession): boolean => where === 'every session' || some.has(n);
      return changing(m, (event, session) =>
        event[field] === from && isMeant(session) ? ({ ...event, [field]: to } as CallEvent) : event,
      );
    },
    price: 3,
  }),
  fault('interaction-changed', {
    says: 'All events of a batch have the {field} of its {which} event.',
    behind: 'A variable that the events of a batch share, or a value that is read once for each message.',
    over: (['at', 'sku', 'type'] as const).flatMap((field) => [
      { field, which: 'first' },
      { field, which: 'last' },
    ]),
    alters: (m, { field, which }) =>
      changing(m, (event, _, { events = [] }) => {
        const source = events.at(which === 'first' ? 0 : -1) ?? event;
        return { ...event, ...(field === 'at' ? { atMs: source.atMs } : { [field]: source[field] }) };
      }),
  }),
  fault('interaction-changed', {
    says: 'The instant of an event is shown {how}.',
    behind: 'A column without milliseconds, or a local time.',
    over: Object.keys(instants).map((how) => ({ how })),
    alters: (m, { how }) =>
      changing(m, (event) => ({ ...event, atMs: instants[how]?.(event.atMs) ?? event.atMs })),
  }),
];

/** Values of events that are shown for others: the first few. */
function changesShown(
  divergences: readonly Divergence[],
): { field: 'type' | 'sku'; from: string; to: string }[] {
  const found = divergences.flatMap(({ expected, got, kind, of: field }) => {
    if (kind !== 'value' || (field !== 'type' && field !== 'sku')) return [];
    const { [field]: from = '' } = expected as CallEvent;
    const { [field]: to = '' } = got as CallEvent;
    return [{ field, from, to } as const];
  });
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()].slice(0, 3);
}
