import type { AnalyticsQuery } from '../target/calls.ts';

export type DateFormat = 'date' | 'date-time';

/** A stretch of whole UTC days, both ends included: `YYYY-MM-DD`. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;

/** The days that a run touches. `nowEpochMs` is asked anew each time, since a run may cross midnight. */
export class Days {
  readonly #startEpochMs: number;
  readonly #nowEpochMs: () => number;

  constructor(startEpochMs: number, nowEpochMs: () => number) {
    this.#startEpochMs = startEpochMs;
    this.#nowEpochMs = nowEpochMs;
  }

  /** From the day on which the run started to today. */
  exact(): DayRange {
    return { from: utcDay(this.#startEpochMs), to: utcDay(this.#nowEpochMs()) };
  }

  /** A day more at either end: holds the run whatever zone the target counts its days in. */
  wide(): DayRange {
    return { from: utcDay(this.#startEpochMs - dayMs), to: utcDay(this.#nowEpochMs() + dayMs) };
  }
}

function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The query parameters for a range of days, as the target takes dates. */
export function dayQuery(range: DayRange, format: DateFormat, productId?: string): AnalyticsQuery {
  const product = productId === undefined ? {} : { product_id: productId };
  if (format === 'date') return { start_date: range.from, end_date: range.to, ...product };
  return { start_date: `${range.from}T00:00:00Z`, end_date: `${range.to}T23:59:59Z`, ...product };
}
