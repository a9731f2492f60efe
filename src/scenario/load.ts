import { z } from 'zod';
import { counted } from '../amounts.ts';
import {
  type DurationText,
  dayMs,
  named,
  parseDurationMs,
  parseRate,
  type RateText,
} from '../vocabulary/quantities.ts';
import { rateSchema } from '../vocabulary/quantity-schemas.ts';
import { type Role, roles } from '../vocabulary/roles.ts';
import { oneOf, optionsOf, readOptions, wholeNumber } from './arguments.ts';

/**
 * Load shapes: what arrives when. Each function returns a phase; phases in a scenario's `load` follow one another,
 * those inside `together` start at the same time.
 */

/** A stretch of time in which the rate goes in a straight line from one value to another. Rates are per millisecond. */
export interface Segment {
  readonly durationMs: number;
  readonly fromPerMs: number;
  readonly toPerMs: number;
}

/**
 * What the requests of a phase are.
 * - `journeys`: shoppers with whole try-on sessions;
 * - `sessions`: new sessions without events;
 * - `reads`: GET /shades, which leaves quota and analytics alone.
 */
type TrafficKind = (typeof trafficKinds)[number];
const trafficKinds = ['journeys', 'sessions', 'reads'] as const;

export type Phase = OpenPhase | QuotaPhase | TogetherPhase;

/**
 * Days that are played in seconds: the target's wall clock is moved through them, an hour at a time. Only the embedded
 * service lets a run do that.
 */
export interface Calendar {
  /** The first day's midnight, epoch ms. */
  readonly fromEpochMs: number;
  readonly days: number;
  /** How long a day takes to play. */
  readonly dayTakesMs: number;
}

/** Open model: arrivals happen when the shape says, whether or not answers came. */
export interface OpenPhase {
  readonly kind: 'open';
  readonly name: string;
  readonly role: Role;
  /**
   * `requests`: the shape paces requests that spend the key's rate limit, to the slot; journeys are laid into the slots.
   * `shoppers`: the shape is the rate of shoppers arriving, at random (Poisson, with bursts if asked); their requests follow.
   */
  readonly unit: 'requests' | 'shoppers';
  readonly traffic: TrafficKind;
  /** In the scenario's words. */
  readonly pace: string;
  readonly segments: readonly Segment[];
  /** With `unit: 'requests'`: how many of them arrive at the same instant. */
  readonly atOnce: number;
  /** With `unit: 'shoppers'`: arrivals come in bursts rather than as a plain Poisson process. */
  readonly bursts: boolean;
  /** With `unit: 'shoppers'`: the hour of day (UTC) at which a day curve starts; absent for a flat rate. */
  readonly dayCurveFromHour?: number;
  /** The days of the curve are played in less time, and the target's clock is moved along; absent in real time. */
  readonly calendar?: Calendar;
}

const quotaOptions = optionsOf({
  rate: rateSchema.default('600/min'),
  beyond: wholeNumber(0).default(20),
  /** How many attempts go out at once, half of them before the edge and half past it. */
  race: wholeNumber(0).default(0),
  /** How many sessions to try at most when the profile does not tell the quota. */
  cap: wholeNumber(1).default(500),
  name: z.string().default('exhaust quota'),
});

/** As many new sessions as the account's quota allows, and `beyond` more. The count is known when the profile is. */
export type QuotaPhase = { readonly kind: 'quota' } & z.output<typeof quotaOptions>;

interface TogetherPhase {
  readonly kind: 'together';
  /** Each track is a sequence of phases; all tracks start at the same time. */
  readonly tracks: readonly (readonly Phase[])[];
}

const phaseOptions = optionsOf({
  /** Defaults to the pace. */
  name: z.string().optional(),
  /** Whose key pays. */
  as: oneOf(roles).default('load'),
  traffic: oneOf(trafficKinds).default('journeys'),
});
export type PhaseOptions = z.input<typeof phaseOptions>;

const steadyOptions = optionsOf({ ...phaseOptions.shape, atOnce: wholeNumber(1).default(1) });
const arrivalOptions = optionsOf({ ...phaseOptions.shape, bursts: z.boolean().default(false) });
const dayOptions = optionsOf({ ...arrivalOptions.shape, fromHour: z.number().default(0) });

/**
 * The same rate throughout: `steady('900/min', '60s')`. With `atOnce: 8`, eight requests arrive at the same instant, eight
 * times as rarely: past a limit, that shows whether the target counts requests before or after it decides on them.
 */
export function steady(
  rate: RateText,
  duration: DurationText,
  options: z.input<typeof steadyOptions> = {},
): Phase {
  const perMs = ratePerMs('steady: rate', rate);
  const segments = [segment('steady: duration', duration, perMs, perMs)];
  return requests(rate, segments, readOptions('steady', steadyOptions, options));
}

