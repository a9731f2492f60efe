import { type ApiCall, type CallEvent, mayHaveEffect } from '../call.ts';
import { featureOf, featuresOf } from '../features.ts';
import { anyOf, opposite, type Presence, type ReadSpan } from '../register.ts';
import type { Model } from '../stages.ts';
import type { LearntSession, World } from '../world.ts';
import { batchesOf, boundsOf, hasNewer, isLater, isOfSame, isRefusedBatch, newestOf } from './certainty.ts';
import type { FaultEvidence, FaultParams } from './fault.ts';

/** Parts of requests, of events and of sessions, each with its words: a fault may meet one alone. `by-part.ts` has the faults. */

/** A row of a request, a shade or an event, at its place. `alone`: the call as if it had this row alone. */
export interface PlacedRow {
  readonly at: number;
  readonly rows: readonly unknown[];
  readonly call: ApiCall;
  readonly alone: () => ApiCall;
}

/** An event that came, and with which call where that is known. */
export interface SeenEvent extends ReadSpan {
  readonly event: CallEvent;
  readonly call: number | undefined;
  readonly at: number;
  readonly isSure: boolean;
}

/** An event of a session. `seen`: all events of the session, each once. */
export interface PlacedEvent extends PlacedRow {
  readonly event: CallEvent;
  readonly session: LearntSession;
  readonly seen: () => readonly SeenEvent[];
  readonly world: World;
  /** The call that asks for it: that which sends it, where the question is what is stored. */
  readonly asker: ApiCall;
  readonly m: Model;
}

/** A session as a call sees it: `events` that surely are there, and that may be. */
export interface PlacedSession {
  readonly session: LearntSession;
  readonly call: ApiCall;
  readonly world: World;
  readonly events: () => readonly SeenEvent[];
}

interface PartSpec<Subject, P> {
  /** What follows the noun, with parameters in braces: `of the type {type}`. */
  readonly which: string;
  readonly behind: string;
  readonly price?: number;
  /** What comes later decides it: whatever is stored is not known to be of it. */
  readonly isOpenEnded?: boolean;
  readonly over: readonly P[] | ((evidence: FaultEvidence) => readonly P[]);
  readonly has: (subject: Subject, params: P, evidence: FaultEvidence) => Presence | boolean;
}
export type FaultPart<Subject> = PartSpec<Subject, FaultParams>;

/** A part is only ever given its own parameters. */
const partOf =
  <Subject>() =>
  <const P extends FaultParams>({ has, ...spec }: PartSpec<Subject, P>): FaultPart<Subject> => ({
    ...spec,
    has: (subject, params, evidence) => has(subject, params as P, evidence),
  });
const [ofRow, ofEvent, ofSession] = [partOf<PlacedRow>(), partOf<PlacedEvent>(), partOf<PlacedSession>()];

/** Values as one parameter each. */
const each = <Name extends string, const Value extends string | number>(
  name: Name,
  values: readonly Value[],
): Record<Name, Value>[] => values.map((value) => ({ [name]: value }) as Record<Name, Value>);
const features = ({ calls }: FaultEvidence) =>
  each(
    'feature',
    featuresOf(calls).map(({ name }) => name),
  );

const sizes = [100, 10, 20, 25, 50, 1, 2, 3, 4, 5, 6, 8, 16, 32, 64, 128, 200, 250, 256, 400, 499] as const;
const bounds = [1, 5, 10, 20, 25, 2, 3, 4, 8, 32, 50, 64, 100, 128] as const;
const times = [1, 2, 3, 5, 10, 0.1, 0.2, 0.5, 30] as const;
const types = ['cart_intent', 'shade_selected'] as const;

/** Places in chunks. */
const inChunks: Readonly<Record<string, (at: number, size: number, length: number) => boolean>> = {
  'last of each': (at, size) => (at + 1) % size === 0,
  'first of each': (at, size) => at % size === 0,
  'first of each further': (at, size) => at > 0 && at % size === 0,
  'last of each, even unfinished,': (at, size, length) => (at + 1) % size === 0 || at + 1 === length,
  'last of every second': (at, size, length) => isLastOf(2, at, size, length),
  'last of every third': (at, size, length) => isLastOf(3, at, size, length),
};
const isLastOf = (every: number, at: number, size: number, length: number): boolean =>
  ((at + 1) % size === 0 || at + 1 === length) && Math.ceil((at + 1) / size) % every === 0;

