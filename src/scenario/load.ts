import { counted } from '../amounts.ts';
import { type DurationText, named, parseDurationMs, type RateText } from '../vocabulary/quantities.ts';
import { type Role, roles } from '../vocabulary/roles.ts';
import { assertKnown, oneOf, ratePerMs, wholeFrom } from './arguments.ts';

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

export type Phase = OpenPhase | QuotaPhase | ClosedPhase | TogetherPhase;

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

/** As many new sessions as the account's quota allows, and `beyond` more. The count is known when the profile is. */
export interface QuotaPhase {
  readonly kind: 'quota';
  readonly name: string;
  readonly rate: RateText;
  readonly beyond: number;
  /** How many attempts go out at once, half of them before the edge and half past it. */
  readonly race: number;
  /** How many sessions to try at most when the profile does not tell the quota. */
  readonly cap: number;
}

/** Closed loop (autocannon): each connection sends its next request when the last was answered. */
export interface ClosedPhase {
  readonly kind: 'closed';
  readonly name: string;
  readonly connections: readonly number[];
  readonly stepMs: number;
  readonly traffic: Exclude<TrafficKind, 'journeys'>;
  /** A step ends early after this many requests. */
  readonly capPerStep: number;
}

interface TogetherPhase {
  readonly kind: 'together';
  /** Each track is a sequence of phases; all tracks start at the same time. */
  readonly tracks: readonly (readonly Phase[])[];
}

export interface PhaseOptions {
  /** Defaults to the pace. */
  readonly name?: string;
  /** Whose key pays; `load` unless told otherwise. */
  readonly as?: Role;
  readonly traffic?: TrafficKind;
}

/**
 * The same rate throughout: `steady('900/min', '60s')`. With `atOnce: 8`, eight requests arrive at the same instant, eight
 * times as rarely: past a limit, that shows whether the target counts requests before or after it decides on them.
 */
export function steady(
  rate: RateText,
  duration: DurationText,
  options: PhaseOptions & { readonly atOnce?: number } = {},
): Phase {
  const perMs = ratePerMs('steady: rate', rate);
  const segments = [segment('steady: duration', duration, perMs, perMs)];
  return {
    ...requests('steady', rate, segments, options, ['atOnce']),
    atOnce: wholeFrom(1, 'steady: atOnce', options.atOnce ?? 1),
  };
}

/** From one rate to another in a straight line. */
export function ramp(
  from: RateText,
  to: RateText,
  duration: DurationText,
  options: PhaseOptions = {},
): Phase {
  return requests(
    'ramp',
    `${from} → ${to}`,
    [segment('ramp: duration', duration, ratePerMs('ramp: from', from), ratePerMs('ramp: to', to))],
    options,
  );
}

/** One rate after another, each for the same time. */
export function steps(rates: readonly RateText[], each: DurationText, options: PhaseOptions = {}): Phase {
  return requests(
    'steps',
    rates.join(', '),
    rates.map((rate, index) => {
      const perMs = ratePerMs(`steps: rates[${index}]`, rate);
      return segment('steps: each', each, perMs, perMs);
    }),
    options,
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
    'spike',
    `${shape.base}, ${shape.peak}, ${shape.base}`,
    [lead, segment('spike: hold', shape.hold, peak, peak), lead],
    options,
  );
}

/** Nothing new arrives; shoppers who are there go on. */
export function idle(duration: DurationText, options: PhaseOptions = {}): Phase {
  return requests('idle', 'idle', [segment('idle: duration', duration, 0, 0)], options);
}

/** Shoppers arriving at random (Poisson) at a mean rate; `bursts` makes them come in waves. */
export function shoppers(
  rate: RateText,
  duration: DurationText,
  options: PhaseOptions & { readonly bursts?: boolean } = {},
): Phase {
  const perMs = ratePerMs('shoppers: rate', rate);
  const segments = [segment('shoppers: duration', duration, perMs, perMs)];
  return arrivals('shoppers', `${rate} shoppers`, segments, options);
}

