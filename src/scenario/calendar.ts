import { counted, seconds } from '../amounts.ts';
import { type DurationText, dayMs, named, parseDurationMs, type RateText } from '../vocabulary/quantities.ts';
import { wholeFrom } from './arguments.ts';
import { idle, type Phase, shoppers } from './load.ts';

const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Shoppers along the curve of a day, for each day from `from` (`YYYY-MM-DD`, UTC): `shoppersPerDay` on each of
 * `days`, a day in `dayTakes`. Their sessions have to live that long: see `embedded.sessionLifetime` of a scenario.
 * @throws RangeError that names the argument and what was expected.
 */
export function calendar(options: {
  readonly from: string;
  readonly days: number;
  readonly shoppersPerDay: number;
  readonly dayTakes: DurationText;
  readonly name?: string;
}): Phase {
  const fromEpochMs = readDate('calendar: from', options.from);
  const days = wholeFrom(1, 'calendar: days', options.days);
  const shoppersPerDay = wholeFrom(1, 'calendar: shoppersPerDay', options.shoppersPerDay);
  const dayTakesMs = readDay(options.dayTakes);
  const perMs = shoppersPerDay / dayTakesMs;
  return {
    kind: 'open',
    name: options.name ?? `${counted(days, 'day')} from ${options.from}`,
    role: 'load',
    unit: 'shoppers',
    traffic: 'journeys',
    pace: `${counted(shoppersPerDay, 'shopper')} a day, a day in ${seconds(dayTakesMs)}`,
    segments: [{ durationMs: days * dayTakesMs, fromPerMs: perMs, toPerMs: perMs }],
    bursts: false,
    atOnce: 1,
    dayCurveFromHour: 0,
    calendar: { fromEpochMs, days, dayTakesMs },
  };
}

/**
 * Shoppers around the midnight (UTC) before each of some days, in real time: the clock of the target is set shortly before
 * it. Between two midnights all is quiet for a while, since tokens expire with the days that are left out.
 * @throws RangeError that names the argument and what was expected.
 */
export function midnights(options: {
  /** In order, `YYYY-MM-DD`: the days that begin. */
  readonly before: readonly string[];
  readonly shoppers: RateText;
  readonly each: DurationText;
}): Phase[] {
  const lastsMs = named('midnights: each', () => parseDurationMs(options.each));
  return options.before.flatMap((day) => {
    const fromEpochMs = readDate('midnights: before', day) - lastsMs / 2;
    const phase = shoppers(options.shoppers, options.each, { name: `midnight before ${day}` });
    return [
      { ...phase, calendar: { fromEpochMs, days: 1, dayTakesMs: dayMs } },
      idle('3s', { name: `shoppers leave, ${day}` }),
    ];
  });
}

/** An hour of it has to hold a few requests and the setting of a clock. */
const shortestDayMs = 1_000;

function readDate(what: string, day: string): number {
  const epochMs = datePattern.test(day) ? Date.parse(day) : Number.NaN;
  if (!Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(day)) return epochMs;
  throw new RangeError(`${what}: expected a day such as "2028-02-10", got ${JSON.stringify(day)}`);
}

function readDay(text: DurationText): number {
  const ms = named('calendar: dayTakes', () => parseDurationMs(text));
  if (ms >= shortestDayMs) return ms;
  throw new RangeError(
    `calendar: dayTakes: expected at least ${shortestDayMs / 1_000} s, got ${JSON.stringify(text)}`,
  );
}

/** Whether a scenario's load moves the target's clock, so that it needs a target that lets it. */
export function movesClock(load: readonly Phase[]): boolean {
  return load.some((phase) =>
    phase.kind === 'together'
      ? phase.tracks.some(movesClock)
      : phase.kind === 'open' && phase.calendar !== undefined,
  );
}
