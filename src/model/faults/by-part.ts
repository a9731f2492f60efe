import { type ApiCall, type CallEvent, isBadEvent, isLost, mayHaveEffect, type SentShade } from '../call.ts';
import type { Presence } from '../register.ts';
import type { Item, ItemList, Model } from '../stages.ts';
import { entry, type LearntSession, type StoredEvent, type World } from '../world.ts';
import { batchesOf, bornIn, hidden, optional, otherwise } from './certainty.ts';
import { type FaultArea, type FaultEvidence, type FaultParams, faultsOf } from './fault.ts';
import {
  eventParts,
  type FaultPart,
  type PlacedEvent,
  type PlacedRow,
  type PlacedSession,
  rowParts,
  type SeenEvent,
  sessionParts,
} from './parts.ts';

/** What becomes of one part of shades, events or sessions: each row here is a row for every part. */

type Has<Subject> = (subject: Subject) => Presence;

/** A row for each part. `says`: with … for the words of the part. */
function byPart<const Cause extends string, Subject>(
  area: FaultArea,
  cause: Cause,
  says: string,
  parts: readonly FaultPart<Subject>[],
  alters: (m: Model, has: Has<Subject>) => Partial<Model>,
  price = 0,
) {
  return parts.map((part) =>
    faultsOf(area)<Cause, FaultParams, string>(cause, {
      says: says.replace('…', part.which),
      behind: part.behind,
      over: part.over,
      alters: (m, params, evidence: FaultEvidence) =>
        alters(m, (subject) => {
          const said = part.has(subject, params, evidence);
          return typeof said === 'string' ? said : said ? 'yes' : 'no';
        }),
      price: (part.price ?? 1) + price,
    }),
  );
}

const rowOf = (rows: readonly unknown[], at: number, call: ApiCall): PlacedRow => ({
  ...{ at, rows, call },
  alone: () => {
    const own = rows.slice(at, at + 1);
    return call.op === 'interact'
      ? { ...call, events: own as readonly CallEvent[] }
      : { ...call, shades: own as readonly SentShade[] };
  },
});

/** Worked out when it is asked for, and then known. */
function once<Value>(make: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: make() };
    return known.value;
  };
}

/** The events of a session that other calls sent before one ended, each once. */
function eventsBefore(call: ApiCall, world: World): readonly SeenEvent[] {
  const seen = new Set<string>();
  return batchesOf(world, call.session ?? -1, call).flatMap((each) => {
    const { fromMs, n, untilMs } = each;
    if (n === call.n || !mayHaveEffect(each)) return [];
    const events = (each.events ?? []).filter((event) => !isBadEvent(event) && !seen.has(event.id));
    for (const { id } of events) seen.add(id);
    return events.map((event, at) => ({ event, at, fromMs, untilMs, call: n, isSure: !isLost(each) }));
  });
}

/** Which of the events that a request stores are of a part. */
function presencesOf(
  m: Model,
  has: Has<PlacedEvent>,
  rows: readonly CallEvent[],
  call: ApiCall,
  world: World,
): readonly Presence[] {
  const session = world.sessions.get(call.session ?? -1);
  if (session === undefined) return [];
  const own = { call: call.n, fromMs: call.fromMs, untilMs: call.untilMs, isSure: true };
  const seen = once(() => [
    ...eventsBefore(call, world),
    ...rows.map((event, at) => ({ ...own, event, at })),
  ]);
  return rows.map((event, at) =>
    has({ ...rowOf(rows, at, call), event, session, world, seen, m, asker: call }),
  );
}

/** Leaves events of a part out of what is stored. */
function notStored(m: Model, has: Has<PlacedEvent>): Partial<Model> {
  const known = new Map<number, readonly Presence[]>();
  const presences = (rows: readonly CallEvent[], call: ApiCall, world: World): readonly Presence[] =>
    entry(known, call.n, () => presencesOf(m, has, rows, call, world));
  return {
    events: (events, call, world) => {
      const all = m.events(events, call, world);
      const said = presences(all, call, world);
      return said.includes('yes') ? all.filter((_, at) => said[at] !== 'yes') : all;
    },
    isCertain: (call, world) =>
      m.isCertain(call, world) &&
      (call.op !== 'interact' ||
        !presences(m.events(call.events ?? [], call, world), call, world).includes('maybe')),
  };
}

