import { type Folding, foldingNames, foldings } from '../alike.ts';
import { saidBy } from '../answer.ts';
import { type ApiCall, type CallEvent, mayHaveEffect } from '../call.ts';
import { overlaps } from '../features.ts';
import type { Item, Model } from '../stages.ts';
import { entry, type StoredEvent } from '../world.ts';
import { optional, ranging } from './certainty.ts';
import { droppingAfter, isSelection, storing } from './events.ts';
import { faultsOf } from './fault.ts';
import { pinned } from './shades.ts';

/** Which events are one: what is stored of an event that comes again, or of one that is like another. */

const fault = faultsOf('events');
/** Whether two batches for one session have an event of one id. */
function sharesId(a: ApiCall, b: ApiCall): boolean {
  if (a.op !== 'interact' || b.op !== 'interact' || a.session !== b.session) return false;
  const ids = new Set((a.events ?? []).map(({ id }) => id));
  return (b.events ?? []).some(({ id }) => ids.has(id));
}
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

/** A message is taken again within this. Ours. */
const longestAgainMs = 2_000;

export const repeatFaults = [
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
    says: 'A selection is not stored that comes {when} one of its SKU in the same session.',
    behind: 'A filter for double clicks.',
    over: [
      { when: 'right after', seconds: 0 },
      ...[0.2, 0.5, 1, 2, 5, 10].map((seconds) => ({ when: `within ${seconds} s of`, seconds })),
    ],
    alters: (m, { seconds }) => {
      const ms = 1_000 * seconds;
      const isAlike = (a: CallEvent, b: CallEvent | undefined): boolean => isSelection(b) && a.sku === b?.sku;
      return {
        ...ranging(m, ['accepted'], (_, { events = [] }) => [0, events.length]),
        ...storing(m, (events, call, { histories, sessions }) => {
          const session = sessions.get(call.session ?? -1);
          const shelf = session && histories.get(m.home(session));
          const stored = [...(shelf?.registers.values() ?? [])]
            .flatMap(({ writes }) => writes.filter((each) => each.call !== call.n))
            .toSorted((a, b) => a.fromMs - b.fromMs || a.index - b.index);
          const near =
            seconds > 0 ? stored.filter((each) => call.fromMs - each.fromMs < ms) : stored.slice(-1);
          const before = near.map(({ value }) => value as CallEvent | undefined);
          return events.filter((event) => {
            const isKept = !isSelection(event) || !before.some((each) => isAlike(event, each));
            if (seconds === 0) before.length = 0;
            before.push(event);
            return isKept;
          });
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
  fault('event-stored-again', {
    says: 'Some events that are sent once are stored twice.',
    behind: 'A queue delivers at least once, and its consumer does not look at ids.',
    // Nothing else than an event that is shown twice tells it from a history in another order.
    over: ({ divergences }) =>
      divergences.length === 0 || divergences.some(({ kind }) => kind === 'twice') ? [{}] : [],
    alters: (m) => {
      const sent = new Map<string, { times: number; untilMs: number }>();
      // What a history shows once all was sent, later ones and analytics have to agree with.
      const shown = new Map<
        string,
        { readonly times: number; readonly fromMs: number; readonly untilMs: number }
      >();
      const copied = (
        item: Item<StoredEvent>,
        session: number,
        call: ApiCall,
      ): readonly Item<StoredEvent>[] => {
        const name = `${session} ${item.name}`;
        const { times = 1, untilMs = 0 } = sent.get(name) ?? {};
        const known = shown.get(name);
        const isKnown =
          known !== undefined && known.untilMs <= call.fromMs && known.fromMs >= untilMs + longestAgainMs;
        // A copy comes after others that were sent later.
        const late = item.may.map((each) => ({
          ...each,
          untilMs: each.untilMs + longestAgainMs,
          mayBeLater: true,
        }));
        const copy = { ...item, may: late };
        return isKnown
          ? [item, ...Array.from({ length: known.times - 1 }, () => copy)]
          : [item, ...Array.from({ length: 2 * times - 1 }, () => optional(copy))];
      };
      return {
        shows: (list, call, world) => {
          const all = m.shows(list, call, world);
          const { op, session = -1 } = call;
          return op === 'read-session'
            ? { ...all, items: all.items.flatMap((each) => copied(each as Item<StoredEvent>, session, call)) }
            : all;
        },
        tallies: (events, session, call, world) =>
          m.tallies(events, session, call, world).flatMap((each) => copied(each, session.n, call)),
        notes(call) {
          const { fromMs, untilMs } = call;
          const name = (id: string): string => `${call.session ?? -1} ${id}`;
          if (call.op === 'interact')
            for (const { id } of call.events ?? []) {
              const { times = 0 } = sent.get(name(id)) ?? {};
              sent.set(name(id), { times: times + 1, untilMs });
            }
          const { events = [] } = call.op === 'read-session' ? saidBy(call) : {};
          for (const [id, all] of Map.groupBy(events, (each) => each.id))
            shown.set(name(id), { times: all.length, fromMs, untilMs });
        },
      };
    },
    price: 3,
  }),
];
