import type { CountedFeature } from '../../causes/analytics-counts.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import type { KnownEvent, KnownSession } from './known-answers.ts';
import type { AnswerEvidence, Row } from './row.ts';
import { type Fault, rowsOf } from './stages.ts';

/** What analytics may leave out, or count twice: by what property is read off the numbers, and then held against every answer. */

/** How many of some items an answer counts. */
interface Claim<Item> {
  readonly items: readonly Item[];
  readonly counted: number;
}

/** Within what a number of an item lies; both ends are equal where it is known. */
type NumberSpan = readonly [least: number, most: number];

/** Those that count: up to a bound, from it on, all but those with one number or every n-th; or twice from a bound on. */
type PartWay = 'up to' | 'from' | 'but' | 'but every' | 'twice from';

/** Which items count otherwise. The bound is in a span: of a number or an n, both ends are that. */
interface PartBound {
  readonly way: PartWay;
  readonly bound: NumberSpan;
  /** Of the answer with most of them, how many they are, of how many. */
  readonly left: number;
  readonly of: number;
}

/** A number of an item by which it may count or not, and what that is called. */
interface PartProperty<Item> {
  readonly number: (item: Item) => NumberSpan;
  readonly ways: readonly PartWay[];
  readonly suspect: (part: PartBound) => Suspect | undefined;
}

interface PartFound<Item> {
  readonly suspect: Suspect;
  readonly times: (item: Item) => NumberSpan;
}

/** One in each number of items is left out, whichever comes first. */
const nths = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 50, 100];
/** Of fewer items that are left out, many properties would choose the same. Ours. */
const fewestLeft = 5;
/** Single numbers that are tried. */
const mostNumbers = 50;
/** That as many are chosen of each product as a bound chooses: chance does that more rarely. Ours. */
const mostChance = 0.01;

export function partRows(evidence: AnswerEvidence): Row[] {
  const faults = [...sessionFaults(evidence), ...eventFaults(evidence)];
  return faults.length === 0 ? [] : rowsOf(() => faults, evidence);
}

const point = (value: number): NumberSpan => [value, value];
const negated = ([least, most]: NumberSpan): NumberSpan => [-most, -least];

/** `apart`: claims on different items. */
function partsBy<Item>(
  claims: readonly Claim<Item>[],
  apart: readonly Claim<Item>[],
  properties: readonly PartProperty<Item>[],
): PartFound<Item>[] {
  const smallestFirst = claims.toSorted((a, b) => a.items.length - b.items.length);
  const explains = (isLeft: (item: Item) => boolean): boolean =>
    smallestFirst.every((each) => each.items.filter(isLeft).length === each.items.length - each.counted);
  const isCounted = (isLeft: (item: Item) => boolean) => (item: Item) => point(Number(!isLeft(item)));
  const boundOf = (
    { number }: PartProperty<Item>,
    way: PartWay,
  ): readonly [bound: NumberSpan, times: (item: Item) => NumberSpan] | undefined => {
    const value = (item: Item): number => number(item)[0];
    if (way === 'but every') {
      for (const n of nths)
        for (let first = 1; first <= n; first++) {
          const isLeft = (item: Item): boolean => value(item) % n === first % n;
          if (explains(isLeft)) return [point(n), isCounted(isLeft)];
        }
      return undefined;
    }
    if (way === 'but') {
      const numbers = [...new Set(apart.flatMap((each) => each.items.map(value)))].slice(0, mostNumbers);
      const one = numbers.find((each) => explains((item) => value(item) === each));
      return one === undefined ? undefined : [point(one), isCounted((item) => value(item) === one)];
    }
    const more = way === 'twice from' ? 1 : 0;
    const spanOf = way === 'up to' ? number : (item: Item) => negated(number(item));
    const cut = cutOf(
      smallestFirst.map(({ counted, items }) => ({ items, counted: counted - more * items.length })),
      spanOf,
    );
    if (cut === undefined) return undefined;
    const times = (item: Item): NumberSpan => {
      const [least, most] = spanOf(item);
      return [more + Number(most <= cut[0]), more + Number(least < cut[1])];
    };
    return [way === 'up to' ? cut : negated(cut), times];
  };
  return properties.flatMap((property) =>
    property.ways.flatMap((way) => {
      const found = boundOf(property, way);
      const suspect = found && property.suspect({ way, bound: found[0], ...figuresOf(claims, way) });
      return found === undefined || suspect === undefined ? [] : [{ suspect, times: found[1] }];
    }),
  );
}

