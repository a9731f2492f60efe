import { fits, type Suspect } from '../../causes/cause.ts';
import { isUnlikely } from '../../core/by-connection.ts';
import {
  byFeature,
  type Claim,
  chanceOf,
  cutOf,
  type Measured,
  mostChance,
  type NumberOf,
  type PartFound,
  valuesLeftOut,
} from './counted-part.ts';
import type { KnownEvent, KnownSession } from './known-answers.ts';
import type { AnswerEvidence, Row } from './row.ts';
import { type Fault, rowsOf } from './stages.ts';

/** What analytics may count a part of, or twice: what may be is read off the numbers, and then held against every answer. */

type SessionClaim = Claim<KnownSession> & { readonly isOfProduct: boolean };
type PartOfSessions = PartFound<KnownSession>;

/** No gateway is likely to give up sooner. */
const shortestTimeoutMs = 10;
/** So few products may each lack one by chance. */
const fewestProducts = 3;

export function partRows(evidence: AnswerEvidence): Row[] {
  const faults = [...sessionFaults(evidence), ...eventFaults(evidence)];
  return faults.length === 0 ? [] : rowsOf(() => faults, evidence);
}

const isKnown = ({ answers, wrong }: AnswerEvidence, field: 'total_sessions' | 'top_shades'): boolean =>
  wrong[field].length > 0 &&
  wrong[field].every((row) =>
    answers.some(
      ({ known, row: own }) =>
        own === row && known !== undefined && (field === 'total_sessions' || known.hasEvents),
    ),
  );

/**
 * Sessions that do not count, or count twice, where totals are wrong: those of one locale or catalog, those before or after an
 * instant, the first of each product, those whose creation took longest, or those with some number.
 */
function sessionFaults(evidence: AnswerEvidence): Fault[] {
  if (!isKnown(evidence, 'total_sessions')) return [];
  const claims = evidence.answers.flatMap(({ known, row }): SessionClaim[] => {
    const { returned } = row.totalSessions;
    if (known === undefined || returned === null) return [];
    return [{ items: known.sessions, counted: returned, isOfProduct: row.query.productId !== null }];
  });
  const found = [
    ...ofEachProduct(claims),
    ...byValue(claims),
    ...byInstant(claims),
    ...slowTwice(claims),
    ...byFeature('session', claims, disjoint(claims), sessionFeatures),
  ];
  return found.map(({ isFew = false, mayBeChance = false, suspect, times }, at) => ({
    suspect: () => suspect,
    price: 2 + at / 100,
    leastFields: mayBeChance ? 2 : 1,
    isLoose: isFew,
    alters: {
      matches: ({ sessions }) =>
        sessions.flatMap((session) => Array.from({ length: times(session) }, () => session)),
    },
  }));
}

const sessionFeatures: readonly NumberOf<KnownSession>[] = [
  ['events', ({ ways: [events = []] }) => events.length],
  ['ordinal', ({ ordinal }) => ordinal],
  ['ordinal-of-product', ({ ordinalOfProduct }) => ordinalOfProduct],
];

/** Claims on different sessions: the largest of each product. */
function disjoint(claims: readonly SessionClaim[]): readonly SessionClaim[] {
  const bySize = claims.toSorted((a, b) => a.items.length - b.items.length);
  const ofProducts = new Map(
    bySize.flatMap((claim) => (claim.isOfProduct ? [[claim.items[0]?.product, claim] as const] : [])),
  );
  return [...ofProducts.values()];
}

/** The claim that leaves out most. */
const mostOf = (claims: readonly SessionClaim[]): SessionClaim | undefined =>
  claims.toSorted(
    (a, b) => b.items.length - b.counted - (a.items.length - a.counted) || b.items.length - a.items.length,
  )[0];

function byValue(claims: readonly SessionClaim[]): PartOfSessions[] {
  const most = mostOf(claims);
  if (most === undefined) return [];
  const failed = most.items.length - most.counted;
  return (
    [
      ['locale', ({ locale }: KnownSession) => locale ?? ''],
      ['catalog_id', ({ catalog }: KnownSession) => catalog ?? ''],
    ] as const
  ).flatMap(([trait, traitOf]): PartOfSessions[] => {
    const values = valuesLeftOut(claims, traitOf);
    const of = new Set(claims.flatMap(({ items }) => items.map(traitOf))).size;
    const logWays = values.length * Math.log(of);
    if (values.length === 0 || !isUnlikely({ failed, requests: most.items.length }, logWays)) return [];
    const figures = {
      what: 'session',
      trait,
      values: values.toSorted(),
      failed,
      others: most.counted,
    } as const;
    const times = (each: KnownSession): number => Number(!values.includes(traitOf(each)));
    return [{ suspect: fits('depends-on-value', figures), times }];
  });
}

function byInstant(claims: readonly SessionClaim[]): PartOfSessions[] {
  const most = mostOf(claims);
  if (most === undefined || most.counted === 0 || chanceOf(disjoint(claims), most) > mostChance) return [];
  const figures = { counted: most.counted, of: most.items.length };
  const since = cutOf(claims, ({ sentMs }) => [-sentMs, -sentMs]);
  const until = cutOf(claims, ({ sentMs }) => [sentMs, sentMs]);
  const found: PartOfSessions[] = [];
  if (since !== undefined)
    found.push({
      suspect: fits('sessions-counted-in-part', { ...figures, bound: 'from', atMs: -since.over }),
      times: ({ sentMs }) => Number(sentMs >= -since.over),
    });
  if (until !== undefined)
    found.push({
      suspect: fits('sessions-counted-in-part', { ...figures, bound: 'up to', atMs: until.over }),
      times: ({ sentMs }) => Number(sentMs <= until.over),
    });
  return found;
}

