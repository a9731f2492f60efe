import { foldingNames, foldings } from '../alike.ts';
import { type ApiCall, type CallEvent, mayHaveEffect } from '../call.ts';
import { overlaps } from '../features.ts';
import type { Item, ItemList } from '../stages.ts';
import { entry, type StoredEvent } from '../world.ts';
import { batchesOf, optional } from './certainty.ts';
import { isSelection } from './events.ts';
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
type KeyOfEvent = (event: CallEvent) => string;
const idKeys: Readonly<Record<string, KeyOfEvent>> = {
  ...Object.fromEntries(
    [24, 18, 13, 8].map((length) => [
      `first ${length} characters of the id`,
      ({ id }) => id.slice(0, length),
    ]),
  ),
  ...Object.fromEntries(foldingNames.map((how) => [`id, compared ${how}`, ({ id }) => foldings[how](id)])),
};
const instants = { '`at`': 1, 'second of `at`': 1_000, 'minute of `at`': 60_000 };
const instantKeys: Readonly<Record<string, KeyOfEvent>> = Object.fromEntries(
  Object.entries(instants).flatMap(([name, ms]): [string, KeyOfEvent][] => {
    const at = ({ atMs }: CallEvent): number => Math.floor(atMs / ms);
    return [
      [name, (event) => `${at(event)}`],
      [`SKU and ${name}`, (event) => `${event.sku} ${at(event)}`],
      [`SKU, type and ${name}`, (event) => `${event.sku} ${event.type} ${at(event)}`],
    ];
  }),
);
/** What events are told apart by in place of the session and the id. */
const keysOfEvents: Readonly<Record<string, KeyOfEvent>> = {
  ...{ ...instantKeys, SKU: ({ sku }) => `${sku}` },
  ...idKeys,
};
const owners = ['session', 'product', 'catalog', 'account', 'service'] as const;

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
  ...(['events', 'selections'] as const).map((what) =>
    fault(what === 'events' ? 'interactions-lost-alone' : 'repeated-selections-merged', {
      says: `Of ${what} of one {of} with the same {key}, one alone is stored.`,
      behind: 'A unique key of other columns, a collation, a short column, or a filter for repeated clicks.',
      over: owners.flatMap((of) =>
        (of === 'session'
          ? Object.keys(keysOfEvents)
          : [...(what === 'events' ? ['id'] : []), ...Object.keys(instantKeys)]
        ).map((key) => ({
          ...{ of, key },
        })),
      ),
      alters: (m, { key, of }) => ({
        ...(of !== 'session' && {
          home: (session) => {
            const { account, catalog, product } = session;
            const scopes = {
              service: '',
              account,
              catalog: `${account} ${catalog}`,
              product: `${account} ${product}`,
            };
            return `events of ${scopes[of]}`;
          },
        }),
        eventSlot: (id, session, call, world) => {
          const slot = m.eventSlot(id, session, call, world);
          const sent = [...batchesOf(world, session.n, call), call].flatMap(({ events = [] }) => events);
          const event = key === 'id' ? undefined : sent.find((each) => each.id === id);
          const isMeant = event !== undefined && (what === 'events' || isSelection(event));
          if (isMeant) return `key ${keysOfEvents[key]?.(event)}`;
          return key === 'id' ? slot : `${session.n} ${slot}`;
        },
      }),
    }),
  ),
  fault('event-stored-again', {
    says: 'Some events that are sent once are stored twice.',
    behind: 'A queue delivers at least once, and its consumer does not look at ids.',
    // Nothing else than an event that is shown twice tells it from a history in another order.
    over: ({ divergences }) =>
      divergences.length === 0 || divergences.some(({ kind }) => kind === 'twice') ? [{}] : [],
    alters: (m) => {
      const copied = (item: Item<StoredEvent>): readonly Item<StoredEvent>[] => {
        // A copy comes after others that were sent later.
        const may = item.may.map((each) => ({
          ...each,
          untilMs: each.untilMs + longestAgainMs,
          mayBeLater: true,
        }));
        return [item, ...item.register.map(() => optional({ ...item, may }))];
      };
      return {
        shows: (list, call, world) => {
          const all = m.shows(list, call, world);
          const items = (): ItemList['items'] =>
            all.items.flatMap((each) => copied(each as Item<StoredEvent>));
          return call.op === 'read-session' ? { ...all, items: items() } : all;
        },
        tallies: (events, session, call, world) => m.tallies(events, session, call, world).flatMap(copied),
      };
    },
    price: 3,
  }),
];