function figuresOf(claims: readonly Claim<unknown>[], way?: PartWay): Pick<PartBound, 'left' | 'of'> {
  const figures = claims.map(({ counted, items }) => ({
    left: way === 'twice from' ? counted - items.length : items.length - counted,
    of: items.length,
  }));
  return figures.toSorted((a, b) => b.left - a.left || b.of - a.of)[0] ?? { left: 0, of: 0 };
}

/**
 * Between what the bound lies that explains every claim, the smallest first: just those items count that lie below it. Law: of n
 * counted items, it is over the n-th smallest, and under the next one.
 */
function cutOf<Item>(
  claims: readonly Claim<Item>[],
  spanOf: (item: Item) => NumberSpan,
): NumberSpan | undefined {
  let [over, under] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { counted, items } of claims) {
    if (counted < 0 || counted > items.length || over >= under) return undefined;
    const least = Float64Array.from(items, (item) => spanOf(item)[0]).sort();
    const most = Float64Array.from(items, (item) => spanOf(item)[1]).sort();
    over = Math.max(over, least[counted - 1] ?? Number.NEGATIVE_INFINITY);
    under = Math.min(under, most[counted] ?? Number.POSITIVE_INFINITY);
  }
  return over < under && Number.isFinite(over) && Number.isFinite(under) ? [over, under] : undefined;
}

/** How sure a part is, of those that `tries` properties may have chosen; `at`: its place among what was found. */
function sureness(
  claims: readonly Claim<unknown>[],
  apart: readonly Claim<unknown>[],
  tries: number,
  at: number,
): Pick<Fault, 'leastFields' | 'isLoose' | 'price'> {
  const isFew = Math.max(figuresOf(claims).left, figuresOf(claims, 'twice from').left) < fewestLeft;
  const mayBeChance = chanceOf(apart) * tries > mostChance;
  // Chance leaves out as many of each product now and then: then another field has to show it as well, and a few show nothing.
  const leastFields = !mayBeChance ? 1 : isFew ? Number.POSITIVE_INFINITY : 2;
  return { leastFields, isLoose: isFew, price: 2 + at / 100 };
}

/** The probability that of as many items left out at random, as many are of each claim (multivariate hypergeometric). */
function chanceOf(claims: readonly Claim<unknown>[]): number {
  const shares = claims.map(
    ({ counted, items }) => [items.length, Math.abs(items.length - counted)] as const,
  );
  if (shares.some(([of, missing]) => missing > of)) return 1;
  const [items, missing] = [0, 1].map((at) => shares.reduce((sum, share) => sum + (share[at] ?? 0), 0));
  return Math.exp(
    shares.reduce((sum, [of, own]) => sum + logChoices(of, own), 0) - logChoices(items ?? 0, missing ?? 0),
  );
}

/** The logarithm of n! / (k! (n - k)!). */
function logChoices(n: number, k: number): number {
  let sum = 0;
  for (let place = 1; place <= k; place++) sum += Math.log((n - k + place) / place);
  return sum;
}

const notCounted =
  (what: 'session' | 'selection', feature: CountedFeature) =>
  ({ bound: [least, most], left, of, way }: PartBound): Suspect => {
    const how = {
      but: 'equal',
      'but every': 'every',
      'up to': 'over',
      from: 'under',
      'twice from': 'over',
    } as const;
    const number = way === 'from' ? most : least;
    return fits('part-not-counted', { what, feature, how: how[way], number, left, of });
  };

/** No gateway is likely to give up sooner. */
const shortestTimeoutMs = 10;

