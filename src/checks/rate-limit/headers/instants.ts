import type { SentRequests } from '../../../limits/sent/columns.ts';
import { clockOffsetIn } from '../../../limits/sent/traces.ts';
import type { Span } from '../../../limits/span.ts';

/** When a header says that there will be room again: so long after it was written, or at an instant of the target's clock. */
export type InstantValue = { readonly inMs: number } | { readonly atEpochMs: number };

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
export function jitterNs(waitNs: number): number {
  return Math.max(2e9, waitNs / 4);
}

/** When an answer was given. */
export interface AnswerTime {
  readonly sentNs: number;
  readonly answeredNs: number;
}

/** A value and when it was given. `text` and `form`: of a Retry-After. */
export interface GivenInstant extends AnswerTime {
  readonly value: InstantValue | undefined;
  readonly text?: string;
  readonly form?: WaitForm;
}

/** The instant that a value names, in the run's nanoseconds: from the moment the answer was written, or by the target's clock. */
export function instantOf(value: InstantValue, { sentNs, answeredNs }: AnswerTime, clock: Span): Span {
  if ('inMs' in value) {
    return { loNs: sentNs + value.inMs * 1e6, hiNs: answeredNs + value.inMs * 1e6 };
  }
  return { loNs: value.atEpochMs * 1e6 - clock.hiNs, hiNs: value.atEpochMs * 1e6 - clock.loNs };
}

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
export function parseReset(text: string): InstantValue | undefined {
  const value = text.trim();
  if (/^[+-]?\d{1,30}(\.\d+)?$/.test(value)) {
    // Plus 0, which makes 0 of -0.
    const number = Number(value) + 0;
    if (number >= leastEpochMs) return { atEpochMs: number };
    // Whole milliseconds, and no negative zero, which JSON does not know.
    return number >= leastEpochSeconds ? { atEpochMs: number * 1e3 } : { inMs: Math.round(number * 1e3) + 0 };
  }
  const atEpochMs = parseDate(value);
  if (atEpochMs !== undefined) return { atEpochMs };
  if (!/^(\d{1,30}(\.\d+)?(ms|[smhd]))+$/.test(value)) return undefined;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  return { inMs: parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0) };
}

/** Epoch milliseconds of a date that says what it is; `Date.parse` alone finds a year in almost any words. */
function parseDate(text: string): number | undefined {
  if (!/^(\d{4}-\d\d-\d\d[T ]|(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** How a Retry-After is written. RFC 9110 10.2.3 allows whole seconds and an HTTP date. */
export type WaitForm = 'seconds' | 'http-date' | 'zero' | 'negative' | 'fraction' | 'other-date' | 'neither';

/** No client waits longer, and what is reckoned with it stays finite. */
const mostMs = 1e33;

const inSeconds = (text: string): InstantValue => ({ inMs: Math.min(mostMs, (Number(text) + 0) * 1e3) });
/** The third of the forms that a recipient accepts has no zone, and is in GMT. */
const asDate = (text: string): InstantValue | undefined => {
  const atEpochMs = parseDate(/ \d{4}$/.test(text) ? `${text} GMT` : text);
  return atEpochMs === undefined ? undefined : { atEpochMs };
};

const waitForms: readonly (readonly [WaitForm, RegExp, (text: string) => InstantValue | undefined])[] = [
  ['zero', /^0+$/, inSeconds],
  ['seconds', /^\d+$/, inSeconds],
  ['negative', /^-\d{1,30}(\.\d+)?$/, inSeconds],
  ['fraction', /^\d{1,30}\.\d+$/, inSeconds],
  [
    'http-date',
    /^([A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/,
    asDate,
  ],
  ['other-date', /\D/, asDate],
];

/** What a Retry-After says; no value where it cannot be read. Numbers may be an epoch by mistake but are taken at their word. */
export function readWait(text: string): {
  readonly form: WaitForm;
  readonly value: InstantValue | undefined;
} {
  const trimmed = text.trim();
  const [form = 'neither', , read] = waitForms.find(([, pattern]) => pattern.test(trimmed)) ?? [];
  const value = read?.(trimmed);
  return { form: value === undefined ? 'neither' : form, value };
}