function ofEachProduct(claims: readonly SessionClaim[]): PartOfSessions[] {
  const lacking = valuesLeftOut(claims, ({ ordinalOfProduct }) => (ordinalOfProduct === 1 ? 'first' : ''));
  const several = claims.filter(({ isOfProduct, items }) => isOfProduct && items.length > 0).length;
  const [whole] = claims.filter(({ isOfProduct, items }) => !isOfProduct && items.length > 0);
  if (whole === undefined || lacking.length !== 1 || lacking[0] !== 'first' || several < fewestProducts)
    return [];
  const products = new Set(whole.items.map(({ product }) => product)).size;
  const times = ({ ordinalOfProduct }: KnownSession): number => Number(ordinalOfProduct > 1);
  return [{ suspect: fits('session-of-each-product-missing', { products }), times }];
}

/** What gave up waiting sent the request again, and both were carried out. */
function slowTwice(claims: readonly SessionClaim[]): PartOfSessions[] {
  const twice = claims.map((claim) => ({ ...claim, counted: claim.counted - claim.items.length }));
  const cut = cutOf(twice, ({ answeredMs, sentMs }) => [sentMs - answeredMs, sentMs - answeredMs]);
  const [most] = twice.toSorted((a, b) => b.counted - a.counted);
  if (cut === undefined || most === undefined || -cut.over < shortestTimeoutMs) return [];
  const figures = { sessions: most.counted, of: most.items.length, leastMs: -cut.over };
  const times = ({ answeredMs, sentMs }: KnownSession): number => (answeredMs - sentMs >= -cut.over ? 2 : 1);
  return isUnlikely({ failed: figures.sessions, requests: figures.of }, 0)
    ? [{ suspect: fits('slow-creations-twice', figures), times }]
    : [];
}

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

const selectionFeatures: readonly NumberOf<KnownSelection>[] = [
  ['place', ({ place }) => place],
  ['place-in-batch', ({ event }) => event.placeInBatch],
  ['place-from-end', ({ event }) => event.batch - event.placeInBatch + 1],
  ['batch', ({ event }) => event.batch],
  ['ordinal', ({ event }) => event.ordinal],
];

/** By what selections may be counted or not: those below a bound. */
const instants = [
  [
    ({ event, session }: KnownSelection) => [
      event.sentMs - session.answeredMs,
      event.answeredMs - session.sentMs,
    ],
    (over: number, under: number) =>
      fits('late-events-ignored', { leastMs: Math.max(0, over), mostMs: under }),
  ],
  [
    ({ event }: KnownSelection) => [event.sentMs, event.answeredMs],
    (over: number, under: number) => fits('events-counted-until', { leastMs: over, mostMs: under }),
  ],
  [
    ({ event }: KnownSelection) => [-event.answeredMs, -event.sentMs],
    (over: number, under: number) => fits('events-counted-since', { leastMs: -under, mostMs: -over }),
  ],
] as const satisfies readonly (readonly [Measured<KnownSelection>, unknown])[];

/** Selections of which only a part counts. Sessions that do not count at all take their events with them. */
function eventFaults(evidence: AnswerEvidence): Fault[] {
  if (evidence.wrong.total_sessions.length > 0 || !isKnown(evidence, 'top_shades')) return [];
  const groups = evidence.answers.flatMap(({ known, row }): readonly Claim<KnownSelection>[][] => {
    if (!known?.hasEvents || row.topShades.verdict !== 'fail') return [];
    const bySku = Map.groupBy(known.sessions.flatMap(selectionsOf), ({ event }) => event.sku);
    return [
      (row.topShades.returned ?? []).map(({ selections, sku }) => ({
        items: bySku.get(sku) ?? [],
        counted: selections,
      })),
    ];
  });
  const claims = groups.flat();
  if (claims.filter(({ counted, items }) => items.length > counted).length < leastShades) return [];
  const faults = instants.flatMap(([feature, suspectOf]): Fault[] => {
    const cut = cutOf(claims, feature);
    if (cut === undefined || Math.abs(cut.under) < leastMs) return [];
    const suspect = suspectOf(cut.over, cut.under);
    return [
      eventFault(suspect, 2, (each) => {
        const [least, most] = feature(each);
        return most <= cut.over ? 'yes' : least >= cut.under ? 'no' : 'maybe';
      }),
    ];
  });
  if (faults.length > 0) return faults.slice(0, 1);
  const [longest = []] = groups.toSorted((a, b) => b.length - a.length);
  return byFeature('selection', claims, longest, selectionFeatures).map(
    ({ isFew = false, mayBeChance = false, suspect, times }, at) => ({
      ...eventFault(suspect, 2 + at / 100, (each) => (times(each) > 0 ? 'yes' : 'no')),
      leastFields: mayBeChance ? 2 : 1,
      isLoose: isFew,
    }),
  );
}

function eventFault(
  suspect: Suspect,
  price: number,
  counts: (each: KnownSelection) => 'yes' | 'no' | 'maybe',
): Fault {
  return {
    suspect: () => suspect,
    price,
    fields: ['top_shades', 'avg_shades_per_session'],
    alters: {
      acts: (session) => {
        const [sure, most]: [KnownEvent[], KnownEvent[]] = [[], []];
        for (const each of selectionsOf(session)) {
          const isCounted = counts(each);
          if (isCounted !== 'no') most.push(each.event);
          if (isCounted === 'yes') sure.push(each.event);
        }
        return sure.length === most.length ? [sure] : [sure, most];
      },
    },
  };
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