const sessionProperties: readonly PartProperty<KnownSession>[] = [
  {
    number: ({ ordinalOfProduct }) => point(ordinalOfProduct),
    ways: ['but', 'up to', 'from'],
    suspect: (part) =>
      part.way === 'but' && part.bound[0] === 1
        ? fits('session-of-each-product-missing', { products: part.left })
        : notCounted('session', 'ordinal-of-product')(part),
  },
  {
    number: ({ sentMs }) => point(sentMs),
    ways: ['from', 'up to'],
    suspect: ({ bound: [least, most], left, of, way }) =>
      left === of
        ? undefined
        : fits('sessions-counted-in-part', {
            ...{ counted: of - left, of, bound: way === 'from' ? 'from' : 'up to' },
            atMs: way === 'from' ? most : least,
          }),
  },
  // What gave up waiting sent the request again, and both were carried out.
  {
    number: ({ answeredMs, sentMs }) => point(answeredMs - sentMs),
    ways: ['twice from'],
    suspect: ({ bound: [, leastMs], left: sessions, of }) =>
      leastMs < shortestTimeoutMs ? undefined : fits('slow-creations-twice', { sessions, of, leastMs }),
  },
  {
    number: ({ ways: [events = []] }) => point(events.length),
    ways: ['but', 'up to', 'from'],
    suspect: notCounted('session', 'events'),
  },
  {
    number: ({ ordinal }) => point(ordinal),
    ways: ['but every'],
    suspect: notCounted('session', 'ordinal'),
  },
];

/** Values of sessions whose sessions may not count. */
const sessionTraits = [
  ['locale', ({ locale }: KnownSession) => locale ?? ''],
  ['catalog_id', ({ catalog }: KnownSession) => catalog ?? ''],
] as const;

/** Sessions that do not count, or count twice, where totals are wrong. */
function sessionFaults(evidence: AnswerEvidence): Fault[] {
  if (!isKnown(evidence, 'total_sessions')) return [];
  const claims = evidence.answers.flatMap(({ known, row }) => {
    const { returned } = row.totalSessions;
    if (known === undefined || returned === null) return [];
    return [{ items: known.sessions, counted: returned, isOfProduct: row.query.productId !== null }];
  });
  // The largest of each product.
  const bySize = claims.toSorted((a, b) => a.items.length - b.items.length);
  const apart = [
    ...new Map(
      bySize.flatMap((claim) => (claim.isOfProduct ? [[claim.items[0]?.product, claim] as const] : [])),
    ).values(),
  ];
  const found = [
    ...sessionTraits.flatMap(([trait, traitOf]) => valuesLeftOut(claims, trait, traitOf)),
    ...partsBy(claims, apart, sessionProperties),
  ];
  return found.map(({ suspect, times }, at) => ({
    suspect: () => suspect,
    ...sureness(claims, apart, sessionProperties.length * 3 + nths.length, at),
    alters: {
      matches: ({ sessions }) =>
        sessions.flatMap((session) => Array.from({ length: times(session)[0] }, () => session)),
    },
  }));
}

/** The values of a trait whose sessions are just those that do not count. */
function valuesLeftOut(
  claims: readonly Claim<KnownSession>[],
  trait: (typeof sessionTraits)[number][0],
  traitOf: (session: KnownSession) => string,
): PartFound<KnownSession>[] {
  const numbers = claims.map(({ counted, items }) => ({
    missing: items.length - counted,
    of: Map.groupBy(items, traitOf),
  }));
  const all = [...new Set(numbers.flatMap(({ of }) => [...of.keys()]))];
  const values = all
    .filter((value) => numbers.every(({ missing, of }) => (of.get(value)?.length ?? 0) <= missing))
    .toSorted();
  const isAll = numbers.every(
    ({ missing, of }) => values.reduce((sum, value) => sum + (of.get(value)?.length ?? 0), 0) === missing,
  );
  const { left: failed, of } = figuresOf(claims);
  if (!isAll || values.length === 0 || values.length === all.length) return [];
  const suspect = fits('depends-on-value', { what: 'session', trait, values, failed, others: of - failed });
  return [{ suspect, times: (each) => point(Number(!values.includes(traitOf(each)))) }];
}

const isKnown = ({ answers, wrong }: AnswerEvidence, field: 'total_sessions' | 'top_shades'): boolean =>
  wrong[field].length > 0 &&
  wrong[field].every((row) =>
    answers.some(
      ({ known, row: own }) =>
        own === row && known !== undefined && (field === 'total_sessions' || known.hasEvents),
    ),
  );

