import { type MeanField, meanFields } from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { dayMs, hourMs } from '../../../vocabulary/quantities.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import type { KnownEvent, KnownSession } from './known-answers.ts';
import type { AnswerEvidence, Row } from './row.ts';
import {
  type Fault,
  type PartName,
  parts,
  quotient,
  quotientOf,
  rowsOf,
  type SessionTally,
  type Stages,
  selectionsBySku,
  shadesOf,
  sum,
} from './stages.ts';

/** What may be counted, divided or listed in place of what should be. */

/** Quotients that no convention allows, by the field in whose place they may stand, the plainest first. */
const quotients: readonly (readonly [MeanField, PartName, PartName])[] = [
  ['avg_shades_per_session', 'events', 'sessions'],
  ['avg_shades_per_session', 'shades-with-any-event', 'sessions'],
  ['cart_intent_rate', 'cart-intents', 'events'],
  ['cart_intent_rate', 'cart-intents', 'sessions'],
  ['cart_intent_rate', 'cart-intents', 'selections'],
  ['cart_intent_rate', 'sessions-with-cart-intent', 'events'],
  ['cart_intent_rate', 'sessions-with-cart-intent', 'selections'],
  ['cart_intent_rate', 'sessions-with-cart-intent-after-a-selection', 'sessions'],
  ['cart_intent_rate', 'sessions-that-begin-with-cart-intent', 'sessions'],
  ['cart_intent_rate', 'sessions-with-an-odd-number-of-cart-intents', 'sessions'],
];

/** Numbers of shades, and of events, to which those of a session may be cut. */
const shadesTried = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20];
const newestTried = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 32, 50, 64, 100, 128, 200, 256, 500];
/** What is made of events. */
const ofEvents = ['avg_shades_per_session', 'cart_intent_rate', 'top_shades'] as const;
const cuts = [
  ...[5, 10, 20, 50, 100].map((most) => ['first', most, ofEvents.slice(0, 1)] as const),
  ...newestTried.map((most) => ['newest', most, ofEvents] as const),
];
/** Hours by which events may be dated apart from their sessions, the fewest first. */
const hoursApart = Array.from({ length: 14 }, (_, at) => [-(at + 1), at + 1]).flat();
/** Statuses of rejected events that may count nevertheless. */
const rejectedWith = [400, 401, 403, 404, 409, 410, 413, 422, 429];

export function countRows(evidence: AnswerEvidence): Row[] {
  return rowsOf((average, rate) => {
    const right = { avg_shades_per_session: quotientOf(average), cart_intent_rate: quotientOf(rate) };
    return [
      ...matchFaults,
      ...actFaults(evidence),
      ...totalFaults,
      ...meanFaults(right),
      ...topFaults(evidence),
    ];
  }, evidence);
}

const isActive = ({ ways: [events = []] }: KnownSession): boolean => events.length > 0;

const matchFaults: readonly Fault[] = [
  {
    suspect: ({ fields }) => fits('product-filter-ignored', { fields }),
    price: 1,
    scope: 'products',
    alters: { matches: ({ account }) => account },
  },
  {
    suspect: ({ fields }) => fits('inactive-sessions-left-out', { fields, without: 'event' }),
    price: 1.1,
    fields: ['total_sessions', 'avg_shades_per_session', 'cart_intent_rate'],
    alters: { matches: ({ sessions }) => sessions.filter(isActive) },
  },
];

