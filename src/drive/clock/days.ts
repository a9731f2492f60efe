import { dayMs } from '../../vocabulary/quantities.ts';
import type { AnalyticsQuery } from '../../wire.ts';

export type DateFormat = 'date' | 'date-time';

/** A stretch of whole UTC days, both ends included: `YYYY-MM-DD`. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** The days that a run touches. `nowEpochMs` is called each time, since a run may cross midnight. */
export class Days {
  readonly #startEpochMs: number;
  readonly #nowEpochMs: () => number;
  /** The target rejects periods that end later than today. */
  endsToday = false;

  constructor(startEpochMs: number, nowEpochMs: () => number) {
    this.#startEpochMs = startEpochMs;
    this.#nowEpochMs = nowEpochMs;
  }

  /** From the day on which the run started to today. */
  exact(): DayRange {
    return { from: utcDay(this.#startEpochMs), to: utcDay(this.#nowEpochMs()) };
  }

  /** From the day on which the run started, one day more: holds today also where the last day does not count. */
  sinceStart(): DayRange {
    const { from, to } = this.exact();
    return { from, to: this.endsToday ? to : addDays(to, 1) };
  }

  /**
   * The days that the run touches, and the calendar weeks (from Monday) and months that hold them. Empty for a run
   * within one day.
   */
  periods(): DayRange[] {
    const { from, to } = this.exact();
    if (from === to) return [];
    return periodsOf(from, to).map((period) =>
      this.endsToday && period.to > to ? { ...period, to } : period,
    );
  }

  /**
   * One day more at the start and two at the end, where the target takes them: holds the run in any time zone, also where the
   * last day does not count.
   */
  wide(): DayRange {
    const laterMs = this.endsToday ? 0 : 2 * dayMs;
    return { from: utcDay(this.#startEpochMs - dayMs), to: utcDay(this.#nowEpochMs() + laterMs) };
  }
}

function periodsOf(from: string, to: string): DayRange[] {
  const days: DayRange[] = [];
  const weeks = new Map<string, DayRange>();
  const months = new Map<string, DayRange>();
  for (let day = from; day <= to; day = addDays(day, 1)) {
    days.push({ from: day, to: day });
    // Days since Monday.
    const monday = addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
    weeks.set(monday, { from: monday, to: addDays(monday, 6) });
    const first = `${day.slice(0, 7)}-01`;
    months.set(first, { from: first, to: addDays(`${addDays(first, 31).slice(0, 7)}-01`, -1) });
  }
  return [...days, ...weeks.values(), ...months.values()];
}

/** The most periods in a run that touches this many days. */
export function mostPeriods(days: number): number {
  return days < 2 ? 0 : days + Math.ceil((days - 1) / 7) + 1 + Math.ceil((days - 1) / 28) + 1;
}

/** The day that is `days` later, or earlier if negative. */
export function addDays(day: string, days: number): string {
  return utcDay(Date.parse(day) + days * dayMs);
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