/** Shoppers arriving over the curve of a day: `perDay` in 24 hours, from `fromHour` (UTC) on. */
export function dayCurve(
  perDay: number,
  duration: DurationText,
  options: PhaseOptions & { readonly bursts?: boolean; readonly fromHour?: number } = {},
): Phase {
  const perMs = wholeFrom(1, 'dayCurve: perDay', perDay) / 86_400_000;
  return {
    ...arrivals(
      'dayCurve',
      `${counted(perDay, 'shopper')} a day`,
      [segment('dayCurve: duration', duration, perMs, perMs)],
      options,
      ['fromHour'],
    ),
    dayCurveFromHour: options.fromHour ?? 0,
  };
}

/**
 * New sessions on the `quota` key until its quota is spent, and `beyond` more, to see them rejected. With `race`,
 * that many go out at once around the edge: a quota that is checked and then incremented lets some over it.
 */
export function exhaustQuota(
  options: {
    readonly rate?: RateText;
    readonly beyond?: number;
    readonly race?: number;
    readonly cap?: number;
    readonly name?: string;
  } = {},
): Phase {
  assertKnown('exhaustQuota', options, ['rate', 'beyond', 'race', 'cap', 'name']);
  const rate = options.rate ?? '600/min';
  ratePerMs('exhaustQuota: rate', rate);
  return {
    kind: 'quota',
    name: options.name ?? 'exhaust quota',
    rate,
    beyond: wholeFrom(0, 'exhaustQuota: beyond', options.beyond ?? 20),
    race: wholeFrom(0, 'exhaustQuota: race', options.race ?? 0),
    cap: wholeFrom(1, 'exhaustQuota: cap', options.cap ?? 500),
  };
}

/** A closed loop on a pool of keys, with more and more connections; for capacity, not for limits. */
export function saturate(options: {
  readonly connections: readonly number[];
  readonly each: DurationText;
  /** `sessions` (the default) opens three sessions for each list of shades; `reads` only lists shades. */
  readonly traffic?: 'sessions' | 'reads';
  readonly capPerStep?: number;
  readonly name?: string;
}): Phase {
  assertKnown('saturate', options, ['connections', 'each', 'traffic', 'capPerStep', 'name']);
  return {
    kind: 'closed',
    name: options.name ?? 'saturate',
    connections: options.connections.map((each) => wholeFrom(1, 'saturate: connections', each)),
    stepMs: named('saturate: each', () => parseDurationMs(options.each)),
    traffic: oneOf(['sessions', 'reads'], 'saturate: traffic', options.traffic ?? 'sessions'),
    capPerStep: wholeFrom(1, 'saturate: capPerStep', options.capPerStep ?? 50_000),
  };
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

/** `shape`: the function's name. `more`: what it takes beside the options of every phase. */
function requests(
  shape: string,
  pace: string,
  segments: readonly Segment[],
  options: PhaseOptions,
  more: readonly string[] = [],
): OpenPhase {
  assertKnown(shape, options, ['name', 'as', 'traffic', ...more]);
  return {
    kind: 'open',
    name: options.name ?? pace,
    role: oneOf(roles, `${shape}: as`, options.as ?? 'load'),
    unit: 'requests',
    traffic: oneOf(trafficKinds, `${shape}: traffic`, options.traffic ?? 'journeys'),
    pace,
    segments,
    atOnce: 1,
    bursts: false,
  };
}

function arrivals(
  shape: string,
  pace: string,
  segments: readonly Segment[],
  options: PhaseOptions & { readonly bursts?: boolean },
  more: readonly string[] = [],
): OpenPhase {
  const phase = requests(shape, pace, segments, options, ['bursts', ...more]);
  return { ...phase, unit: 'shoppers', bursts: options.bursts ?? false };
}

function segment(name: string, duration: DurationText, fromPerMs: number, toPerMs: number): Segment {
  return { durationMs: named(name, () => parseDurationMs(duration)), fromPerMs, toPerMs };
}
