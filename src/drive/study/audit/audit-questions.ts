import type { Probe } from '../../../vocabulary/probes.ts';
import type { AnalyticsQuery } from '../../../wire.ts';
import { addDays, type DateFormat, dayQuery } from '../../clock/days.ts';

/** What an audit asks: pure functions of the day, the form of dates and the products. */

export interface AuditQuestion {
  readonly query: Partial<AnalyticsQuery>;
  readonly probe?: Probe;
}

export interface AuditScope {
  /** The present day, `YYYY-MM-DD`. */
  readonly today: string;
  /** Days that the questions reach back, today included: 2 at least. */
  readonly days: number;
  readonly format: DateFormat;
  /** Products that may have sessions; of the first, most is asked. */
  readonly products: readonly string[];
  /** A product without any session. */
  readonly unknownProduct: string;
  /** The product of the audit's own session, if it opens one. */
  readonly ownProduct: string | undefined;
}

/** A stretch of days, cut after the day `at` into two. */
interface Cut {
  readonly from: string;
  readonly at: string;
  readonly to: string;
}

/** How often the past is halved: more says little more. */
const halvings = 3;
/**
 * Days that the questions reach ahead. A session of now is tomorrow's in some zones, and an exclusive end of a period
 * needs one day more.
 */
const daysAhead = 2;

/** Every question of a round, each once. */
export function roundOf(scope: AuditScope): AuditQuestion[] {
  const { days, format, ownProduct, products, today, unknownProduct } = scope;
  const first = addDays(today, 1 - days);
  const last = addDays(today, daysAhead);
  const yesterday = addDays(today, -1);
  const whole = dayQuery({ from: first, to: last }, format);
  const filtered = [...products, ...(ownProduct === undefined ? [] : [ownProduct])];
  const around = [{ from: first, at: yesterday, to: last }, ...cutsAround(today, last)];
  const pieces = around.flatMap((cut) => piecesOf(cut, format));
  return distinct([
    { query: whole },
    ...filtered.map((product_id) => ({ query: { ...whole, product_id } })),
    { query: { ...whole, product_id: unknownProduct }, probe: 'audit:unknown-product' },
    { query: dayQuery({ from: '2199-01-01', to: '2199-01-02' }, format), probe: 'audit:far-ahead' },
    { query: dayQuery({ from: '2001-01-01', to: '2001-01-02' }, format), probe: 'audit:long-ago' },
    ...[...halved(first, yesterday).flatMap((cut) => piecesOf(cut, format)), ...pieces].map((query) => ({
      query,
    })),
    ...(ownProduct === undefined ? [] : pieces).map((query) => ({
      query: { ...query, ...(ownProduct && { product_id: ownProduct }) },
    })),
  ]);
}

/** A few questions that differ in one parameter each, to be asked in every order. */
export function variedOf(scope: AuditScope): AuditQuestion[] {
  const { days, format, ownProduct, products, today, unknownProduct } = scope;
  const round = roundOf(scope);
  const product = products[0] ?? ownProduct;
  const whole = dayQuery({ from: addDays(today, 1 - days), to: addDays(today, daysAhead) }, format);
  const wanted: Partial<AnalyticsQuery>[] = [
    whole,
    { ...whole, ...(product !== undefined && { product_id: product }) },
    { ...whole, product_id: unknownProduct },
    { ...whole, ...dayQuery({ from: today, to: addDays(today, daysAhead) }, format) },
    {
      ...whole,
      end_date: dayQuery({ from: today, to: addDays(today, -1) }, format).end_date,
    },
  ];
  const keys = new Set(wanted.map((query) => JSON.stringify(query)));
  return round.filter(({ query }) => keys.has(JSON.stringify(query)));
}

/**
 * Each question several times in a row. Together with `everyOrder` an odd number of times, so that a target that answers
 * by turns is on another turn in the round after.
 */
export function repeated(questions: readonly AuditQuestion[]): AuditQuestion[] {
  const times = 2 + (questions.length % 2);
  return questions.flatMap((question) => Array.from({ length: times }, () => question));
}

/** A B A C A D … B C B D …: each before and after each other, except for one pair. */
export function everyOrder(questions: readonly AuditQuestion[]): AuditQuestion[] {
  return questions.flatMap((question, place) =>
    questions.slice(place + 1).flatMap((other) => [question, other]),
  );
}

/** Invalid dates, and dates in the wrong order. */
export function oddDates({ days, format, today }: AuditScope): AuditQuestion[] {
  const good = dayQuery({ from: addDays(today, 1 - days), to: today }, format);
  const time = format === 'date' ? '' : 'T00:00:00Z';
  const starting = (start_date: string): AuditQuestion => ({
    query: { ...good, start_date },
    probe: 'audit:malformed',
  });
  const ending = (end_date: string): AuditQuestion => ({
    query: { ...good, end_date },
    probe: 'audit:malformed',
  });
  const ofOtherForm = (text: string): AuditQuestion => ({
    query: { start_date: text, end_date: text },
    probe: 'audit:other-form',
  });
  return [
    {
      query: dayQuery({ from: today, to: addDays(today, -(days - 1)) }, format),
      probe: 'audit:reversed',
    },
    ...['yesterday', 'NaN'].flatMap((word) => [starting(word), ending(word)]),
    starting(''),
    starting(`2026-13-01${time}`),
    starting(`2026-02-30${time}`),
    starting(`2026-01-01${time}'--`),
    { query: { end_date: good.end_date }, probe: 'audit:malformed' },
    { query: { start_date: good.start_date }, probe: 'audit:malformed' },
    ofOtherForm(today.replaceAll('-', '/')),
    ofOtherForm(today.replaceAll('-', '')),
    ofOtherForm(String(Date.parse(today) / 1e3)),
  ];
}

/** The days to come, one by one. */
function cutsAround(today: string, last: string): Cut[] {
  return Array.from({ length: daysAhead }, (_, ahead) => {
    const from = addDays(today, ahead);
    return { from, at: from, to: last };
  });
}

function halved(from: string, to: string, depth = halvings): Cut[] {
  const length = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
  if (length === 0 || depth === 0) return [];
  const at = addDays(from, Math.floor(length / 2));
  return [{ from, at, to }, ...halved(from, at, depth - 1), ...halved(addDays(at, 1), to, depth - 1)];
}

/** The two parts where end dates are part of a period, and the first one where they are not; the second is the same. */
function piecesOf({ from, at, to }: Cut, format: DateFormat): AnalyticsQuery[] {
  const first = dayQuery({ from, to: at }, format);
  const second = dayQuery({ from: addDays(at, 1), to }, format);
  return [first, second, { ...first, end_date: second.start_date }];
}

function distinct(questions: readonly AuditQuestion[]): AuditQuestion[] {
  return [...new Map(questions.map((question) => [JSON.stringify(question.query), question])).values()];
}
