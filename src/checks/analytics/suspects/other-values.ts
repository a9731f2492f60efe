import type { History } from '../../../history/history.ts';
import {
  type AnswerField,
  averageMeasures,
  type MeanField,
  rateMeasures,
} from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type Fit, fitTopShades, within } from '../compare/fit.ts';
import { cellNames, hypotheses, type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import type { KnownAnswer, KnownEvent, KnownSession } from './known-answers.ts';

/** What a session adds to a sum, of the events that count. */
type EventSum = (events: readonly KnownEvent[]) => number;

const selectionsOf = (events: readonly KnownEvent[]): KnownEvent[] => events.filter(({ isCart }) => !isCart);
const shadesOf = (events: readonly KnownEvent[]): Set<string | null> =>
  new Set(selectionsOf(events).map(({ sku }) => sku));
const cartsOf = (events: readonly KnownEvent[]): number => events.length - selectionsOf(events).length;

/** What a field may be a sum or a quotient of, by its name in the words of a cause. */
const parts = {
  sessions: () => 1,
  'sessions-with-shades': (events) => Number(selectionsOf(events).length > 0),
  'sessions-with-events': (events) => Number(events.length > 0),
  'sessions-with-cart-intent': (events) => Number(cartsOf(events) > 0),
  'sessions-with-cart-intent-after-a-selection': (events) =>
    Number(
      events.some(({ isCart }) => !isCart) &&
        events.findLastIndex(({ isCart }) => isCart) > events.findIndex(({ isCart }) => !isCart),
    ),
  'sessions-that-begin-with-cart-intent': ([first]) => Number(first?.isCart === true),
  'sessions-with-an-odd-number-of-cart-intents': (events) => cartsOf(events) % 2,
  'cart-intents': cartsOf,
  shades: (events) => shadesOf(events).size,
  'shades-with-any-event': (events) => new Set(events.flatMap(({ sku }) => sku || [])).size,
  selections: (events) => selectionsOf(events).length,
  events: (events) => events.length,
} as const satisfies Record<string, EventSum>;
type PartName = keyof typeof parts;

/** Quotients that no convention allows, by the field in whose place they may stand, the plainest first. */
const quotients: Readonly<Record<MeanField, readonly (readonly [PartName, PartName])[]>> = {
  avg_shades_per_session: [
    ['events', 'sessions'],
    ['shades', 'sessions-with-events'],
    ['selections', 'sessions-with-events'],
    ['shades-with-any-event', 'sessions'],
  ],
  cart_intent_rate: [
    ['cart-intents', 'events'],
    ['cart-intents', 'sessions'],
    ['cart-intents', 'selections'],
    ['sessions-with-cart-intent', 'events'],
    ['sessions-with-cart-intent', 'selections'],
    ['sessions-with-cart-intent', 'sessions-with-events'],
    ['sessions-with-cart-intent-after-a-selection', 'sessions'],
    ['sessions-that-begin-with-cart-intent', 'sessions'],
    ['sessions-with-an-odd-number-of-cart-intents', 'sessions'],
  ],
};

/** What a total may count in place of sessions; `least`: what a session adds that has none. */
const totals = (['events', 'selections', 'shades'] as const).flatMap((of) => [
  { name: of, of, least: 0 },
  { name: `${of}-or-one`, of, least: 1 },
]);

/** Numbers of shades, and of events, to which those of a session may be cut. */
const shadesTried = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20];
const eventsTried = [5, 10, 20, 50, 100];
/** Statuses of rejected events that may count nevertheless. */
const rejectedWith = [400, 401, 403, 404, 409, 410, 413, 422, 429];

/** A cause, and the value that it gives a field in an answer. */
interface OtherValue {
  readonly suspect: Suspect;
  readonly of: (known: KnownAnswer) => Bounds;
}

/**
 * What wrong values of a field are instead: every value of the field, the right ones too, is just that. The first in the
 * order of the tables is named.
 */
