import type { Bounds } from './bounds.ts';

/** Names and shapes that the analytics checks and their reasons share. Nothing here decides anything. */

/**
 * - `inclusive`: the day (or the instant) of `end_date` belongs to the period;
 * - `exclusive`: the period ends where `end_date` begins;
 * - `inclusive-day`: date-times are cut to their dates, both of which belong to the period.
 */
export type EndConvention = 'inclusive' | 'exclusive' | 'inclusive-day';

/**
 * What dates a session and what was done in it.
 * - `creation`: a session counts on the day it was created, with all that was ever done in it;
 * - `last-interaction`: on the day of the last thing done in it, with all of it;
 * - `each-interaction`: on every day on which it was created or something was done in it, with what was done that day.
 */
export const sessionDays = ['creation', 'last-interaction', 'each-interaction'] as const;
export type SessionDay = (typeof sessionDays)[number];

interface MeasureKind {
  /** What it is the mean of, and over which sessions. */
  readonly of: 'distinct' | 'selections' | 'cart' | 'cart-last';
  readonly over: 'all' | 'with-shades';
}

/** What an average may be. In order of preference, where several fit: the reference conventions first. */
const averages = {
  'distinct/all': { of: 'distinct', over: 'all' },
  'selections/all': { of: 'selections', over: 'all' },
  'distinct/with-shades': { of: 'distinct', over: 'with-shades' },
  'selections/with-shades': { of: 'selections', over: 'with-shades' },
} as const satisfies Record<string, MeasureKind>;

/** Likewise, a rate. */
const rates = {
  'cart/all': { of: 'cart', over: 'all' },
  'cart/with-shades': { of: 'cart', over: 'with-shades' },
  'cart-last/all': { of: 'cart-last', over: 'all' },
  'cart-last/with-shades': { of: 'cart-last', over: 'with-shades' },
} as const satisfies Record<string, MeasureKind>;

export type AverageMeasure = keyof typeof averages;
export type RateMeasure = keyof typeof rates;
export type Measure = AverageMeasure | RateMeasure;
export const measureKinds: Readonly<Record<Measure, MeasureKind>> = { ...averages, ...rates };
export const averageMeasures = Object.keys(averages) as AverageMeasure[];
export const rateMeasures = Object.keys(rates) as RateMeasure[];
export const measures: readonly Measure[] = [...averageMeasures, ...rateMeasures];

/** How means are rounded; no decimals: not at all. */
export interface Rounding {
  readonly decimals: number | null;
  readonly how: 'nearest' | 'cut';
}

/** The conventions of analytics answers that the interface leaves open. */
export type ConventionName =
  | 'date_format'
  | 'end_date'
  | 'time_zone'
  | 'session_day'
  | 'shades_per_session'
  | 'sessions_averaged'
  | 'cart_intent_over'
  | 'cart_intent'
  | 'top_shades'
  | 'rounding'
  | 'account';

/** A zone by its name, or from which offset to which zones lie. */
export interface ZoneSpan {
  readonly from: string;
  /** The same as `from` for one zone. */
  readonly to: string;
}

export const answerFields = [
  'total_sessions',
  'avg_shades_per_session',
  'cart_intent_rate',
  'top_shades',
] as const;
export type AnswerField = (typeof answerFields)[number];
export const meanFields = ['avg_shades_per_session', 'cart_intent_rate'] as const satisfies AnswerField[];
export type MeanField = (typeof meanFields)[number];

export const differenceKinds = [
  'not-found',
  'same-id',
  'session-id',
  'product',
  'locale',
  'catalog',
  'shade-count',
  'lost',
  'duplicate',
  'foreign',
  'refused',
  'altered',
  'no-shade',
  'moment',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** By arrival or by the events' own instants, oldest or newest first; in order of preference. */
export const historyOrders = ['arrival', 'at', 'arrival-descending', 'at-descending'] as const;
export type HistoryOrder = (typeof historyOrders)[number];

/** What the account held already, to be added: sessions, and the range of each mean over them. */
export interface Prior {
  readonly sessions: number;
  /** Null: unknown. */
  readonly average: Bounds | null;
  readonly rate: Bounds | null;
}
