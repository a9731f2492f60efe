import { span } from '../../../amounts.ts';
import { countBelow, valuesAt } from '../../../limits/arrays.ts';
import { byLimit, isSuccess, limitOfRow, rowsWhere, type SentRequests } from '../../../sent/columns.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { seconds } from '../traces/words.ts';
import {
  type AnswerTime,
  type DateClock,
  instantOf,
  parseDate,
  type ResetValue,
  roundingNs,
} from './instant.ts';

/** How a Retry-After is written. RFC 9110 10.2.3 allows whole seconds and an HTTP date. */
type WaitForm = 'seconds' | 'http-date' | 'zero' | 'negative' | 'fraction' | 'other-date' | 'neither';

const inSeconds = (text: string): ResetValue => ({ inMs: (Number(text) + 0) * 1e3 });
/** The third of the forms that a recipient accepts has no zone, and is in GMT. */
const asDate = (text: string): ResetValue | undefined => {
  const atEpochMs = parseDate(/ \d{4}$/.test(text) ? `${text} GMT` : text);
  return atEpochMs === undefined ? undefined : { atEpochMs };
};

const forms: readonly (readonly [WaitForm, RegExp, (text: string) => ResetValue | undefined])[] = [
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

/** What a Retry-After says; no value where it cannot be read. */
function readWait(text: string): { readonly form: WaitForm; readonly value: ResetValue | undefined } {
  const trimmed = text.trim();
  const [form = 'neither', , read] = forms.find(([, pattern]) => pattern.test(trimmed)) ?? [];
  const value = read?.(trimmed);
  return { form: value === undefined ? 'neither' : form, value };
}

/** Seconds, which may be an epoch by mistake but are taken at their word, or a date. */
export function parseRetryAfter(text: string): ResetValue | undefined {
  const { value } = readWait(text);
  return value !== undefined && 'inMs' in value && value.inMs > mostMs ? undefined : value;
}

/** No client waits longer, and what is reckoned with it stays finite. */
const mostMs = 1e33;

/** What a Retry-After is held against. */
export interface WaitContext {
  readonly windowNs: number;
  readonly clock: DateClock;
  /** No wait is longer than needed. Rounded up, as the profile may promise, it is a second at least. */
  readonly isShortest: boolean;
}

/** A Retry-After and when it was given. */
export interface GivenWait extends AnswerTime {
  readonly text: string;
}

/** Whether a Retry-After header can be true. `doubtful`: odd, but not certainly wrong. */
export interface RetryAfterJudgement {
  readonly plausibility: 'plausible' | 'doubtful' | 'impossible';
  /** Why it is not plausible, with the header's text as an example. */
  readonly reason?: Reason;
}

/** A judgement of the text alone. `longNs`: a wait that only what happened afterwards can tell to be wrong. */
interface RetryAfterReading extends RetryAfterJudgement {
  readonly longNs?: number;
}

/** Beyond a window's length: rounding up to whole seconds, and clocks that differ. */
const toleranceNs = 2e9;

/** No limit by the minute or hour locks a key out for longer; such a number is an epoch time, or milliseconds. */
export const dayNs = 86_400e9;

function usualNs(windowNs: number): number {
  return 2 * windowNs + toleranceNs;
}

/** From the answer until the wait is over: at least and at most. */
function waitOf(value: ResetValue, given: GivenWait, { clock }: WaitContext): { loNs: number; hiNs: number } {
  const { hiNs, loNs } = instantOf(value, given, clock);
  return { loNs: loNs - given.answeredNs, hiNs: hiNs - given.sentNs };
}

/**
 * Judges the text of a Retry-After. A wait of up to two windows may be asked for by any limiter, a longer one by a limiter
 * that locks a key out for a while: that it is longer is not wrong in itself.
 */
export function readRetryAfter(given: GivenWait, context: WaitContext): RetryAfterReading {
  const { text } = given;
  const { form, value } = readWait(text);
  const impossible = (why: Reason): RetryAfterReading => ({ plausibility: 'impossible', reason: why });
  if (value === undefined) return impossible(reason('rejections-no-date', { text }));
  const { hiNs, loNs } = waitOf(value, given, context);
  const waitMs = loNs / 1e6;
  const isLong = loNs > usualNs(context.windowNs);
  const long: RetryAfterReading = {
    plausibility: 'doubtful',
    reason: reason('rejections-long-wait', { text, waitMs, windowMs: context.windowNs / 1e6 }),
    longNs: loNs,
  };
  switch (form) {
    case 'neither':
      return impossible(reason('rejections-no-date', { text }));
    case 'other-date':
      return impossible(reason('rejections-other-date', { text }));
    case 'fraction':
      return impossible(reason('rejections-fraction', { text }));
    case 'negative':
      return impossible(reason('rejections-negative', { text }));
    case 'zero': {
      const why = reason('rejections-zero', { text });
      return context.isShortest ? impossible(why) : { plausibility: 'doubtful', reason: why };
    }
    case 'seconds':
      if (loNs <= Math.max(dayNs, usualNs(context.windowNs)))
        return isLong ? long : { plausibility: 'plausible' };
      return impossible(
        reason('rejections-over-a-day', { text, waitMs: Number.isFinite(waitMs) ? waitMs : null }),
      );
    case 'http-date':
      // The target's clock may be off by more than a window; without its own `Date`, the date alone then proves nothing.
      if (!context.clock.isKnown)
        return isLong
          ? { plausibility: 'doubtful', reason: reason('rejections-late-date', { text, waitMs }) }
          : { plausibility: 'plausible' };
      if (hiNs < -2 * roundingNs)
        return impossible(reason('rejections-past-date', { text, agoMs: -hiNs / 1e6 }));
      return isLong ? long : { plausibility: 'plausible' };
  }
}

/** What a wait that cannot be meant may mean instead: by this reading it is one that a limiter needs. */
interface Meaning {
  /** Completes "Retry-After is …". */
  readonly how: string;
  readonly meant: (text: string) => ResetValue | undefined;
}

const ofNumber =
  (meant: (value: number) => ResetValue | undefined) =>
  (text: string): ResetValue | undefined =>
    /^\d{1,30}$/.test(text) ? meant(Number(text)) : undefined;
const halfHourMs = 1_800e3;
/** Zones are up to 14 hours ahead of GMT, and up to 12 behind. */
const zones = Array.from({ length: 28 }, (_, k) => k + 1).flatMap((k) => [k, -k]);

const meanings: readonly Meaning[] = [
  // Whole minutes are more likely too long.
  {
    how: 'in milliseconds',
    meant: ofNumber((ms) => (ms % 60 === 0 && ms % 1_000 !== 0 ? undefined : { inMs: ms })),
  },
  { how: 'an instant in place of a wait', meant: ofNumber((s) => ({ atEpochMs: s * 1e3 })) },
  { how: 'an instant in place of a wait', meant: ofNumber((ms) => ({ atEpochMs: ms })) },
  ...zones.map((halves) => ({
    how: `a date of another zone, ${span(Math.abs(halves) * halfHourMs)} too ${halves > 0 ? 'late' : 'early'}`,
    meant: (text: string): ResetValue | undefined => {
      const date = asDate(text);
      return date !== undefined && 'atEpochMs' in date
        ? { atEpochMs: date.atEpochMs - halves * halfHourMs }
        : undefined;
    },
  })),
];

const wrongForms: Partial<Readonly<Record<WaitForm, string>>> = {
  neither: 'neither seconds nor a date',
  'other-date': 'a date, but not in a form of HTTP',
  fraction: 'not in whole seconds',
  negative: 'negative',
  zero: 'rounded down',
};

/** No wait, counted in seconds, is as long as what has passed since 1970. */
const epochNs = 1e9 * 1e9;

/** What is wrong with a Retry-After by itself; undefined where a limiter of this window may ask for it. */
function howWrong(given: GivenWait, context: WaitContext): string | undefined {
  const { form, value } = readWait(given.text);
  const byForm = wrongForms[form];
  if (byForm !== undefined || value === undefined) return byForm;
  const usual = usualNs(context.windowNs);
  const isUsual = (meant: ResetValue): boolean => {
    const { hiNs, loNs } = waitOf(meant, given, context);
    return hiNs >= -2 * roundingNs && loNs <= usual;
  };
  if (isUsual(value)) return undefined;
  // Where limits last for hours, a date of any zone may be meant.
  const tried = 'atEpochMs' in value && usual >= halfHourMs * 1e6 ? [] : meanings;
  const found = tried.find(({ meant }) => {
    const other = meant(given.text.trim());
    return other !== undefined && isUsual(other);
  });
  if (found !== undefined) return found.how;
  const { hiNs, loNs } = waitOf(value, given, context);
  if (hiNs < 0) return 'a date in the past';
  return loNs >= epochNs ? 'an instant in place of a wait' : 'too long';
}

/** More of them are like the first ones. */
const mostLookedAt = 1_000;
/** What is wrong with so large a part of the headers is a way of its own. */
const ownPart = 0.2;

/** How some Retry-After are wrong, with an example: in the commonest way, or in turn in several. Undefined where none is, by itself. */
export function waysWrong(
  all: readonly GivenWait[],
  context: WaitContext,
): { readonly how: string; readonly example: string } | undefined {
  const told = all.slice(0, mostLookedAt).flatMap((given) => {
    const how = howWrong(given, context);
    return how === undefined ? [] : [{ given, how }];
  });
  const ways = [...Map.groupBy(told, ({ how }) => how).values()]
    .filter(({ length }) => length >= ownPart * told.length)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 2);
  const example = ways[0]?.[0]?.given;
  if (example === undefined) return undefined;
  return {
    how: ways.map(([first]) => `${ways.length > 1 ? 'now ' : ''}${first?.how ?? ''}`).join(', '),
    example: wrongExample(example, context),
  };
}

