import { z } from 'zod';
import { counted, seconds } from '../amounts.ts';
import { dayMs } from '../vocabulary/quantities.ts';
import { durationSchema, parsedBy, rateSchema } from '../vocabulary/quantity-schemas.ts';
import { optionsOf, readOptions, wholeNumber } from './arguments.ts';
import { idle, type Phase, shoppers } from './load.ts';

/** A day (`YYYY-MM-DD`) as the epoch milliseconds of its midnight. */
const daySchema = parsedBy(z.string(), (day) => {
  const epochMs = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  if (!Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(day)) return epochMs;
  throw new RangeError(`expected a day such as "2028-02-10", got ${JSON.stringify(day)}`);
});

/** An hour of it has to hold a few requests and the setting of a clock. */
const shortestDayMs = 1_000;

const calendarOptions = optionsOf({
  from: daySchema,
  days: wholeNumber(1),
  shoppersPerDay: wholeNumber(1),
  dayTakes: durationSchema.refine((ms) => ms >= shortestDayMs, `expected at least ${shortestDayMs / 1e3} s`),
  name: z.string().optional(),
});

/**
 * Shoppers along the curve of a day, for each day from `from` (`YYYY-MM-DD`, UTC): `shoppersPerDay` on each of
 * `days`, a day in `dayTakes`. Their sessions have to live that long: see `embedded.sessionLifetime` of a scenario.
 * @throws RangeError that names the argument and what was expected.
 */
export function calendar(options: z.input<typeof calendarOptions>): Phase {
  const read = readOptions('calendar', calendarOptions, options);
  const {
    days,
    dayTakes,
    from,
    name = `${counted(days, 'day')} from ${options.from}`,
    shoppersPerDay,
  } = read;
  const perMs = shoppersPerDay / dayTakes;
  return {
    kind: 'open',
    name,
    role: 'load',
    unit: 'shoppers',
    traffic: 'journeys',
    pace: `${counted(shoppersPerDay, 'shopper')} a day, a day in ${seconds(dayTakes)}`,
    segments: [{ durationMs: days * dayTakes, fromPerMs: perMs, toPerMs: perMs }],
    bursts: false,
    atOnce: 1,
    dayCurveFromHour: 0,
    calendar: { fromEpochMs: from, days, dayTakesMs: dayTakes },
  };
}

const midnightsOptions = optionsOf({
  /** In order: the days that begin. */
  before: z.array(daySchema),
  shoppers: rateSchema,
  each: durationSchema,
});

/**
 * Shoppers around the midnight (UTC) before each of some days, in real time: the clock of the target is set shortly before
 * it. Between two midnights all is quiet for a while, since tokens expire with the days that are left out.
 * @throws RangeError that names the argument and what was expected.
 */
export function midnights(options: z.input<typeof midnightsOptions>): Phase[] {
  const { before, each, shoppers: rate } = readOptions('midnights', midnightsOptions, options);
  return before.flatMap((epochMs, at) => [
    {
      ...shoppers(rate, each, { name: `midnight before ${options.before[at]}` }),
      calendar: { fromEpochMs: epochMs - each / 2, days: 1, dayTakesMs: dayMs },
    },
    idle('3s', { name: `shoppers leave, ${options.before[at]}` }),
  ]);
}

/** Whether a scenario's load moves the target's clock, so that it needs a target that lets it. */
export function movesClock(load: readonly Phase[]): boolean {
  return load.some((phase) =>
    phase.kind === 'together'
      ? phase.tracks.some(movesClock)
      : phase.kind === 'open' && phase.calendar !== undefined,
  );
}
