const unitMs = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
export const hourMs = unitMs.h;
export const dayMs = unitMs.d;
type Unit = keyof typeof unitMs;
const unitNames: Readonly<Record<string, Unit>> = {
  ms: 'ms',
  s: 's',
  sec: 's',
  second: 's',
  m: 'm',
  min: 'min',
  minute: 'min',
  h: 'h',
  hour: 'h',
  d: 'd',
  day: 'd',
};

/** A duration such as `250ms`, `60s`, `1.5m`, `2h`; a bare number is milliseconds. */
export type DurationText = string | number;
/** A rate such as `900/min`, `25/s`, `50000/day`. */
export type RateText = string;

/** Milliseconds of a duration. Throws a `RangeError` that names the text and what was expected. */
export function parseDurationMs(text: DurationText): number {
  const ms = typeof text === 'number' ? text : readDurationMs(text);
  // Digits enough are a number beyond all bounds.
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new RangeError(`expected a duration such as "250ms", "60s" or "2m", got ${JSON.stringify(text)}`);
}

function readDurationMs(text: string): number {
  // A script may hold anything in its place.
  if (typeof text !== 'string') return Number.NaN;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(text.trim());
  const unit = match?.[2] === undefined ? undefined : unitNames[match[2].toLowerCase()];
  return match?.[1] === undefined || unit === undefined ? Number.NaN : Number(match[1]) * unitMs[unit];
}

/** A rate as a count in a span, both as written: `900/min` is 900 in 60,000 ms. Kept apart so that pacing can stay exact. */
interface Rate {
  readonly count: number;
  readonly perMs: number;
}

/** Parses a rate. Throws a `RangeError` that names the text and what was expected. */
export function parseRate(text: RateText): Rate {
  const rate = readRate(text);
  if (rate !== undefined) return rate;
  throw new RangeError(`expected a rate such as "900/min", "25/s" or "100/6s", got ${JSON.stringify(text)}`);
}

function readRate(text: string): Rate | undefined {
  const match =
    typeof text !== 'string'
      ? null
      : /^(\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)?\s*([a-z]+)$/i.exec(text.trim());
  const unit = match?.[3] === undefined ? undefined : unitNames[match[3].toLowerCase()];
  if (match?.[1] !== undefined && unit !== undefined) {
    const count = Number(match[1]);
    const perMs = Number(match[2] ?? 1) * unitMs[unit];
    if (perMs > 0 && Number.isFinite(count) && Number.isFinite(perMs)) return { count, perMs };
  }
  return undefined;
}

/** A limit of this many requests in a window. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
}

const longestWindowMs = 366 * unitMs.d;

/** Parses `1000/1m`: a whole number of requests in a window of 1 ms to 366 days. Throws a `RangeError` as above. */
export function parseRateLimit(text: string): RateLimit {
  const rate = readRate(text);
  if (rate === undefined || !Number.isSafeInteger(rate.count) || rate.count < 1) {
    throw new RangeError(
      `expected a limit of at least one whole request, such as "1000/1m", got ${JSON.stringify(text)}`,
    );
  }
  if (rate.perMs < 1 || rate.perMs > longestWindowMs) {
    throw new RangeError(
      `expected a limit in a window of 1 ms to 366 days, such as "1000/1m", got ${JSON.stringify(text)}`,
    );
  }
  return { requests: rate.count, windowMs: rate.perMs };
}

/** The same as text: `1000/1m`, in the longest unit that has a whole number of them. */
export function limitText({ requests, windowMs }: RateLimit): string {
  if (windowMs % 60_000 === 0) return `${requests}/${windowMs / 60_000}m`;
  return `${requests}/${windowMs % 1_000 === 0 ? `${windowMs / 1_000}s` : `${windowMs}ms`}`;
}

/** How much a sample is to exclude: a larger share than this would show, with at least this probability. */
interface Assurance {
  readonly share: number;
  readonly confidence: number;
}

/** Parses `1/1000@99%`. Throws a `RangeError` that names the text and what was expected. */
export function parseAssurance(text: string): Assurance {
  const [, part = '', whole = '', percent = ''] =
    /^(\d+)\s*\/\s*(\d+)\s*@\s*(\d+(?:\.\d+)?)\s*%$/.exec(text.trim()) ?? [];
  const share = Number(part) / Number(whole);
  const confidence = Number(percent) / 100;
  if (share > 0 && share < 1 && confidence > 0 && confidence < 1) return { share, confidence };
  throw new RangeError(
    `expected a share and a probability, both between 0 and 1, such as "1/1000@99%", got ${JSON.stringify(text)}`,
  );
}

/**
 * The size of a random sample that would hold at least one of the share, with that probability: the least n with
 * 1 − (1 − share)^n ≥ confidence. For a sample without replacement it is an upper bound.
 */
export function samplesFor({ confidence, share }: Assurance): number {
  return Math.ceil(Math.log1p(-confidence) / Math.log1p(-share));
}

/** `a percentile from 1 to 100, such as 95 for a share of 0.95`. */
export function percentileExpected(got: number, bounds = 'from 1 to 100'): string {
  const meant = got > 0 && got < 1 ? `${Number((got * 100).toPrecision(6))} for a share of ${got}` : '95';
  return `a percentile ${bounds}, such as ${meant}`;
}

/** Puts the argument's name before what is wrong with it. */
export function named<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new RangeError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