function actFaults({ answers }: AnswerEvidence): Fault[] {
  // Selections that there would be more if repeated ids of events were counted again.
  const repeated = Math.max(
    0,
    ...answers.map(({ row: { topShades } }) =>
      (topShades.expected ?? []).reduce((total, { copies, max }) => total + Math.max(0, copies - max), 0),
    ),
  );
  return [
    {
      suspect: () => fits('repeats-counted', { repeated }),
      price: 1,
      fields: ['avg_shades_per_session', 'top_shades'],
      alters: { acts: ({ ways }) => ways.slice(-1) },
    },
    ...rejectedWith.map(
      (status): Fault => ({
        suspect: () => fits('rejected-events-counted', { status }),
        price: 1.5,
        fields: ['avg_shades_per_session', 'top_shades'],
        alters: {
          acts: ({ events, ways }) =>
            events.some((event) => !event.isAccepted && event.status === status)
              ? [events.filter((event) => event.isAccepted || event.status === status)]
              : ways,
        },
      }),
    ),
    ...cuts.map(
      ([which, most, fields]): Fault => ({
        suspect: () => fits('events-capped', { most, which }),
        price: which === 'first' ? 1.6 : 1.7,
        fields,
        alters: {
          acts: ({ ways }) =>
            ways.map((events) => (which === 'first' ? events.slice(0, most) : events.slice(-most))),
        },
      }),
    ),
    ...hoursApart.map(
      (hours, at): Fault => ({
        suspect: () => fits('events-dated-otherwise', { hours }),
        price: 1.8 + at / 1_000,
        fields: ofEvents,
        isShownByZeros: true,
        alters: {
          acts: ({ ways }, { period: [fromMs, untilMs] }) => {
            const isIn = ({ sentMs }: KnownEvent): boolean =>
              sentMs + hours * hourMs >= fromMs && sentMs + hours * hourMs < untilMs;
            return ways.map((events) => events.filter(isIn));
          },
        },
      }),
    ),
  ];
}

/** What a total may count in place of sessions: the rows of a join; `least`: what a session adds that has none. */
const totalFaults: readonly Fault[] = (['events', 'selections', 'shades', 'cart-intents'] as const).flatMap(
  (of, at) =>
    [0, 1].flatMap((least) =>
      [undefined, 'products' as const].map(
        (scope): Fault => ({
          suspect: () =>
            fits('total-of-other', {
              of: least === 0 ? of : `${of}-or-one`,
              isOfProducts: scope !== undefined,
            }),
          // For all products it says the same, if both do.
          price: (scope === undefined ? 1 : 1.1) + (2 * at + least) / 1_000,
          fields: ['total_sessions'],
          ...(scope && { scope }),
          alters: { total: (counted) => sum(counted, (events) => Math.max(least, parts[of](events))) },
        }),
      ),
    ),
);

type Quotients = Readonly<Record<MeanField, readonly [of: PartName, by: PartName]>>;

const stageNames = { avg_shades_per_session: 'average', cart_intent_rate: 'rate' } as const;

/** By what sessions may be grouped whose means are averaged again; one that is created while a span ends may be in either. */
const groupings: readonly (readonly [
  params: { readonly of?: 'days'; readonly spanMs?: number },
  groupOf: (session: KnownSession, fromMs: number) => unknown,
  scope?: Fault['scope'],
])[] = [
  [{}, ({ product }) => product, 'whole'],
  [{ of: 'days' }, ({ sentMs }, fromMs) => Math.floor((sentMs - fromMs) / dayMs)],
  ...[1, 5, 10, 15, 30, 60, 300, 600, 900, 3_600].flatMap((seconds) =>
    (['sentMs', 'answeredMs'] as const).map(
      (instant) =>
        [
          { spanMs: 1_000 * seconds },
          (session: KnownSession, fromMs: number) =>
            Math.floor((session[instant] - fromMs) / (1_000 * seconds)),
        ] as const,
    ),
  ),
];

