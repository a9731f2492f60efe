import {
  type AnswerField,
  type AverageMeasure,
  answerFields,
  averageMeasures,
  type Measure,
  measureKinds,
  type RateMeasure,
  rateMeasures,
} from '../../../vocabulary/analytics.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { cellNames } from '../compare/answer-row.ts';
import { type Fit, fitTopShades, within } from '../compare/fit.ts';
import type { EventLists, KnownAnswer, KnownEvent, KnownSession } from './known-answers.ts';
import { type AnswerEvidence, asJudged, type HeldAnswer, type Row } from './row.ts';

/** What a session adds to a sum, of the events that count. */
type EventSum = (events: readonly KnownEvent[]) => number;

const selectionsOf = (events: readonly KnownEvent[]): KnownEvent[] => events.filter(({ isCart }) => !isCart);
export const shadesOf = (events: readonly KnownEvent[]): Set<string | null> =>
  new Set(selectionsOf(events).map(({ sku }) => sku));
const cartsOf = (events: readonly KnownEvent[]): number => events.length - selectionsOf(events).length;

/** What a field may be a sum or a quotient of, by its name in the words of a cause. */
export const parts = {
  sessions: () => 1,
  'sessions-with-shades': (events) => Number(events.some(({ isCart }) => !isCart)),
  'sessions-with-events': (events) => Number(events.length > 0),
  'sessions-with-cart-intent': (events) => Number(events.some(({ isCart }) => isCart)),
  'sessions-with-cart-intent-after-a-selection': (events) =>
    Number(
      events.some(({ isCart }) => !isCart) &&
        events.findLastIndex(({ isCart }) => isCart) > events.findIndex(({ isCart }) => !isCart),
    ),
  'sessions-that-begin-with-cart-intent': ([first]) => Number(first?.isCart === true),
  'sessions-that-end-with-cart-intent': (events) => Number(events.at(-1)?.isCart === true),
  'sessions-with-an-odd-number-of-cart-intents': (events) => cartsOf(events) % 2,
  'cart-intents': cartsOf,
  shades: (events) => shadesOf(events).size,
  'shades-with-any-event': (events) => new Set(events.flatMap(({ sku }) => sku || [])).size,
  selections: (events) => selectionsOf(events).length,
  events: (events) => events.length,
} as const satisfies Record<string, EventSum>;
export type PartName = keyof typeof parts;

/** A session that counts, with the events of it that do. */
export interface SessionTally {
  readonly session: KnownSession;
  readonly ways: EventLists;
}

type Tallies = readonly SessionTally[];

/** How analytics come to an answer, stage by stage. A fault replaces some of them. */
export interface Stages {
  /** The sessions that count, each as often as it does. */
  readonly matches: (answer: KnownAnswer) => readonly KnownSession[];
  /** The events that count of a session. */
  readonly acts: (session: KnownSession, answer: KnownAnswer) => EventLists;
  readonly total: (counted: Tallies, answer: KnownAnswer) => Bounds;
  readonly average: (counted: Tallies, answer: KnownAnswer) => Bounds;
  readonly rate: (counted: Tallies, answer: KnownAnswer) => Bounds;
  /** The selections of each shade. */
  readonly top: (counted: Tallies, answer: KnownAnswer) => ReadonlyMap<string, Bounds>;
}

/** What a mean is a quotient of. */
export function quotientOf(measure: Measure): readonly [of: PartName, by: PartName] {
  const of = {
    distinct: 'shades',
    selections: 'selections',
    cart: 'sessions-with-cart-intent',
    'cart-last': 'sessions-that-end-with-cart-intent',
  } as const;
  const kind = measureKinds[measure];
  return [of[kind.of], kind.over === 'all' ? 'sessions' : 'sessions-with-shades'];
}

/** As the profile promises. */
export function rightStages(average: AverageMeasure, rate: RateMeasure): Stages {
  return {
    matches: ({ sessions }) => sessions,
    acts: ({ ways }) => ways,
    total: ({ length }) => ({ min: length, max: length }),
    average: (counted) => quotient(counted, ...quotientOf(average)),
    rate: (counted) => quotient(counted, ...quotientOf(rate)),
    top: (counted) => selectionsBySku(counted),
  };
}

/** The bounds of a sum over sessions. */
export function sum(counted: Tallies, part: EventSum): Bounds {
  let [min, max] = [0, 0];
  for (const { ways } of counted) {
    const [first = [], ...others] = ways;
    const value = part(first);
    let [least, most] = [value, value];
    for (const other of others) {
      const also = part(other);
      [least, most] = [Math.min(least, also), Math.max(most, also)];
    }
    min += least;
    max += most;
  }
  return { min, max };
}

export function quotient(counted: Tallies, of: PartName | EventSum, by: PartName): Bounds {
  const part = typeof of === 'string' ? parts[of] : of;
  const [upper, lower] = [sum(counted, part), sum(counted, parts[by])];
  return { min: lower.max === 0 ? 0 : upper.min / lower.max, max: upper.max / Math.max(1, lower.min) };
}

/** What counts for a shade: each selection, each session that selected it, or each event that names it. */
type CountedEvents = 'each' | 'once' | 'any event';

