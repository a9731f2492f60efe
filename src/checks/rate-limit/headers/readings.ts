import { seconds, span } from '../../../amounts.ts';
import type { PromisedLimit } from '../../../limits/kinds/kind.ts';
import type { Span } from '../../../limits/span.ts';
import {
  type DateClock,
  type GivenInstant,
  type InstantValue,
  instantOf,
  roundingNs,
  type WaitForm,
} from './instants.ts';

/** What waits and resets are held against where nothing is known of the limiter. */
export interface WaitContext {
  readonly promised: PromisedLimit;
  readonly clock: DateClock;
  /** The profile promises that no `Retry-After` is longer than needed. Rounded up, it is a second at least. */
  readonly isShortestWait: boolean;
}

/** Beyond a window's length: rounding up to whole seconds, and clocks that differ. */
const toleranceNs = 2e9;
/** No wait, counted in seconds, is as long as what has passed since 1970. */
const epochNs = 1e9 * 1e9;

/** Any limiter may ask for a wait of up to two windows. */
export function usualNs({ promised }: Pick<WaitContext, 'promised'>): number {
  return 2 * promised.windowNs + toleranceNs;
}

/** From the answer until the instant: at least and at most. */
export function aheadOf(value: InstantValue, given: GivenInstant, { clock }: WaitContext): Span {
  const { hiNs, loNs } = instantOf(value, given, clock);
  return { loNs: loNs - given.answeredNs, hiNs: hiNs - given.sentNs };
}

/** Forms that are wrong whatever the time is. */
const wrongForms = {
  neither: { how: 'neither seconds nor a date', code: 'rejections-no-date' },
  'other-date': { how: 'a date, but not in a form of HTTP', code: 'rejections-other-date' },
  fraction: { how: 'not in whole seconds', code: 'rejections-fraction' },
  negative: { how: 'negative', code: 'rejections-negative' },
  zero: { how: 'rounded down', code: 'rejections-zero' },
} as const;

export function wrongFormOf(form: WaitForm): (typeof wrongForms)[keyof typeof wrongForms] | undefined {
  return form === 'seconds' || form === 'http-date' ? undefined : wrongForms[form];
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

/** The cheapest first. */
const meanings: readonly Meaning[] = [
  // Whole minutes are more likely too long.
  {
    how: 'in milliseconds',
    meant: ofWait((ms) => (ms % 60e3 === 0 && ms % 1e6 !== 0 ? undefined : { inMs: ms / 1e3 })),
  },
  { how: 'an instant in place of a wait', meant: ofWait((atEpochMs) => ({ atEpochMs })) },
  { how: 'an instant in place of a wait', meant: ofWait((ms) => ({ atEpochMs: ms / 1e3 })) },
  ...zones.map((halves) => ({
    how: `a date of another zone, ${span(Math.abs(halves) * halfHourMs)} too ${halves > 0 ? 'late' : 'early'}`,
    meant: (value: InstantValue): InstantValue | undefined =>
      'atEpochMs' in value ? { atEpochMs: value.atEpochMs - halves * halfHourMs } : undefined,
  })),
];

/** Whether any limiter of this window may ask for it. */
export function isUsual(meant: InstantValue | undefined, given: GivenInstant, context: WaitContext): boolean {
  if (meant === undefined) return false;
  const { hiNs, loNs } = aheadOf(meant, given, context);
  return hiNs >= -2 * roundingNs && loNs <= usualNs(context);
}

/** The cheapest meaning by which each of these is usual, in its place. */
function meaningOf(all: readonly GivenInstant[], context: WaitContext): string | undefined {
  // Where limits last for hours, a date of any zone may be meant.
  const isLong = usualNs(context) >= halfHourMs * 1e6;
  return meanings.find(({ meant }) =>
    all.every(
      (given) =>
        given.value !== undefined &&
        wrongFormOf(given.form ?? 'seconds') === undefined &&
        !('atEpochMs' in given.value && isLong) &&
        isUsual(meant(given.value), given, context),
    ),
  )?.how;
}

/** What is wrong with a value by itself; undefined where a limiter of this window may name it. */
function howWrong(given: GivenInstant, context: WaitContext): string | undefined {
  const { form = 'seconds', value } = given;
  const wrong = wrongFormOf(form);
  if (wrong !== undefined || value === undefined) return wrong?.how;
  if (isUsual(value, given, context)) return undefined;
  const meaning = meaningOf([given], context);
  if (meaning !== undefined) return meaning;
  const { hiNs, loNs } = aheadOf(value, given, context);
  if (hiNs < 0) return 'inMs' in value ? 'negative' : 'a date in the past';
  return loNs >= epochNs ? 'an instant in place of a wait' : 'too long';
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
    const how = howWrong(given, context);
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
