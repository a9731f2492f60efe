import { seconds, span } from '../../../amounts.ts';
import type { PromisedLimit } from '../../../limits/kinds/kind.ts';
import type { SentRequests } from '../../../limits/sent/columns.ts';
import { clockOffsetIn } from '../../../limits/sent/traces.ts';
import type { Span } from '../../../limits/span.ts';

/** When a header says that there will be room again: so long after it was written, or at an instant of the target's clock. */
export type InstantValue = { readonly inMs: number } | { readonly atEpochMs: number };

/** What the target's clock may have shown at the run's zero, nanoseconds since 1970. */
interface DateClock extends Span {
  /** Its `Date` headers tell. */
  readonly isKnown: boolean;
}

/** What waits and resets are held against where nothing is known of the limiter. */
export interface WaitContext {
  readonly promised: PromisedLimit;
  readonly clock: DateClock;
  /** The profile promises that no `Retry-After` is longer than needed. Rounded up, it is a second at least. */
  readonly isShortestWait: boolean;
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

/** A value and when it was given. `text` and `form`: of a Retry-After. */
export interface GivenInstant {
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly value: InstantValue | undefined;
  readonly text?: string;
  readonly form?: WaitForm;
}

/** The instant that a value names, in the run's nanoseconds: from the moment the answer was written, or by the target's clock. */
export function instantOf(
  value: InstantValue,
  { sentNs, answeredNs }: Pick<GivenInstant, 'sentNs' | 'answeredNs'>,
  clock: Span,
): Span {
  return 'inMs' in value
    ? { loNs: sentNs + value.inMs * 1e6, hiNs: answeredNs + value.inMs * 1e6 }
    : { loNs: value.atEpochMs * 1e6 - clock.hiNs, hiNs: value.atEpochMs * 1e6 - clock.loNs };
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
    const number = Number(value);
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

/** No client waits longer, and what is reckoned with it stays finite. */
const mostMs = 1e33;
const inSeconds = (text: string): InstantValue => ({ inMs: Math.min(mostMs, (Number(text) + 0) * 1e3) });
/** The third of the forms that a recipient accepts has no zone, and is in GMT. */
const asDate = (text: string): InstantValue | undefined => {
  const atEpochMs = parseDate(/ \d{4}$/.test(text) ? `${text} GMT` : text);
  return atEpochMs === undefined ? undefined : { atEpochMs };
};

/** Forms of a Retry-After: what tells them, how they are read, and what is wrong with them whatever the time is (RFC 9110 10.2.3). */
const waitForms = {
  zero: { pattern: /^0+$/, read: inSeconds, wrong: 'rounded down' },
  seconds: { pattern: /^\d+$/, read: inSeconds, wrong: undefined },
  negative: { pattern: /^-\d{1,30}(\.\d+)?$/, read: inSeconds, wrong: 'negative' },
  fraction: { pattern: /^\d{1,30}\.\d+$/, read: inSeconds, wrong: 'not in whole seconds' },
  'http-date': {
    pattern:
      /^([A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/,
    read: asDate,
    wrong: undefined,
  },
  'other-date': { pattern: /\D/, read: asDate, wrong: 'a date, but not in a form of HTTP' },
  neither: { pattern: /^/, read: () => undefined, wrong: 'neither seconds nor a date' },
} as const;
type WaitForm = keyof typeof waitForms;

/** What a Retry-After says; no value where it cannot be read. Numbers may be an epoch by mistake but are taken at their word. */
export function readWait(text: string): Required<Pick<GivenInstant, 'form' | 'value'>> {
  const trimmed = text.trim();
  const forms = Object.keys(waitForms) as WaitForm[];
  const form = forms.find((each) => waitForms[each].pattern.test(trimmed)) ?? 'neither';
  const value = waitForms[form].read(trimmed);
  return { form: value === undefined ? 'neither' : form, value };
}

/** Beyond a window's length: rounding up to whole seconds, and clocks that differ. */
const toleranceNs = 2e9;
/** No wait, counted in seconds, is as long as what has passed since 1970. */
const epochNs = 1e9 * 1e9;
/** No limit by the minute or hour locks a key out for longer; such a number is an epoch time, or milliseconds. */
const dayNs = 86_400e9;

/** Any limiter may ask for a wait of up to two windows. */
function usualNs({ promised }: WaitContext): number {
  return 2 * promised.windowNs + toleranceNs;
}

/** From the answer until the instant: at least and at most. */
function aheadOf(value: InstantValue, given: GivenInstant, { clock }: WaitContext): Span {
  const { hiNs, loNs } = instantOf(value, given, clock);
  return { loNs: loNs - given.answeredNs, hiNs: hiNs - given.sentNs };
}

/** Whether any limiter of this window may ask for it. */
function isUsual(value: InstantValue | undefined, given: GivenInstant, context: WaitContext): boolean {
  if (value === undefined) return false;
  const { hiNs, loNs } = aheadOf(value, given, context);
  return hiNs >= -2 * roundingNs && loNs <= usualNs(context);
}

/** What a wait or reset that cannot be meant may mean instead: by this reading it is one that a limiter needs. */
interface Meaning {
  /** Completes "Retry-After is …". */
  readonly how: string;
  readonly meant: (value: InstantValue) => InstantValue | undefined;
}

const ofWait =
  (meant: (inMs: number) => InstantValue | undefined) =>
  (value: InstantValue): InstantValue | undefined =>
    'inMs' in value && value.inMs > 0 && Number.isInteger(value.inMs / 1e3) ? meant(value.inMs) : undefined;
const halfHourMs = 1_800e3;
/** Zones are up to 14 hours ahead of GMT, and up to 12 behind; the nearest first. */
const zones = Array.from({ length: 28 }, (_, k) => k + 1).flatMap((k) => [k, -k]);
const notAWait = 'an instant in place of a wait';

/** The cheapest first. */
const meanings: readonly Meaning[] = [
  // Whole minutes are more likely too long.
  {
    how: 'in milliseconds',
    meant: ofWait((ms) => (ms % 60e3 === 0 && ms % 1e6 !== 0 ? undefined : { inMs: ms / 1e3 })),
  },
  { how: notAWait, meant: ofWait((atEpochMs) => ({ atEpochMs })) },
  { how: notAWait, meant: ofWait((ms) => ({ atEpochMs: ms / 1e3 })) },
  ...zones.map((halves) => ({
    how: `a date of another zone, ${span(Math.abs(halves) * halfHourMs)} too ${halves > 0 ? 'late' : 'early'}`,
    meant: (value: InstantValue): InstantValue | undefined =>
      'atEpochMs' in value ? { atEpochMs: value.atEpochMs - halves * halfHourMs } : undefined,
  })),
];

/** The cheapest meaning by which each of these is usual, in its place. */
function meaningOf(all: readonly GivenInstant[], context: WaitContext): string | undefined {
  // Where limits last for hours, a date of any zone may be meant.
  const isLong = usualNs(context) >= halfHourMs * 1e6;
  return meanings.find(({ meant }) =>
    all.every(
      (given) =>
        given.value !== undefined &&
        waitForms[given.form ?? 'seconds'].wrong === undefined &&
        !('atEpochMs' in given.value && isLong) &&
        isUsual(meant(given.value), given, context),
    ),
  )?.how;
}

/** What is wrong with a wait or reset by itself, whatever came afterwards. */
interface WrongByItself {
  /** Completes "Retry-After is …". */
  readonly how: string;
  /** Wrong whatever the time is. */
  readonly isForm: boolean;
  /** Not merely odd: a limiter may lock a key out for long, and a clock that `Date` does not show may be far off. */
  readonly isCertain: boolean;
}

/** Undefined where a limiter of this window may name the value. */
export function wrongByItself(given: GivenInstant, context: WaitContext): WrongByItself | undefined {
  const { form = 'seconds', value } = given;
  const { wrong } = waitForms[form];
  if (wrong !== undefined)
    return { how: wrong, isForm: true, isCertain: form !== 'zero' || context.isShortestWait };
  if (value === undefined || isUsual(value, given, context)) return undefined;
  const { hiNs, loNs } = aheadOf(value, given, context);
  const isDate = 'atEpochMs' in value;
  const [past, far] = [hiNs < 0, !isDate && loNs > dayNs];
  const otherwise = past
    ? isDate
      ? 'a date in the past'
      : 'negative'
    : loNs >= epochNs
      ? notAWait
      : 'too long';
  return {
    how: meaningOf([given], context) ?? otherwise,
    isForm: far,
    isCertain: far || (past && (!isDate || context.clock.isKnown)),
  };
}

/** More of them are like the first ones. */
const mostLookedAt = 1_000;
/** What is wrong with so large a part of the headers is a separate way. */
const ownPart = 0.2;

/**
 * How waits or resets are wrong by themselves, with an example: by the cheapest meaning that makes all of them right; else in
 * the commonest way, or in turn in several. Undefined where none is wrong by itself.
 */
export function waysWrong(
  all: readonly GivenInstant[],
  context: WaitContext,
): { readonly how: string; readonly example: string } | undefined {
  const wrong = all.slice(0, mostLookedAt).flatMap((given) => {
    const how = wrongByItself(given, context)?.how;
    return how === undefined ? [] : [{ given, how }];
  });
  const ways = [...Map.groupBy(wrong, ({ how }) => how).values()]
    .filter(({ length }) => length >= ownPart * wrong.length)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 2);
  const example = ways[0]?.[0]?.given;
  if (example === undefined) return undefined;
  const common = meaningOf(
    wrong.map(({ given }) => given),
    context,
  );
  const each = ways.map(([first]) => `${ways.length > 1 ? 'now ' : ''}${first?.how ?? ''}`).join(', ');
  return { how: common ?? each, example: wrongExample(example, context) };
}

/** What shows it: a date beside the time, a wait that is long beside the window, any other by itself. */
function wrongExample(given: GivenInstant, context: WaitContext): string {
  const { clock, promised } = context;
  const { text = '', value } = given;
  const says = `a header says ${text}`;
  if (value === undefined) return says;
  if ('atEpochMs' in value) {
    const nowMs = ((clock.loNs + clock.hiNs) / 2 + given.answeredNs) / 1e6;
    return `${says} at ${new Date(nowMs).toUTCString()}`;
  }
  return aheadOf(value, given, context).loNs > usualNs(context)
    ? `${says}, but two windows last only ${seconds((2 * promised.windowNs) / 1e6)}`
    : says;
}
