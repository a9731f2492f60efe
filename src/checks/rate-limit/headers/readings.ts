import { seconds, span } from '../../../amounts.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import {
  type AnswerTime,
  type DateClock,
  type InstantValue,
  instantOf,
  readWait,
  roundingNs,
  type WaitForm,
} from './instants.ts';

/** What waits and resets are held against where nothing is known of the limiter. */
export interface WaitContext {
  readonly windowNs: number;
  readonly clock: DateClock;
  /** No wait is longer than needed. Rounded up, as the profile may promise, it is a second at least. */
  readonly isShortest: boolean;
}

/** A value and when it was given. `text`: of a Retry-After, as it stands. */
export interface GivenInstant extends AnswerTime {
  readonly value: InstantValue | undefined;
  readonly text?: string;
}

/** A Retry-After. */
export interface GivenWait extends GivenInstant {
  readonly text: string;
  readonly form: WaitForm;
}

export function givenWait(text: string, sentNs: number, answeredNs: number): GivenWait {
  return { ...readWait(text), text, sentNs, answeredNs };
}

/** Beyond a window's length: rounding up to whole seconds, and clocks that differ. */
const toleranceNs = 2e9;
/** No limit by the minute or hour locks a key out for longer; such a number is an epoch time, or milliseconds. */
export const dayNs = 86_400e9;
/** No wait, counted in seconds, is as long as what has passed since 1970. */
const epochNs = 1e9 * 1e9;

/** Any limiter may ask for a wait of up to two windows. */
export function usualNs(windowNs: number): number {
  return 2 * windowNs + toleranceNs;
}

/** From the answer until the instant: at least and at most. */
function aheadOf(
  value: InstantValue,
  given: AnswerTime,
  { clock }: WaitContext,
): { loNs: number; hiNs: number } {
  const { hiNs, loNs } = instantOf(value, given, clock);
  return { loNs: loNs - given.answeredNs, hiNs: hiNs - given.sentNs };
}

/** Whether a Retry-After header can be true. `doubtful`: odd, but not certainly wrong. */
export interface WaitJudgement {
  readonly plausibility: 'plausible' | 'doubtful' | 'impossible';
  /** Why it is not plausible, with the header's text as an example. */
  readonly reason?: Reason;
  /** A wait that only what happened afterwards can tell to be wrong. */
  readonly longNs?: number;
}

/**
 * Judges the text of a Retry-After. A wait of up to two windows may be asked for by any limiter, a longer one by a limiter
 * that locks a key out for a while: that it is longer is not wrong in itself.
 */
export function judgeWait(given: GivenWait, context: WaitContext): WaitJudgement {
  const { form, text, value } = given;
  const impossible = (why: Reason): WaitJudgement => ({ plausibility: 'impossible', reason: why });
  const doubtful = (why: Reason): WaitJudgement => ({ plausibility: 'doubtful', reason: why });
  if (form === 'neither' || value === undefined) return impossible(reason('rejections-no-date', { text }));
  if (form === 'other-date') return impossible(reason('rejections-other-date', { text }));
  if (form === 'fraction') return impossible(reason('rejections-fraction', { text }));
  if (form === 'negative') return impossible(reason('rejections-negative', { text }));
  if (form === 'zero')
    return (context.isShortest ? impossible : doubtful)(reason('rejections-zero', { text }));
  const { hiNs, loNs } = aheadOf(value, given, context);
  const waitMs = loNs / 1e6;
  const usual = usualNs(context.windowNs);
  if (form === 'seconds' && loNs > Math.max(dayNs, usual))
    return impossible(
      reason('rejections-over-a-day', { text, waitMs: Number.isFinite(waitMs) ? waitMs : null }),
    );
  const { isKnown } = context.clock;
  // The target's clock may be off by more than a window; without its own `Date`, the date alone then proves nothing.
  if (form === 'http-date' && isKnown && hiNs < -2 * roundingNs)
    return impossible(reason('rejections-past-date', { text, agoMs: -hiNs / 1e6 }));
  if (loNs <= usual) return { plausibility: 'plausible' };
  return form === 'http-date' && !isKnown
    ? doubtful(reason('rejections-late-date', { text, waitMs }))
    : {
        ...doubtful(reason('rejections-long-wait', { text, waitMs, windowMs: context.windowNs / 1e6 })),
        longNs: loNs,
      };
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

const wrongForms: Partial<Readonly<Record<WaitForm, string>>> = {
  neither: 'neither seconds nor a date',
  'other-date': 'a date, but not in a form of HTTP',
  fraction: 'not in whole seconds',
  negative: 'negative',
  zero: 'rounded down',
};

interface ReadInstant extends GivenInstant {
  readonly form?: WaitForm;
}

/** Whether any limiter of this window may ask for it. */
function isUsual(meant: InstantValue | undefined, given: AnswerTime, context: WaitContext): boolean {
  if (meant === undefined) return false;
  const { hiNs, loNs } = aheadOf(meant, given, context);
  return hiNs >= -2 * roundingNs && loNs <= usualNs(context.windowNs);
}

/** The cheapest meaning by which each of these is usual, in its place. */
function meaningOf(all: readonly ReadInstant[], context: WaitContext): string | undefined {
  // Where limits last for hours, a date of any zone may be meant.
  const isLong = usualNs(context.windowNs) >= halfHourMs * 1e6;
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

/** What is wrong with a value by itself; undefined where a limiter of this window may name it. */
function howWrong(given: ReadInstant, context: WaitContext): string | undefined {
  const { form = 'seconds', value } = given;
  const byForm = wrongForms[form];
  if (byForm !== undefined || value === undefined) return byForm;
  if (isUsual(value, given, context)) return undefined;
  const meaning = meaningOf([given], context);
  if (meaning !== undefined) return meaning;
  const { hiNs, loNs } = aheadOf(value, given, context);
  if (hiNs < 0) return 'inMs' in value ? 'negative' : 'a date in the past';
  return loNs >= epochNs ? 'an instant in place of a wait' : 'too long';
}

/** More of them are like the first ones. */
const mostLookedAt = 1_000;
/** What is wrong with so large a part of the headers is a way of its own. */
const ownPart = 0.2;

/**
 * How waits or resets are wrong by themselves, with an example: by the cheapest meaning that makes all of them right; else in
 * the commonest way, or in turn in several. Undefined where none is wrong by itself.
 */
export function waysWrong(
  all: readonly ReadInstant[],
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
  const { clock, windowNs } = context;
  const { text = '', value } = given;
  const says = `a header says ${text}`;
  if (value === undefined) return says;
  if ('atEpochMs' in value) {
    const nowMs = ((clock.loNs + clock.hiNs) / 2 + given.answeredNs) / 1e6;
    return `${says} at ${new Date(nowMs).toUTCString()}`;
  }
  return aheadOf(value, given, context).loNs > usualNs(windowNs)
    ? `${says}, but two windows last only ${seconds((2 * windowNs) / 1e6)}`
    : says;
}