/** Leaves shades of a part out of what is stored. */
const notImported = (m: Model, has: Has<PlacedRow>): Partial<Model> => ({
  imports: (shades, call, world) => {
    const all = m.imports(shades, call, world);
    return all.filter((_, at) => has(rowOf(all, at, call)) !== 'yes');
  },
});

/** The calls that may have brought an event first. */
function sendersOf({ register }: Item<StoredEvent>): Item<StoredEvent>['register'] {
  const untilMs = Math.min(...register.filter(({ isSure }) => isSure).map((each) => each.untilMs));
  return register.filter(({ fromMs, value }) => value !== undefined && fromMs <= untilMs);
}

const seenIn = (items: readonly Item<StoredEvent>[]): readonly SeenEvent[] =>
  items.flatMap((item) => {
    const [first] = sendersOf(item);
    if (first?.value === undefined) return [];
    const isSure = item.may.every(({ value }) => value !== undefined);
    return { ...bornIn(item), event: first.value, at: first.index, isSure };
  });

/** Of a list that a model shows, for each item the events that may have been the first: every row asks again. */
const placed = new WeakMap<readonly Item<StoredEvent>[], { m: Model; events: readonly PlacedEvent[][] }>();

function placedIn(items: readonly Item<StoredEvent>[], of: ListAsked): readonly PlacedEvent[][] {
  const known = placed.get(items);
  if (known?.m === of.m) return known.events;
  const seen = once(() => seenIn(items));
  const events = items.map((item) =>
    sendersOf(item).flatMap(({ call: n, index, value }): PlacedEvent[] => {
      const call = of.world.byNumber.get(n);
      if (call === undefined || value === undefined) return [];
      const rows = (call.events ?? []).filter((event) => !isBadEvent(event));
      return [{ ...rowOf(rows, index, call), ...of, event: value, seen }];
    }),
  );
  placed.set(items, { m: of.m, events });
  return events;
}

/** What becomes of the events of a session by whether they are of a part. */
function choose(
  items: readonly Item<StoredEvent>[],
  { become, has }: PartChoice,
  of: ListAsked,
): readonly Item<StoredEvent>[] {
  const presences = placedIn(items, of).map((events): Presence => {
    const [first = 'no', ...others] = new Set(events.map(has));
    return others.length > 0 ? 'maybe' : first;
  });
  if (presences.every((presence) => presence === 'no')) return items;
  return items.flatMap((item, at) => become(item, presences[at] ?? 'no'));
}

/** Who asks for a list of events. */
type ListAsked = Pick<PlacedEvent, 'asker' | 'm' | 'session' | 'world'>;

/** Which events are meant, and what becomes of one. */
interface PartChoice {
  readonly has: Has<PlacedEvent>;
  readonly become: (item: Item<StoredEvent>, presence: Presence) => readonly Item<StoredEvent>[];
}

const leftOut = (item: Item<StoredEvent>, presence: Presence): readonly Item<StoredEvent>[] =>
  presence === 'no' ? [item] : presence === 'yes' ? [] : [optional(item, hidden)];
const doubled = (item: Item<StoredEvent>, presence: Presence): readonly Item<StoredEvent>[] =>
  presence === 'no' ? [item] : [item, presence === 'yes' ? item : optional(item)];
/** Analytics know an event by its name. */
const countedAgain = (item: Item<StoredEvent>, presence: Presence): readonly Item<StoredEvent>[] =>
  doubled(item, presence).map((each, at) => (at === 0 ? each : { ...each, name: `${item.name} again` }));

const tallying = (m: Model, choice: PartChoice): Pick<Model, 'tallies'> => ({
  tallies: (events, session, asker, world) =>
    choose(m.tallies(events, session, asker, world), choice, { session, world, asker, m }),
});
const showing = (m: Model, choice: PartChoice): Pick<Model, 'shows'> => ({
  shows: (list, asker, world) => {
    const shown = m.shows(list, asker, world);
    const session = world.sessions.get(asker.session ?? -1);
    if (asker.op !== 'read-session' || session === undefined) return shown;
    const items = shown.items as readonly Item<StoredEvent>[];
    const chosen = choose(items, choice, { session, world, asker, m });
    return chosen === items ? shown : ({ ...shown, items: chosen } as ItemList);
  },
});