/** Parts of a request with several rows. */
export const rowParts: readonly FaultPart<PlacedRow>[] = [
  ofRow({
    which: 'after the first {size} of their request',
    behind: 'A limit of a queue, of a statement or of a list.',
    over: (evidence) => each('size', boundsOf(evidence, sizes)),
    has: ({ at }, { size }) => at >= size,
  }),
  ofRow({
    which: 'after the last whole chunk of {size} of their request',
    behind: 'A loop over chunks that ends before the last one, which never becomes full.',
    over: (evidence) => each('size', boundsOf(evidence, sizes)),
    has: ({ at, rows: { length } }, { size }) => length > size && at >= length - (length % size),
  }),
  ofRow({
    which: 'that are the {place} of several in their request',
    behind: 'An off-by-one in a loop or a slice.',
    over: each('place', ['last', 'first']),
    has: ({ at, rows: { length } }, { place }) => length > 1 && at === (place === 'last' ? length - 1 : 0),
  }),
  ofRow({
    which: 'that are the {place} chunk of {size} in their request',
    behind: 'Chunks whose ends do not meet.',
    over: Object.keys(inChunks).flatMap((place) =>
      [10, 100, 20, 25, 50, 2, 3, 4, 5, 64, 128, 200, 250, 256].map((size) => ({ place, size })),
    ),
    has: ({ at, rows: { length } }, { place, size }) => inChunks[place]?.(at, size, length) === true,
  }),
  ofRow({
    which: 'of requests with more than {size:element} in all',
    behind: 'A limit beyond which a request is answered and not written.',
    over: each('size', sizes),
    has: ({ rows: { length } }, { size }) => length > size,
  }),
  ofRow({
    which: 'of requests with {feature}',
    behind: 'A rule or a type of the store that meets these alone.',
    price: 4,
    over: features,
    has: ({ call }, { feature }, { calls }) => featureOf(calls, feature)(call),
  }),
  ofRow({
    which: 'with {feature}',
    behind: 'A rule, a type or a collation of the store that meets these alone.',
    price: 4,
    over: features,
    // What the call has besides is not the row's.
    has: ({ alone, call }, { feature }, { calls }) =>
      featureOf(calls, feature)(call) && featureOf(calls, feature)(alone()),
  }),
];

const dayOf = (ms: number): number => Math.floor(ms / 86_400_000);
const instants: Readonly<Record<string, (atMs: number, openedMs: number) => boolean>> = {
  'has fewer than 100 milliseconds': (atMs) => atMs % 1_000 < 100,
  'has milliseconds that end in 0': (atMs) => atMs % 10 === 0,
  'has an odd second': (atMs) => Math.floor(atMs / 1_000) % 2 === 1,
  'has an even second': (atMs) => Math.floor(atMs / 1_000) % 2 === 0,
  'has an even minute': (atMs) => Math.floor(atMs / 60_000) % 2 === 0,
  'is before their session was opened': (atMs, openedMs) => atMs < openedMs,
  'is of another day than their session': (atMs, openedMs) => dayOf(atMs) !== dayOf(openedMs),
};

/** Whether a call is more than some seconds after an instant in an earlier span, or less. */
function isApart(how: 'more' | 'less', call: ReadSpan, since: ReadSpan, seconds: number): Presence {
  const isMore = isLater(call, since, 1_000 * seconds);
  return how === 'more' ? isMore : opposite[isMore];
}

/** Whether a call surely is after what came in a span, and within a time of it. */
function isAfter(
  call: ReadSpan,
  earlier: ReadSpan & { readonly isSure?: boolean },
  seconds = Number.POSITIVE_INFINITY,
): Presence {
  if (earlier.fromMs >= call.untilMs) return 'no';
  if (earlier.untilMs > call.fromMs) return 'maybe';
  const isSoon = isApart('less', call, earlier, seconds);
  return isSoon === 'yes' && earlier.isSure === false ? 'maybe' : isSoon;
}

