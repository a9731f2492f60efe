import {
  type ApiCall,
  type CallEvent,
  flawsOf,
  isBadEvent,
  isBadShade,
  isLost,
  keyOf,
  mayHaveEffect,
  type Outcome,
  type SentShade,
} from './call.ts';
import { type FreedomOption, type FreedomPromises, Freedoms } from './freedoms.ts';
import type { Presence, ReadSpan, Write } from './register.ts';
import type { LearntSession, ModelledSession, StoredEvent, StoredShade, World } from './world.ts';

/** What the target promises beside the interface: from its profile. Durations are milliseconds. */
export interface ModelPromises {
  /** The account of each key, by its label. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Accounts share their catalogs, though nothing else. */
  readonly sharesCatalogs?: boolean;
  /** Whose credentials events carry. */
  readonly channel: 'token' | 'key' | 'none';
  /** After an answer of 202, a list shows the import, and a history the events, within this. */
  readonly importVisibleMs: number;
  readonly eventsVisibleMs: number;
  /** A history may show its events as late after any answer. */
  readonly areEventsLate?: boolean;
  readonly sessionVisibleMs: number;
  /** A request with more events may be refused: the interface does not say how many it may carry. */
  readonly mostEvents: number;
  readonly freshnessMs: number;
  /** The finishes that are promised. Left out: all are. */
  readonly finishes?: readonly string[] | undefined;
  /** Decimals that means have at least. */
  readonly decimals: number;
  /** How many shades top_shades has at most. Left out: found by consistency. */
  readonly topShades?: number | undefined;
  readonly clockSkewMs: number;
  /** Within this after its answer, something before the service may deliver a request again. 0: it does not. */
  readonly redeliveredMs: number;
  /** Whether an import that is accepted lists its bad shades, put right. Left out: each of them or none. */
  readonly mendsShades?: boolean;
  /** Whether an import of no shades creates its catalog. Left out: it may. */
  readonly createsEmpty?: boolean;
  readonly freedoms: FreedomPromises;
}

/** Events that any channel takes in one request. Ours: shoppers send up to three. */
export const usualMostEvents = 20;

/** One element of a list: its name, and the writes of its register that may be shown. */
export interface Item<Value = StoredShade | StoredEvent> {
  readonly name: string;
  readonly may: readonly Write<Value>[];
  readonly register: readonly Write<Value>[];
}

/** What a list has to show. `size`: that many of its elements, whichever. */
export interface ItemList<Value = StoredShade | StoredEvent> {
  readonly items: readonly Item<Value>[];
  readonly size?: number;
  /** Elements of unknown names that may be shown, too. */
  readonly unnamed?: readonly Write<never>[];
}

export type FieldValues = Readonly<Record<string, readonly unknown[]>>;
export type Range = readonly [least: number, most: number];
export type NumberRanges = Readonly<Record<string, Range>>;
/** A session that analytics count, or may count, and what they have to count of it. */
export interface TalliedSession {
  /** The call that opened it, where it is known. */
  readonly n: number | undefined;
  readonly isSure: boolean;
  readonly distinct: Range;
  /** Different SKUs of all its events. */
  readonly named: Range;
  readonly selections: Range;
  readonly carts: Range;
  /** Whether nothing comes after its cart intent: 0 or 1. */
  readonly cartLast: Range;
  /** Selections of each SKU. */
  readonly skus: ReadonlyMap<string, Range>;
}
/** What a mean is taken of, under an option of its freedom. */
export type SessionWorth = FreedomOption<'shadesPerSession' | 'cartIntent'>;
/** The order of a history: one of the options of the freedom, or one that a fault makes. */
export type EventOrder = (a: Write<StoredEvent>, b: Write<StoredEvent>) => boolean;

/**
 * The service as the interface promises it, one small pure stage each, so that a fault replaces one. Three groups: which
 * answers are right (admits), what a call changes (stores), what a read shows (shows).
 */
export interface Model {
  readonly free: Freedoms;
  readonly promises: ModelPromises;

