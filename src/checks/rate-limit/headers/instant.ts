import type { Span } from '../../../limits/span.ts';
import type { SentRequests } from '../../../sent/columns.ts';
import { clockOffsetIn } from '../../../sent/traces.ts';

/** What the target's clock may have shown at the run's zero, nanoseconds since 1970. */
export interface DateClock extends Span {
  /** Its `Date` headers tell. */
  readonly isKnown: boolean;
}

/** By `Date` headers, and by the clock of the harness give or take `skewMs`: limiter and `Date` may go by different clocks. */
export function targetClock(sent: SentRequests, zeroEpochMs: number, skewMs: number): DateClock {
  const byDate = clockOffsetIn(sent);
  const loNs = (zeroEpochMs - skewMs) * 1e6;
  const hiNs = (zeroEpochMs + skewMs) * 1e6;
  return {
    loNs: Math.min(loNs, byDate?.loNs ?? loNs),
    hiNs: Math.max(hiNs, byDate?.hiNs ?? hiNs),
    isKnown: byDate !== undefined,
  };
}

/** Headers speak of whole seconds, rounded either way. */
export const roundingNs = 1e9;

/** A correct target may add a random delay of seconds, or of a part of the wait, so that clients do not retry at once. */
const jitter = { leastNs: 2e9, part: 1 / 4 };

export function jitterNs(waitNs: number): number {
  return Math.max(jitter.leastNs, jitter.part * waitNs);
}

/** When an answer was given. */
export interface AnswerTime {
  readonly sentNs: number;
  readonly answeredNs: number;
}

/** The instant that a reset names, in the run's nanoseconds: from the moment the answer was written, or by the target's clock. */
export function instantOf(reset: ResetValue, { sentNs, answeredNs }: AnswerTime, clock: Span): Span {
  if ('inMs' in reset) {
    return { loNs: sentNs + reset.inMs * 1e6, hiNs: answeredNs + reset.inMs * 1e6 };
  }
  return { loNs: reset.atEpochMs * 1e6 - clock.hiNs, hiNs: reset.atEpochMs * 1e6 - clock.loNs };
}

/** When a header says that there will be room again: so long after it was written, or at an instant of the target's clock. */
export type ResetValue = { readonly inMs: number } | { readonly atEpochMs: number };

/** A number from here on is seconds since 1970 (September 2001 and later); as a wait it would be thirty years. */
const leastEpochSeconds = 1e9;
/** And from here on milliseconds since 1970; as seconds it would be the year 5138. */
const leastEpochMs = 1e11;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };

/**
 * Reads a reset in whichever form it comes: seconds from now, seconds or milliseconds since 1970, a date (HTTP, ISO 8601,
 * or as JavaScript prints one), a duration such as `6m0s`. Milliseconds from now are not among them: nothing documents
 * such a header, so they are read as the seconds that a client would take them for. Undefined for anything else.
 */
export function parseReset(text: string): ResetValue | undefined {
  const value = text.trim();
  // Plus 0, which makes 0 of -0.
  if (/^[+-]?\d{1,30}(\.\d+)?$/.test(value)) return resetOfNumber(Number(value) + 0);
  const atEpochMs = parseDate(value);
  if (atEpochMs !== undefined) return { atEpochMs };
  return /^(\d{1,30}(\.\d+)?(ms|[smhd]))+$/.test(value) ? { inMs: durationMs(value) } : undefined;
}

function resetOfNumber(value: number): ResetValue {
  if (value >= leastEpochMs) return { atEpochMs: value };
  // Whole milliseconds, and no negative zero, which JSON does not know.
  return value >= leastEpochSeconds ? { atEpochMs: value * 1e3 } : { inMs: Math.round(value * 1e3) + 0 };
}

/** Epoch milliseconds of a date that says what it is; `Date.parse` alone finds a year in almost any words. */
export function parseDate(text: string): number | undefined {
  if (!/^(\d{4}-\d\d-\d\d[T ]|(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function durationMs(text: string): number {
  let sum = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    sum += Number(count) * (unitMs[unit] ?? 0);
  }
  return sum;
}