/** How often each shade was selected. */
export function selectionsBySku(counted: Tallies, how: CountedEvents = 'each'): Map<string, Bounds> {
  const bySku = new Map<string, { min: number; max: number }>();
  for (const { ways } of counted) {
    const counts = ways.map((events) => countsOf(events, how));
    const [first] = counts;
    const skus =
      counts.length === 1 && first ? first.keys() : new Set(counts.flatMap((each) => [...each.keys()]));
    for (const sku of skus) {
      const each = counts.map((own) => own.get(sku) ?? 0);
      const bounds = bySku.get(sku) ?? { min: 0, max: 0 };
      bounds.min += Math.min(...each);
      bounds.max += Math.max(...each);
      bySku.set(sku, bounds);
    }
  }
  return bySku;
}

function countsOf(events: readonly KnownEvent[], how: CountedEvents): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { isCart, sku } of events)
    if ((!isCart || how === 'any event') && sku !== null)
      counts.set(sku, how === 'once' ? 1 : (counts.get(sku) ?? 0) + 1);
  return counts;
}

/** A fault in the stages, and the cause that it is. */
export interface Fault
  extends Pick<Row, 'suspect' | 'price' | 'leastFields' | 'leastValues' | 'isLoose' | 'isShownByZeros'> {
  readonly alters: Partial<Stages>;
  /** In answers of one kind alone; the others are right. */
  readonly scope?: 'products' | 'whole';
  readonly fields?: readonly AnswerField[];
}

/** A row for each pair of measures that the profile allows. */
export function rowsOf(
  faults: (average: AverageMeasure, rate: RateMeasure) => readonly Fault[],
  evidence: AnswerEvidence,
): Row[] {
  const { average, rate } = evidence.table.allowed;
  const [averages, rates] = [averageMeasures.filter(average), rateMeasures.filter(rate)];
  return Array.from({ length: Math.max(averages.length, rates.length) }).flatMap((_, at) => {
    const [ofAverage, ofRate] = [
      averages[at] ?? averages[0] ?? 'distinct/all',
      rates[at] ?? rates[0] ?? 'cart/all',
    ];
    const right = rightStages(ofAverage, ofRate);
    return faults(ofAverage, ofRate).map((fault) => rowOf(fault, right, evidence));
  });
}

function rowOf(
  { alters, fields = answerFields, scope, ...fault }: Fault,
  right: Stages,
  evidence: AnswerEvidence,
): Row {
  const stages = { ...right, ...alters };
  const isAsEver = alters.matches === undefined && alters.acts === undefined;
  // All fields of an answer are held against it one after the other.
  let last: { readonly known: KnownAnswer; readonly counted: Tallies } | undefined;
  const countedIn = (known: KnownAnswer): Tallies => {
    if (isAsEver) return talliesOf(known);
    if (last?.known !== known)
      last = {
        known,
        counted: stages.matches(known).map((session) => ({ session, ways: stages.acts(session, known) })),
      };
    return last.counted;
  };
  return {
    ...fault,
    fields,
    fit: (answer, field) => {
      const isWhole = answer.row.query.productId === null;
      if (scope !== undefined && (scope === 'whole') !== isWhole) return asJudged(answer, field);
      return fitBy(stages, countedIn, answer, field, evidence);
    },
  };
}

const tallies = new WeakMap<KnownAnswer, Tallies>();

/** The sessions of an answer with the events that count, where no fault alters that. */
function talliesOf(known: KnownAnswer): Tallies {
  const made = tallies.get(known) ?? known.sessions.map((session) => ({ session, ways: session.ways }));
  tallies.set(known, made);
  return made;
}

/** How the value of a field fits what the stages give. */
function fitBy(
  stages: Stages,
  countedIn: (known: KnownAnswer) => Tallies,
  { known, row }: HeldAnswer,
  field: AnswerField,
  evidence: AnswerEvidence,
): Fit {
  if (known === undefined || row[cellNames[field]].returned === null) return 'unknown';
  if (field !== 'total_sessions' && !known.hasEvents) return 'unknown';
  const counted = countedIn(known);
  const isValue = (value: number | null, bounds: Bounds, decimals: number): Fit =>
    value !== null && within(value, bounds, decimals) ? 'fits' : 'misfits';
  const decimals = evidence.table.search?.chosen.evaluation.decimals;
  if (decimals === undefined) return 'unknown';
  switch (field) {
    case 'total_sessions':
      return isValue(row.totalSessions.returned, stages.total(counted, known), 9);
    case 'avg_shades_per_session':
      return isValue(row.avgShadesPerSession.returned, stages.average(counted, known), decimals[field]);
    case 'cart_intent_rate':
      return isValue(row.cartIntentRate.returned, stages.rate(counted, known), decimals[field]);
    case 'top_shades':
      return listFit(evidence, known, stages.top(counted, known));
  }
}

/** How a list of shades fits, where each SKU has selections within bounds. */
function listFit(
  { table }: AnswerEvidence,
  { place, row }: KnownAnswer,
  counts: ReadonlyMap<string, Bounds>,
): Fit {
  const { of, topLengths } = table.search?.chosen.evaluation ?? {};
  const [around, expectation] = [of?.circumstances[place], of?.expectations[place]];
  if (around === undefined || expectation === undefined || topLengths === undefined) return 'misfits';
  const shades = [...counts].map(([sku, { max, min }]) => ({ sku, min, max, copies: max }));
  return fitTopShades(row.topShades.returned, { ...expectation, shades }, topLengths, around).fit;
}