/** A session as analytics or a read see it at a call. */
const placedAt = (m: Model, session: LearntSession, call: ApiCall, world: World): PlacedSession => ({
  ...{ session, call, world },
  events: () => {
    const visibleMs = call.fromMs - (call.op === 'analytics' ? m.promises.freshnessMs : 0);
    const registers = world.histories.get(m.home(session))?.registers.values() ?? [];
    return [...registers].flatMap(({ writes }): SeenEvent[] => {
      const [first] = writes.filter(
        ({ fromMs, value }) => value?.session === session.n && fromMs < call.untilMs,
      );
      if (first?.value === undefined) return [];
      const isSure = writes.some((each) => each.isSure && each.untilMs <= visibleMs);
      return [{ ...first, event: first.value, at: first.index, isSure }];
    });
  },
});

const ofEvents: readonly FaultPart<PlacedEvent>[] = [...rowParts, ...eventParts];
const atOnce = ofEvents.filter(({ isOpenEnded }) => !isOpenEnded);
const later = ofEvents.filter(({ isOpenEnded }) => isOpenEnded);

export const partFaults = [
  ...byPart('shades', 'import-truncated', 'Shades … are not stored.', rowParts.slice(0, 2), notImported),
  ...byPart('shades', 'shades-missing', 'Shades … are not stored.', rowParts.slice(2), notImported),
  ...byPart('events', 'interactions-lost', 'Events … are not stored.', atOnce, notStored),
  ...byPart('events', 'interactions-lost', 'Events … are not kept.', later, (m, has) => ({
    ...showing(m, { has, become: leftOut }),
    ...tallying(m, { has, become: leftOut }),
  })),
  ...byPart('events', 'history-cut', 'Histories leave out events ….', ofEvents, (m, has) =>
    showing(m, { has, become: leftOut }),
  ),
  ...byPart('events', 'events-not-counted', 'Analytics miss events ….', ofEvents, (m, has) =>
    tallying(m, { has, become: leftOut }),
  ),
  ...byPart(
    'events',
    'repeats-counted',
    'Analytics count events … twice.',
    ofEvents,
    (m, has) => tallying(m, { has, become: countedAgain }),
    1,
  ),
  faultsOf('events')('selections-counted-twice', {
    says: 'Analytics count some events twice, and histories show them once.',
    behind: 'A queue that delivers at least once, and a counter that does not look at ids.',
    // Nothing less tells it from a count that is wrong in any way.
    alters: (m) => tallying(m, { has: () => 'maybe', become: countedAgain }),
    price: 5,
  }),
  ...byPart(
    'events',
    'event-stored-again',
    'Events … are stored twice.',
    atOnce,
    (m, has) => ({ ...showing(m, { has, become: doubled }), ...tallying(m, { has, become: countedAgain }) }),
    1,
  ),
  ...byPart(
    'sessions',
    'sessions-counted-in-part',
    'Analytics leave out sessions ….',
    sessionParts,
    (m, has) => ({
      counts: (counted, call, account, world) => {
        const said = m.counts(counted, call, account, world);
        const session = world.sessions.get(counted.n ?? -1);
        const presence =
          said === 'no' || session === undefined ? 'no' : has(placedAt(m, session, call, world));
        return presence === 'yes' ? 'no' : presence === 'maybe' ? 'maybe' : said;
      },
    }),
  ),
  ...byPart(
    'sessions',
    'sessions-counted-again',
    'Analytics count sessions … twice.',
    sessionParts,
    (m, has) => ({
      times: (tallied, call, world) => {
        const [least, most] = m.times(tallied, call, world);
        const session = world.sessions.get(tallied.n ?? -1);
        const presence = session === undefined ? 'no' : has(placedAt(m, session, call, world));
        return [presence === 'yes' ? 2 * least : least, presence === 'no' ? most : 2 * most];
      },
    }),
    1,
  ),
  ...byPart(
    'events',
    'sessions-counted-in-part',
    'Analytics miss the events of sessions ….',
    sessionParts,
    (m, has) => ({
      tallies: (events, session, call, world) => {
        const all = m.tallies(events, session, call, world);
        const presence = all.length === 0 ? 'no' : has(placedAt(m, session, call, world));
        return presence === 'yes' ? [] : presence === 'no' ? all : all.map((each) => optional(each));
      },
    }),
  ),
  ...byPart('sessions', 'session-disappears', 'Sessions … are not found.', sessionParts, (m, has) =>
    otherwise(
      m,
      (call, world) => {
        const session = world.sessions.get(call.session ?? -1);
        return call.op === 'read-session' && session !== undefined
          ? has(placedAt(m, session, call, world))
          : 'no';
      },
      'missing',
    ),
  ),
];