  /** The account that a call acts for; undefined: the call is not let in. */
  account(call: ApiCall, world: World): string | undefined;
  /** The session whose token a call carries. */
  holder(call: ApiCall, world: World): LearntSession | undefined;
  /** Whether the token of one session opens another. */
  reaches(holder: LearntSession, asked: LearntSession, world: World): boolean;
  /** Whether an account may read a session. */
  sees(account: string, session: LearntSession, call: ApiCall): boolean;
  endsMs(session: LearntSession): number;
  /** The outcomes that are right, after everything else was considered. */
  admits(right: readonly Outcome[], call: ApiCall, world: World): readonly Outcome[];

  /** Where the shades of a catalog are kept. */
  place(account: string, catalog: string, call: ApiCall): string;
  /** The register of a SKU. A fault may merge registers, or keep several for one SKU. */
  skuSlot(sku: string, call: ApiCall, world: World): string;
  /** From when on another import overwrites it: they take effect in the order of their answers, however late they show. */
  placedMs(call: ApiCall): number;
  /** The rows of an import that are stored. */
  imports(shades: readonly SentShade[], call: ApiCall, world: World): readonly SentShade[];
  /** A shade as it is stored, over an earlier one. */
  shade(shade: SentShade, earlier: StoredShade | undefined, call: ApiCall): StoredShade;
  /** The session that a batch is stored in; several where it is one of them. */
  targets(session: LearntSession, call: ApiCall, world: World): readonly LearntSession[];
  /** Where a session's events are kept. */
  home(session: LearntSession): string;
  eventSlot(id: string, session: LearntSession, call: ApiCall, world: World): string;
  /** The events of a batch that are stored. */
  events(events: readonly CallEvent[], call: ApiCall, world: World): readonly CallEvent[];
  event(event: CallEvent, call: ApiCall, session: LearntSession): CallEvent;
  /** Whether a call that was answered certainly had its effect. */
  isCertain(call: ApiCall, world: World): boolean;
  /** Effects beside those that were asked for; called once a call is stored. */
  after(call: ApiCall, world: World): void;
  /** Remembers a call for other stages, and changes nothing of the world; called once a call is stored. */
  notes(call: ApiCall, world: World): void;
  /** Whether a creation that was answered opens its session. */
  opens(call: ApiCall, world: World): boolean;

  /** The places that a list of a catalog, or the number of its shades, is read from. */
  reads(account: string, catalog: string, call: ApiCall, world: World): readonly string[];
  /** The span whose state a read shows. */
  span(call: ApiCall, world: World): ReadSpan;
  shows(list: ItemList, call: ApiCall, world: World): ItemList;
  order(option: string): EventOrder;
  /** The call to which an answer is the right one: the call itself, unless a fault answers an earlier one. */
  asked(call: ApiCall, world: World): ApiCall;
  /** Other calls whose answers a call may get in place of the right one. */
  instead(call: ApiCall, world: World): readonly ApiCall[];
  fields(fields: FieldValues, call: ApiCall, session: LearntSession | undefined, world: World): FieldValues;
  numbers(numbers: NumberRanges, call: ApiCall, world: World): NumberRanges;
  /** A mean of analytics that would be in the range. */
  mean(range: Range, call: ApiCall, field: string): Range;
  /** What a session adds to the sum of which the average or the rate is taken. */
  worth(session: TalliedSession, of: SessionWorth): Range;
  /** Whether analytics count a session, where an account asks. */
  counts(session: ModelledSession, call: ApiCall, account: string, world: World): Presence;
  /** How often the total of analytics counts a session. */
  times(session: TalliedSession, call: ApiCall, world: World): Range;
  /** The events that analytics count of a session. */
  tallies(
    events: readonly Item<StoredEvent>[],
    session: LearntSession,
    call: ApiCall,
    world: World,
  ): readonly Item<StoredEvent>[];
}

