import { seconds, span } from '../../../amounts.ts';
import type { InstantValue, WaitForm } from '../../../history/wait-times.ts';
import type { PromisedLimit } from '../../../limits/kinds/kind.ts';
import type { SentRequests } from '../../../limits/sent/columns.ts';
import { clockOffsetIn } from '../../../limits/sent/traces.ts';
import type { Span } from '../../../limits/span.ts';

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

/** Answers by columns, and the reset or wait that each names. */
interface NamingAnswers {
  readonly answeredNs: Float64Array;
  readonly sentNs: Float64Array;
  readonly statements: readonly { readonly reset?: InstantValue | undefined }[];
}

/** The instants that answers name, by columns: NaN where none is. `laterNs`: by how much each may be rounded down. */
export function namedInstants(
  { answeredNs, sentNs, statements }: NamingAnswers,
  clock: Span,
  laterNs: (index: number) => number = () => 0,
): { readonly least: Float64Array; readonly most: Float64Array } {
  const spans = statements.map(({ reset }, i) =>
    reset === undefined
      ? { loNs: Number.NaN, hiNs: Number.NaN }
      : instantOf(reset, { sentNs: sentNs[i] as number, answeredNs: answeredNs[i] as number }, clock),
  );
  return {
    least: Float64Array.from(spans, ({ loNs }) => loNs),
    most: Float64Array.from(spans, ({ hiNs }, i) => hiNs + laterNs(i)),
  };
}

/** What is wrong with a Retry-After whatever the time is, by its form (RFC 9110 10.2.3). */
const wrongForms: Readonly<Partial<Record<WaitForm, string>>> = {
  zero: 'rounded down',
  negative: 'negative',
  fraction: 'not in whole seconds',
  'other-date': 'a date, but not in a form of HTTP',
  neither: 'neither seconds nor a date',
};

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
        wrongForms[given.form ?? 'seconds'] === undefined &&
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
  const wrong = wrongForms[form];
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