/** What shows it: a date beside the time, a wait that is long beside the window, any other by itself. */
function wrongExample(given: GivenWait, context: WaitContext): string {
  const { clock, windowNs } = context;
  const says = `a header says ${given.text}`;
  const { value } = readWait(given.text);
  if (value === undefined) return says;
  if ('atEpochMs' in value) {
    const nowMs = ((clock.loNs + clock.hiNs) / 2 + given.answeredNs) / 1e6;
    return `${says} at ${new Date(nowMs).toUTCString()}`;
  }
  return waitOf(value, given, context).loNs > usualNs(windowNs)
    ? `${says}, but two windows last only ${seconds(2 * windowNs)}`
    : says;
}

/** At least this number of rejections must be contradicted, each by as many admissions: an operator may cause a single one. */
const repeatedly = 3;

/**
 * The rejections whose wait did not hold: the same key was admitted again on the same endpoint (whose limit it is, is not
 * shown) well before it was over, beyond what a limiter may ask for anyway, and repeatedly. Empty unless there are several.
 */
export function contradicted<Rejection extends { readonly row: number; readonly longNs: number }>(
  rejections: readonly Rejection[],
  sent: SentRequests,
  windowNs: number,
): readonly Rejection[] {
  if (rejections.length < repeatedly) return [];
  const { answeredNs, sentNs } = sent;
  const admissions = new Map(
    [
      ...byLimit(
        sent,
        rowsWhere(sent, (row) => isSuccess(sent, row)),
      ),
    ].map(([limit, rows]) => [limit, valuesAt(sentNs, rows)]),
  );
  const found = rejections.filter(({ row, longNs }) => {
    const own = admissions.get(limitOfRow(sent, row)) ?? new Float64Array();
    const rejectedNs = answeredNs[row] as number;
    // In order of sending, so that the third one after the rejection tells.
    const third = own[countBelow(own, rejectedNs) + repeatedly - 1];
    return third !== undefined && third < rejectedNs + longNs - usualNs(windowNs);
  });
  return found.length < repeatedly ? [] : found;
}

/** Why a long wait is impossible after all. */
export function contradiction(text: string, longNs: number): Reason {
  return reason('rejections-admitted-earlier', { text, waitMs: longNs / 1e6, admissions: repeatedly });
}