export function otherValues(
  history: History,
  table: AnalyticsTable,
  known: readonly KnownAnswer[],
): SuspectHypothesis[] {
  const { decimals } = history.profile.analytics;
  const found = (['total_sessions', 'avg_shades_per_session', 'cart_intent_rate'] as const).flatMap(
    (field) => {
      const asked = answersFor(field, table, known);
      const isTotal = field === 'total_sessions';
      const others = asked.length === 0 ? [] : isTotal ? otherTotals(asked) : otherMeans(field, table);
      const other = others.find(({ of }) =>
        asked.every((each) => {
          const value = each.row[cellNames[field]].returned ?? Number.NaN;
          return within(value, of(each), isTotal ? 9 : decimals);
        }),
      );
      return other === undefined ? [] : [{ field, suspect: other.suspect }];
    },
  );
  const ofActive = found.flatMap(({ field, suspect }) => (isOfActive(suspect) ? [field] : []));
  return found.flatMap(({ field, suspect }) =>
    hypotheses(table, [field], (seqs) => ({
      ...(isOfActive(suspect)
        ? fits('inactive-sessions-left-out', { fields: ofActive, without: 'event' })
        : suspect),
      seqs,
    })),
  );
}

/** The answers that a cause of wrong values of a field is held against; none where a wrong one is not known. */
function answersFor(
  field: AnswerField,
  table: AnalyticsTable,
  known: readonly KnownAnswer[],
): readonly KnownAnswer[] {
  const wrong = wrongRows(table, field);
  // Joins with events may be those of one product alone.
  const isOfProducts = field === 'total_sessions' && wrong.every(({ query }) => query.productId !== null);
  const asked = known.filter(
    ({ hasEvents, row }) =>
      hasEvents && row[cellNames[field]].returned !== null && (!isOfProducts || row.query.productId !== null),
  );
  const isAny = field === 'total_sessions' ? wrong.every.bind(wrong) : wrong.some.bind(wrong);
  return wrong.length > 0 && isAny((row) => asked.some((each) => each.row === row)) ? asked : [];
}

/** The mean is right but for the sessions that nothing happened in. */
const isOfActive = ({ cause }: Suspect): boolean =>
  cause.code === 'mean-of-other' &&
  cause.params.by === 'sessions-with-events' &&
  cause.params.of !== 'events';

function otherTotals(asked: readonly KnownAnswer[]): OtherValue[] {
  const isOfProducts = asked.every(({ row }) => row.query.productId !== null);
  return totals.map(({ least, name, of }) => ({
    suspect: fits('total-of-other', { of: name, isOfProducts }),
    of: ({ sessions }) => sum(sessions, (events) => Math.max(least, parts[of](events))),
  }));
}

/** Each with what it gives, the plainest first. */
function otherMeans(field: MeanField, { allowed: { average, rate } }: AnalyticsTable): OtherValue[] {
  const ofRate = field === 'cart_intent_rate';
  const measures = ofRate ? rateMeasures.filter(rate) : averageMeasures.filter(average);
  const pairs = measures.flatMap((measure): (readonly [PartName, PartName])[] => {
    const [what = '', over] = measure.split('/');
    const of = what.startsWith('distinct')
      ? 'shades'
      : what.startsWith('selections')
        ? 'selections'
        : 'sessions-with-cart-intent';
    // What is the last event of a session is not one of the parts.
    return what === 'cart-last' ? [] : [[of, over === 'all' ? 'sessions' : 'sessions-with-shades']];
  });
  return [
    ...pairs.map(
      ([of, by]): OtherValue => ({
        suspect: fits('mean-of-means', { field }),
        of: ({ row, sessions }) =>
          row.query.productId === null
            ? meanOfMeans(sessions, parts[of], by)
            : quotient(sessions, parts[of], by),
      }),
    ),
    ...quotients[field].map(
      ([of, by]): OtherValue => ({
        suspect: fits('mean-of-other', { field, of, by }),
        of: ({ sessions }) => quotient(sessions, parts[of], by),
      }),
    ),
    // Where the counts are those of the product, and its mean is not.
    ...pairs.map(
      ([of, by]): OtherValue => ({
        suspect: fits('product-filter-ignored', { fields: [field] }),
        of: ({ account }) => quotient(account, parts[of], by),
      }),
    ),
    ...(ofRate ? [] : pairs.flatMap(([of, by]) => otherAverages(of, by))),
  ];
}