function meanFaults(right: Quotients): Fault[] {
  const fault = (
    field: MeanField,
    suspect: Suspect,
    price: number,
    mean: Stages['average'],
    scope?: Fault['scope'],
  ): Fault => ({
    ...{ suspect: () => suspect, price, fields: [field], alters: { [stageNames[field]]: mean } },
    ...(scope && { scope }),
  });
  const [of, by] = right.avg_shades_per_session;
  return [
    ...meanFields.flatMap((field) =>
      groupings.map(([params, groupOf, scope], at) =>
        fault(
          field,
          fits('mean-of-means', { field, ...params }),
          1.2 + at / 1_000,
          (counted, { period }) => {
            const groups = Map.groupBy(counted, ({ session }) => groupOf(session, period[0]));
            // Of every day of the period, those without a session too.
            const all = 'of' in params ? Math.round((period[1] - period[0]) / dayMs) : groups.size;
            const means = [...groups.values()].map((each) => quotient(each, ...right[field]));
            const mean = (end: keyof Bounds): number =>
              means.reduce((total, each) => total + each[end], 0) / Math.max(1, all);
            return { min: mean('min'), max: mean('max') };
          },
          scope,
        ),
      ),
    ),
    // One of many quotients is that of a few numbers by chance.
    ...quotients.map(([field, upper, lower], at) => ({
      ...fault(field, fits('mean-of-other', { field, of: upper, by: lower }), 1.3 + at / 100, (counted) =>
        quotient(counted, upper, lower),
      ),
      leastValues: 4,
    })),
    fault(
      'avg_shades_per_session',
      fits('mean-of-other', { field: 'avg_shades_per_session', of: 'shades-of-all-sessions', by }),
      1.5,
      (counted) => point(selectionsBySku(counted).size / sum(counted, parts[by]).max),
    ),
    ...shadesTried.map((most, at) =>
      fault('avg_shades_per_session', fits('shades-capped', { most }), 1.5 + at / 1_000, (counted) =>
        quotient(counted, (events) => Math.min(most, shadesOf(events).size), by),
      ),
    ),
    fault('avg_shades_per_session', fits('median-for-mean', {}), 1.55, (counted) => median(counted, of)),
  ];
}

const point = (value: number): Bounds => ({ min: value, max: value });

/** The value of the session in the middle, or of any between the two. */
function median(counted: readonly SessionTally[], of: PartName): Bounds {
  const values = counted.map(({ ways: [events = []] }) => parts[of](events)).toSorted((a, b) => a - b);
  const half = values.length / 2;
  return { min: values[Math.ceil(half) - 1] ?? 0, max: values[Math.floor(half)] ?? 0 };
}

function topFaults({ answers, table, wrong }: AnswerEvidence): Fault[] {
  const [first] = wrong.top_shades;
  const own = answers.find(({ row }) => row === first)?.known;
  if (first === undefined || own === undefined) return [];
  const counted = own.sessions.map((session) => ({ session, ways: session.ways }));
  const sessions = selectionsBySku(counted, 'once');
  const shade = first.topShades.expected?.find(({ min, sku }) => min > (sessions.get(sku)?.max ?? 0));
  const { most } = table.search?.chosen.evaluation.topLengths ?? {};
  const row = (suspect: Suspect, price: number, top: Stages['top']): Fault => ({
    ...{ suspect: () => suspect, price, fields: ['top_shades'], alters: { top } },
  });
  const rows = [
    row(fits('carts-counted-as-selections', {}), 1.2, (all) => selectionsBySku(all, 'any event')),
  ];
  if (shade !== undefined) {
    const { min: selections, sku } = shade;
    const figures = { sku, sessions: sessions.get(sku)?.max ?? 0, selections };
    rows.push(row(fits('sessions-for-selections', figures), 1, (all) => selectionsBySku(all, 'once')));
  }
  if (most !== undefined)
    rows.push({
      ...row(fits('top-shades-merged', { most }), 1.4, (all) => merged(all, most)),
      scope: 'whole',
    });
  return rows;
}

/** The lists of the products, each cut to that length, added up. */
function merged(counted: readonly SessionTally[], most: number): Map<string, Bounds> {
  const all = new Map<string, Bounds>();
  for (const own of Map.groupBy(counted, ({ session }) => session.product).values()) {
    const shades = [...selectionsBySku(own)].toSorted(([, a], [, b]) => b.max - a.max);
    const last = shades[most - 1]?.[1].max ?? 0;
    const isTie = (shades[most]?.[1].max ?? 0) === last;
    for (const [sku, { max, min }] of shades) {
      if (max < last) break;
      const before = all.get(sku) ?? { min: 0, max: 0 };
      // Which shades of a tie are cut off is open.
      const isOpen = max === last && isTie;
      all.set(sku, { min: before.min + (isOpen ? 0 : min), max: before.max + max });
    }
  }
  return all;
}