/** The honest service. */
export function honestModel(promises: ModelPromises): Model {
  return {
    free: new Freedoms(promises.freedoms),
    promises,
    account: (call) => promises.accounts[keyOf(call) ?? ''],
    holder: ({ by }, { sessions }) => (by.kind === 'token' ? sessions.get(by.of) : undefined),
    reaches: (holder, asked) =>
      holder.n === asked.n || (holder.token !== undefined && holder.token === asked.token),
    sees: (account, session) => account === session.account,
    endsMs: ({ expiresMs }) => expiresMs,
    admits: (right) => right,
    place: (account, catalog) => `${promises.sharesCatalogs ? '' : account} ${catalog}`,
    skuSlot: (sku) => sku,
    placedMs: (call) => call.untilMs + (isLost(call) ? lostEffectMs : 0) + promises.redeliveredMs,
    // A service may take an import with a shade that is not as it should be; it never lists that one.
    imports: (shades, call) =>
      mayHaveEffect(call) ? (flawsOf(call).hasBad ? shades.filter(isGood) : shades) : [],
    shade: (shade) => shade,
    targets: (session) => [session],
    home: ({ n }) => String(n),
    eventSlot: (id) => id,
    events: (events, call) =>
      mayHaveEffect(call)
        ? events.some(isBadEvent)
          ? events.filter((each) => !isBadEvent(each))
          : events
        : [],
    event: (event) => event,
    isCertain: () => true,
    after: () => undefined,
    notes: () => undefined,
    opens: () => true,
    reads(account, catalog, call) {
      return [this.place(account, catalog, call)];
    },
    span: ({ fromMs, untilMs }) => ({ fromMs, untilMs }),
    shows: (list) => list,
    order: orderOf,
    asked: (call) => call,
    instead: () => [],
    fields: (fields) => fields,
    numbers: (numbers) => numbers,
    mean: (range) => range,
    worth: worthOf,
    counts: ({ account, product }, call, asking) =>
      account === asking && product === call.product ? 'yes' : 'no',
    times: () => [1, 1],
    tallies: (events) => events,
  };
}

function worthOf(session: TalliedSession, of: SessionWorth): Range {
  if (of === 'last') return session.cartLast;
  const [least, most] = session.carts;
  return of === 'ever' ? [Math.min(1, least), Math.min(1, most)] : session[of];
}

const isGood = (shade: SentShade): boolean => !isBadShade(shade);

/** Whether one event certainly comes before another. */
function orderOf(option: string): EventOrder {
  const isOrdered: EventOrder = (a, b) => a.call === b.call && !a.mayBeLater && !b.mayBeLater;
  const arrival: EventOrder = (a, b) => a.untilMs < b.fromMs || (isOrdered(a, b) && a.index < b.index);
  const at: EventOrder = (a, b) => (a.value?.atMs ?? 0) < (b.value?.atMs ?? 0);
  switch (option) {
    case 'at':
      return at;
    case 'newest at':
      return (a, b) => at(b, a);
    case 'newest arrival':
      return (a, b) => arrival(b, a);
    default:
      return arrival;
  }
}

/** The part of a refused batch that a partial service stores. */
export function goodPart<Row>(
  rows: readonly Row[],
  isBad: (row: Row) => boolean,
  most: number,
): readonly Row[] {
  const first = rows.findIndex(isBad);
  return rows.slice(0, Math.min(first < 0 ? rows.length : first, most));
}

/** Whether a batch has more events than are promised to be taken: it may be refused for that alone, which says nothing else. */
export const mayBeTooLarge = ({ promises }: Model, { events = [] }: ApiCall): boolean =>
  events.length > promises.mostEvents;

export const hasOtherFinish = ({ promises: { finishes } }: Model, { finish = '' }: SentShade): boolean =>
  finishes !== undefined && !finishes.includes(finish);
export const hasBadShade = (call: ApiCall): boolean => flawsOf(call).hasBad;

/** A call without an answer may take effect until then. */
const lostEffectMs = 10_000;

/** When the effect of a call is seen at the latest, epoch milliseconds. */
export function effectUntilMs({ promises }: Model, call: ApiCall): number {
  if (isLost(call)) return call.untilMs + lostEffectMs;
  const visibleMs = call.op === 'import-shades' ? promises.importVisibleMs : promises.eventsVisibleMs;
  const isLate = call.answer.status === 202 || (promises.areEventsLate === true && call.op === 'interact');
  return call.untilMs + (isLate ? visibleMs : 0) + promises.redeliveredMs;
}