/** Whether this many events of a session are nearer to an end of it. */
function hasNearer(
  { at, call, event, seen }: PlacedEvent,
  end: 'first' | 'last',
  most: number,
  isMeant: (other: CallEvent) => boolean = () => true,
): Presence {
  let [surely, perhaps] = [0, 0];
  for (const other of seen()) {
    if (other.event.id === event.id || !isMeant(other.event)) continue;
    const isAlike = other.call === call.n;
    const isUnordered = !isAlike && other.fromMs < call.untilMs && call.fromMs < other.untilMs;
    const isBefore = isAlike ? other.at < at : other.fromMs < call.fromMs;
    if (isUnordered || isBefore === (end === 'first')) perhaps += 1;
    if (!isUnordered && isBefore === (end === 'first') && other.isSure) surely += 1;
    if (surely >= most) return 'yes';
  }
  return perhaps < most ? 'no' : 'maybe';
}

/** Parts of the events of a service. */
export const eventParts: readonly FaultPart<PlacedEvent>[] = [
  ofEvent({
    which: 'of the type {type}{when}',
    behind: 'A filter, a type that the store does not know, or one write for all types of a request.',
    over: ['', ' where their request has another type', ' where another type comes before them'].flatMap(
      (when) => types.map((type) => ({ type, when })),
    ),
    has: ({ at, event, rows }, { type, when }) => {
      const others = (rows as readonly CallEvent[]).slice(0, when.endsWith('them') ? at : rows.length);
      return event.type === type && (when === '' || others.some((other) => other.type !== type));
    },
  }),
  ofEvent({
    which: 'without a SKU',
    behind: 'A join with the shades drops them.',
    over: [{}],
    has: ({ event }) => event.sku === undefined,
  }),
  ofEvent({
    which: 'whose `at` {what}',
    behind: 'A text that is parsed by its length, a partition by time, or a filter against wrong clocks.',
    over: each('what', Object.keys(instants)),
    has: ({ event, session }, { what }) => instants[what]?.(event.atMs, session.fromMs) === true,
  }),
  ofEvent({
    which: 'whose `at` is more than {seconds} s before they are sent',
    behind: 'What is old is taken for a repetition, or for a clock that is wrong.',
    over: each('seconds', [1, 2, 5, 60, 3_600]),
    has: ({ call, event: { atMs } }, { seconds }) =>
      isApart('more', call, { fromMs: atMs, untilMs: atMs }, seconds),
  }),
  ofEvent({
    which: 'that are sent {how} than {seconds} s after their session was opened',
    behind: 'Events are joined with sessions that are loaded later, or a rollup is taken once, too early.',
    over: (['more', 'less'] as const).flatMap((how) => times.map((seconds) => ({ how, seconds }))),
    has: ({ call, session }, { how, seconds }) => isApart(how, call, session, seconds),
  }),
  ofEvent({
    which: 'that are sent {how} than {seconds} s after the request before with events of their session',
    behind: 'A filter for repeated clicks, or a visit that is taken for over.',
    over: (['less', 'more'] as const).flatMap((how) => times.map((seconds) => ({ how, seconds }))),
    has: ({ call, seen }, { how, seconds }) => {
      const before = seen().filter((other) => other.call !== call.n && other.fromMs < call.untilMs);
      const near = anyOf(before.map((other) => isAfter(call, other, seconds)));
      return before.length > 0 && (how === 'less' ? near : opposite[near]);
    },
  }),
  ofEvent({
    which: 'that come after {what} of their session',
    behind: 'A message that cannot be handled blocks its queue, or the session is taken for finished.',
    over: each('what', ['a cart intent', 'a request that is rejected', 'the first request with events']),
    has: ({ at, call, seen, session, world }, { what }) => {
      if (what === 'a cart intent')
        return anyOf(
          seen().map((other) => {
            if (other.event.type !== 'cart_intent') return 'no';
            return other.call === call.n ? (other.at < at ? 'yes' : 'no') : isAfter(call, other);
          }),
        );
      const earlier = batchesOf(world, session.n, call).filter(({ n }) => n !== call.n);
      return anyOf(
        earlier
          .filter(what.startsWith('the') ? mayHaveEffect : isRefusedBatch)
          .map((each) => isAfter(call, each)),
      );
    },
  }),
  ofEvent({
    which: 'of requests that repeat an event of their session',
    behind: 'A unique key that the whole request runs into.',
    over: [{}],
    has: ({ call, rows, seen }) => {
      const ids = new Set((rows as readonly CallEvent[]).map(({ id }) => id));
      const repeated = seen().filter((other) => other.call !== call.n && ids.has(other.event.id));
      return anyOf(repeated.map((other) => isAfter(call, other)));
    },
  }),
  ofEvent({
    which: 'in the latest request with events of {of}',
    behind: 'A buffer that is written when the next request comes.',
    isOpenEnded: true,
    over: each('of', ['whichever session', 'its session']),
    has: ({ asker, call, session, world }, { of }) => {
      const all = batchesOf(world, of.startsWith('its') ? session.n : 'any', asker).filter(mayHaveEffect);
      const later = all.filter(({ n, untilMs }) => n !== call.n && untilMs > call.fromMs);
      const isOver = later.some(({ fromMs, untilMs }) => fromMs >= call.untilMs && untilMs <= asker.fromMs);
      return later.length === 0 || (isOver ? 'no' : 'maybe');
    },
  }),
  ofEvent({
    which: 'that come in the same instant as {other} one of their session',
    behind: 'Rows are told apart by their time alone: of one millisecond, one stays.',
    isOpenEnded: true,
    over: each('other', ['a later', 'an earlier']),
    has: ({ at, call, rows, seen }, { other }) => {
      const sent = rows as readonly CallEvent[];
      const isLate = other === 'a later';
      const all = seen();
      // What is there already is not stored again.
      const known = new Set(isLate ? sent.slice(0, at + 1).map(({ id }) => id) : []);
      const inRequest = (isLate ? sent.slice(at + 1) : sent.slice(0, at)).map(({ id }): Presence => {
        const first = all.find(({ event }) => event.id === id);
        if (known.has(id)) return 'no';
        return first === undefined || first.call === call.n ? 'yes' : first.isSure ? 'no' : 'maybe';
      });
      const isBesideOther = all.some(
        (each) => each.call !== call.n && each.fromMs < call.untilMs && call.fromMs < each.untilMs,
      );
      return anyOf([...inRequest, isBesideOther ? 'maybe' : 'no']);
    },
  }),
  ofEvent({
    which: 'whose shade is imported again afterwards',
    behind: 'A row of a shade is replaced, and what refers to it is deleted, or no longer found.',
    isOpenEnded: true,
    over: [{}],
    has: ({ asker, call, event: { sku }, m, session, world }) => {
      const shelf = world.catalogs.get(m.place(session.account, session.catalog, asker));
      const imports = sku === undefined ? [] : (shelf?.of(m.skuSlot(sku, asker, world)) ?? []);
      const later = imports.filter((each) => each.untilMs > call.fromMs && each.fromMs < asker.untilMs);
      return anyOf(
        later.map((each) => (each.fromMs >= call.untilMs && each.untilMs <= asker.fromMs ? 'yes' : 'maybe')),
      );
    },
  }),
  ofEvent({
    which: 'that select the SKU of another selection of their session {when}',
    behind: 'A filter for double clicks.',
    over: times.map((seconds) => ({ when: `up to ${seconds} s before`, seconds })),
    has: ({ at, call, event, seen }, { seconds }) =>
      event.type === 'shade_selected' &&
      anyOf(
        seen().map((other) => {
          const isAlike = other.event.type === event.type && other.event.sku === event.sku;
          if (!isAlike || other.event.id === event.id) return 'no';
          return other.call === call.n ? (other.at < at ? 'yes' : 'no') : isAfter(call, other, seconds);
        }),
      ),
  }),
  ofEvent({
    which: 'after the first {most} of their session',
    behind: 'A bound of a document or an array, a LIMIT, or the first page alone.',
    over: (evidence) => each('most', boundsOf(evidence, bounds)),
    has: (placed, { most }) => hasNearer(placed, 'first', most),
  }),
  ofEvent({
    which: 'before the newest {most} of their session',
    behind: 'A list of a fixed length, or a LIMIT.',
    isOpenEnded: true,
    over: (evidence) => each('most', boundsOf(evidence, bounds)),
    has: (placed, { most }) => hasNearer(placed, 'last', most),
  }),
  ...(['first', 'last'] as const).flatMap((end) => [
    ofEvent({
      which: `that are the ${end} of their session`,
      behind: 'An off-by-one in a page or an offset.',
      isOpenEnded: end === 'last',
      over: [{}],
      has: (placed) => opposite[hasNearer(placed, end, 1)],
    }),
    ofEvent({
      which: `of the type {type} that are not the ${end} of it in their session`,
      behind: 'The type is a column of the session, or a part of a key: events of it replace each other.',
      isOpenEnded: end === 'last',
      over: each('type', types),
      has: (placed, { type }) =>
        placed.event.type === type && hasNearer(placed, end, 1, (other) => other.type === type),
    }),
  ]),
];