/** Shades that are counted of other events, or otherwise than each session's own. */
function otherAverages(of: PartName, by: PartName): OtherValue[] {
  return [
    {
      suspect: fits('mean-of-other', { field: 'avg_shades_per_session', of: 'shades-of-all-sessions', by }),
      of: ({ sessions }) => {
        const shades = new Set(sessions.flatMap(({ events }) => [...shadesOf(events.filter(isAccepted))]))
          .size;
        const over = sum(sessions, parts[by]).max;
        return { min: shades / over, max: shades / over };
      },
    },
    ...shadesTried.map(
      (most): OtherValue => ({
        suspect: fits('shades-capped', { most }),
        of: ({ sessions }) => quotient(sessions, (events) => Math.min(most, shadesOf(events).size), by),
      }),
    ),
    { suspect: fits('median-for-mean', {}), of: ({ sessions }) => median(sessions, parts[of]) },
    ...rejectedWith.map(
      (status): OtherValue => ({
        suspect: fits('rejected-events-counted', { status }),
        of: ({ sessions }) =>
          quotient(sessions, parts.shades, by, (each) => isAccepted(each) || each.status === status),
      }),
    ),
    ...eventsTried.map(
      (most): OtherValue => ({
        suspect: fits('events-capped', { most }),
        of: ({ sessions }) => quotient(sessions, (events) => parts.shades(events.slice(0, most)), by),
      }),
    ),
  ];
}

const isAccepted = (event: KnownEvent): boolean => event.isAccepted;

/** The bounds of a sum over sessions: an event that is sent again may count once, or each time. */
function sum(sessions: readonly KnownSession[], part: EventSum, counts = isAccepted): Bounds {
  let [min, max] = [0, 0];
  for (const session of sessions) {
    const events = session.events.filter(counts);
    const once = part(events);
    const each = events.some(({ times }) => times > 1)
      ? part(events.flatMap((event) => Array.from({ length: Math.max(1, event.times) }, () => event)))
      : once;
    min += Math.min(once, each);
    max += Math.max(once, each);
  }
  return { min, max };
}

function quotient(
  sessions: readonly KnownSession[],
  part: EventSum,
  by: PartName,
  counts = isAccepted,
): Bounds {
  const [of, over] = [sum(sessions, part, counts), sum(sessions, parts[by])];
  return { min: over.max === 0 ? 0 : of.min / over.max, max: of.max / Math.max(1, over.min) };
}

function meanOfMeans(sessions: readonly KnownSession[], part: EventSum, by: PartName): Bounds {
  const products = [...Map.groupBy(sessions, ({ product }) => product).values()];
  const means = products.map((each) => quotient(each, part, by));
  const mean = (end: keyof Bounds): number =>
    means.reduce((total, each) => total + each[end], 0) / products.length;
  return { min: mean('min'), max: mean('max') };
}

/** The value of the session in the middle, or of any between the two. */
function median(sessions: readonly KnownSession[], part: EventSum): Bounds {
  const values = sessions.map(({ events }) => part(events.filter(isAccepted))).toSorted((a, b) => a - b);
  const half = values.length / 2;
  return { min: values[Math.ceil(half) - 1] ?? 0, max: values[Math.floor(half)] ?? 0 };
}

/** Lists that are right if a shade is counted once in each session that selected it. */
export function sessionsForSelections(
  table: AnalyticsTable,
  known: readonly KnownAnswer[],
): SuspectHypothesis[] {
  const [first] = wrongRows(table, 'top_shades');
  if (first === undefined) return [];
  const asked = known.filter(({ hasEvents }) => hasEvents);
  const selecting = (sessions: readonly KnownSession[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { events } of sessions)
      for (const sku of shadesOf(events.filter(isAccepted)))
        if (sku !== null) counts.set(sku, (counts.get(sku) ?? 0) + 1);
    return counts;
  };
  const areSessions = asked.every((each) => listFit(table, each, selecting(each.sessions)) !== 'misfits');
  const own = selecting(asked.find(({ row }) => row === first)?.sessions ?? []);
  const shade = first.topShades.expected?.find(({ min, sku }) => min > (own.get(sku) ?? 0));
  const isKnown = wrongRows(table, 'top_shades').every((row) => asked.some((each) => each.row === row));
  if (!isKnown || !areSessions || shade === undefined) return [];
  const { min: selections, sku } = shade;
  return hypotheses(table, ['top_shades'], (seqs) =>
    fits('sessions-for-selections', { sku, sessions: own.get(sku) ?? 0, selections }, seqs),
  );
}

/** How a list of shades fits, where each SKU has just so many selections. */
export function listFit(
  { search }: AnalyticsTable,
  { place, row }: KnownAnswer,
  counts: ReadonlyMap<string, number>,
): Fit {
  const { of, topLengths } = search?.chosen.evaluation ?? {};
  const [around, expectation] = [of?.circumstances[place], of?.expectations[place]];
  if (around === undefined || expectation === undefined || topLengths === undefined) return 'misfits';
  const shades = [...counts].map(([sku, n]) => ({ sku, min: n, max: n, copies: n }));
  return fitTopShades(row.topShades.returned, { ...expectation, shades }, topLengths, around).fit;
}