/** From one rate to another in a straight line. */
export function ramp(
  from: RateText,
  to: RateText,
  duration: DurationText,
  options: PhaseOptions = {},
): Phase {
  return requests(
    `${from} → ${to}`,
    [segment('ramp: duration', duration, ratePerMs('ramp: from', from), ratePerMs('ramp: to', to))],
    readOptions('ramp', phaseOptions, options),
  );
}

/** One rate after another, each for the same time. */
export function steps(rates: readonly RateText[], each: DurationText, options: PhaseOptions = {}): Phase {
  return requests(
    rates.join(', '),
    rates.map((rate, index) => {
      const perMs = ratePerMs(`steps: rates[${index}]`, rate);
      return segment('steps: each', each, perMs, perMs);
    }),
    readOptions('steps', phaseOptions, options),
  );
}

/** A base rate, a sudden peak in its middle, and the base again. */
export function spike(
  shape: {
    readonly base: RateText;
    readonly peak: RateText;
    readonly lead: DurationText;
    readonly hold: DurationText;
  },
  options: PhaseOptions = {},
): Phase {
  const base = ratePerMs('spike: base', shape.base);
  const peak = ratePerMs('spike: peak', shape.peak);
  const lead = segment('spike: lead', shape.lead, base, base);
  return requests(
    `${shape.base}, ${shape.peak}, ${shape.base}`,
    [lead, segment('spike: hold', shape.hold, peak, peak), lead],
    readOptions('spike', phaseOptions, options),
  );
}

/** Nothing new arrives; shoppers who are there go on. */
export function idle(duration: DurationText, options: PhaseOptions = {}): Phase {
  const segments = [segment('idle: duration', duration, 0, 0)];
  return requests('idle', segments, readOptions('idle', phaseOptions, options));
}

/** Shoppers arriving at random (Poisson) at a mean rate; `bursts` makes them come in waves. */
export function shoppers(
  rate: RateText,
  duration: DurationText,
  options: z.input<typeof arrivalOptions> = {},
): OpenPhase {
  const perMs = ratePerMs('shoppers: rate', rate);
  const segments = [segment('shoppers: duration', duration, perMs, perMs)];
  const read = readOptions('shoppers', arrivalOptions, options);
  return { ...requests(`${rate} shoppers`, segments, read), unit: 'shoppers' };
}

/** Shoppers arriving over the curve of a day: `perDay` in 24 hours, from `fromHour` (UTC) on. */
export function dayCurve(
  perDay: number,
  duration: DurationText,
  options: z.input<typeof dayOptions> = {},
): Phase {
  const { fromHour, ...read } = readOptions('dayCurve', dayOptions, options);
  const shown = readOptions('dayCurve', z.object({ perDay: wholeNumber(1) }), { perDay });
  const perMs = shown.perDay / dayMs;
  const segments = [segment('dayCurve: duration', duration, perMs, perMs)];
  return {
    ...requests(`${counted(perDay, 'shopper')} a day`, segments, read),
    unit: 'shoppers',
    dayCurveFromHour: fromHour,
  };
}

/**
 * New sessions on the `quota` key until its quota is spent, and `beyond` more, to see them rejected. With `race`,
 * that many go out at once around the edge: a quota that is checked and then incremented lets some over it.
 */
export function exhaustQuota(options: z.input<typeof quotaOptions> = {}): Phase {
  return { kind: 'quota', ...readOptions('exhaustQuota', quotaOptions, options) };
}

/** Whether nothing arrives in it. */
export function isIdle({ segments }: Pick<OpenPhase, 'segments'>): boolean {
  return segments.every(({ fromPerMs, toPerMs }) => fromPerMs === 0 && toPerMs === 0);
}

/** The names of a phase, or of those inside it. */
export function phaseNames(phase: Phase): string[] {
  return phase.kind === 'together' ? phase.tracks.flat().flatMap(phaseNames) : [phase.name];
}

/** Phases, or sequences of phases, that start at the same time; what comes next starts when the longest is over. */
export function together(...tracks: readonly (Phase | readonly Phase[])[]): Phase {
  return { kind: 'together', tracks: tracks.map((track) => ('kind' in track ? [track] : track)) };
}

function requests(
  pace: string,
  segments: readonly Segment[],
  options: z.output<typeof phaseOptions> & Partial<Pick<OpenPhase, 'atOnce' | 'bursts'>>,
): OpenPhase {
  const { as: role, atOnce = 1, bursts = false, name = pace, traffic } = options;
  return { kind: 'open', name, role, unit: 'requests', traffic, pace, segments, atOnce, bursts };
}

function segment(name: string, duration: DurationText, fromPerMs: number, toPerMs: number): Segment {
  return { durationMs: named(name, () => parseDurationMs(duration)), fromPerMs, toPerMs };
}

/** Throws a `RangeError` that names the argument unless it is a rate. */
function ratePerMs(name: string, rate: RateText): number {
  const { count, perMs } = named(name, () => parseRate(rate));
  return count / perMs;
}