/** What a session has, by its events. */
const contents: Readonly<Record<string, readonly [most: number, isMore: boolean, type?: CallEvent['type']]>> =
  {
    'no event': [0, false],
    'a cart intent': [0, true, 'cart_intent'],
    'no cart intent': [0, false, 'cart_intent'],
    ...Object.fromEntries(
      [1, 2, 3, 5, 10, 20, 50, 100].map((most) => [
        most === 1 ? 'several events' : `more than ${most} events`,
        [most, true],
      ]),
    ),
  };

/** The other sessions of an account that are alike. */
const alike = ({ session, world }: PlacedSession, of: string): readonly LearntSession[] =>
  [...world.sessions.values()].filter((other) => other.n !== session.n && isOfSame(of, other, session));

/** Parts of the sessions of a service. */
export const sessionParts: readonly FaultPart<PlacedSession>[] = [
  ofSession({
    which: 'with {what}',
    behind:
      'An inner join with the events, a session that is written with its first event, or a page of events.',
    over: each('what', Object.keys(contents)),
    has: ({ events }, { what }) => {
      const [most = 0, isMore = false, type] = contents[what] ?? [];
      const own = events().filter(({ event }) => type === undefined || event.type === type);
      const has =
        own.length <= most ? 'no' : own.filter(({ isSure }) => isSure).length > most ? 'yes' : 'maybe';
      return isMore ? has : opposite[has];
    },
  }),
  ofSession({
    which: 'with {most} newer ones of {of}',
    behind: 'A cache that is full, or a map with one entry for each owner, stands where a store should.',
    over: newestOf,
    has: ({ call, session, world }, { most, of }) => hasNewer(session, call, world, most, of),
  }),
  ofSession({
    which: 'that are not the first of their {of}',
    behind: 'A join or a map that has one row for each of these.',
    over: each('of', ['product', 'catalog']),
    has: (placed, { of }) =>
      anyOf(alike(placed, of).map((other) => isApart('more', placed.session, other, 0))),
  }),
  ofSession({
    which: 'that are opened within {seconds} s of another one of their {of}',
    behind: 'A filter for repeated requests.',
    over: (['product', 'catalog', 'account'] as const).flatMap((of) =>
      times.map((seconds) => ({ of, seconds })),
    ),
    has: (placed, { of, seconds }) => {
      const { session } = placed;
      const earlier = alike(placed, of).filter(({ fromMs }) => fromMs < session.untilMs);
      return anyOf(earlier.map((other) => isApart('less', session, other, seconds)));
    },
  }),
  ofSession({
    which: 'whose creation has {feature}',
    behind: 'A rule, a join or a partition that meets these alone.',
    price: 4,
    over: features,
    has: ({ session, world }, { feature }, { calls }) =>
      [world.byNumber.get(session.n)].some((call) => call !== undefined && featureOf(calls, feature)(call)),
  }),
];