/** A selection, and the session that it is of. */
interface KnownSelection {
  readonly session: KnownSession;
  readonly event: KnownEvent;
  /** Its place among the accepted events of its session. */
  readonly place: number;
}

/** With fewer shades a bound that fits may be chance. */
const leastShades = 5;
/** A bound nearer to the creation, or to the start of the run, than this may be chance, too. */
const leastMs = 1_000;

const timed =
  (suspect: (leastMs: number, mostMs: number) => Suspect): PartProperty<unknown>['suspect'] =>
  ({ bound: [least, most] }) =>
    Math.abs(most) < leastMs ? undefined : suspect(least, most);

const selectionProperties: readonly PartProperty<KnownSelection>[] = [
  {
    number: ({ event, session }) => [event.sentMs - session.answeredMs, event.answeredMs - session.sentMs],
    ways: ['up to'],
    suspect: timed((least, most) =>
      fits('late-events-ignored', { leastMs: Math.max(0, least), mostMs: most }),
    ),
  },
  {
    number: ({ event }) => [event.sentMs, event.answeredMs],
    ways: ['up to'],
    suspect: timed((least, most) => fits('events-counted-until', { leastMs: least, mostMs: most })),
  },
  {
    number: ({ event }) => [event.sentMs, event.answeredMs],
    ways: ['from'],
    suspect: timed((least, most) => fits('events-counted-since', { leastMs: least, mostMs: most })),
  },
  ...(
    [
      ['place', ({ place }) => place],
      ['place-in-batch', ({ event }) => event.placeInBatch],
      ['place-from-end', ({ event }) => event.batch - event.placeInBatch + 1],
      ['batch', ({ event }) => event.batch],
    ] as const satisfies readonly (readonly [CountedFeature, (each: KnownSelection) => number])[]
  ).map(
    ([feature, of]): PartProperty<KnownSelection> => ({
      number: (each) => point(of(each)),
      ways: ['but', 'up to', 'from'],
      suspect: notCounted('selection', feature),
    }),
  ),
  {
    number: ({ event }) => point(event.ordinal),
    ways: ['but every'],
    suspect: notCounted('selection', 'ordinal'),
  },
];

/** Selections of which only a part counts. Sessions that do not count at all take their events with them. */
function eventFaults(evidence: AnswerEvidence): Fault[] {
  if (evidence.wrong.total_sessions.length > 0 || !isKnown(evidence, 'top_shades')) return [];
  const lists = evidence.answers.flatMap(({ known, row }): readonly Claim<KnownSelection>[][] => {
    if (!known?.hasEvents || row.topShades.verdict !== 'fail') return [];
    const bySku = Map.groupBy(known.sessions.flatMap(selectionsOf), ({ event }) => event.sku);
    return [
      (row.topShades.returned ?? []).map(({ selections, sku }) => ({
        items: bySku.get(sku) ?? [],
        counted: selections,
      })),
    ];
  });
  const claims = lists.flat();
  if (claims.filter(({ counted, items }) => items.length > counted).length < leastShades) return [];
  const [longest = []] = lists.toSorted((a, b) => b.length - a.length);
  return partsBy(claims, longest, selectionProperties).map(({ suspect, times }, at) => ({
    suspect: () => suspect,
    ...sureness(claims, longest, selectionProperties.length * 3 + nths.length, at),
    fields: ['top_shades', 'avg_shades_per_session'],
    alters: {
      acts: (session) => {
        const each = selectionsOf(session).map((selection) => ({ selection, times: times(selection) }));
        const sure = each.flatMap(({ selection, times: [least] }) => (least > 0 ? selection.event : []));
        const most = each.flatMap(({ selection, times: [, possible] }) =>
          possible > 0 ? selection.event : [],
        );
        return sure.length === most.length ? [sure] : [sure, most];
      },
    },
  }));
}

const selections = new WeakMap<KnownSession, readonly KnownSelection[]>();

function selectionsOf(session: KnownSession): readonly KnownSelection[] {
  const [events = []] = session.ways;
  const made =
    selections.get(session) ??
    events.flatMap((event, at) => (event.isCart ? [] : [{ session, event, place: at + 1 }]));
  selections.set(session, made);
  return made;
}
