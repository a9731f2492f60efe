import { countBelow } from '../../../limits/sorted.ts';
import { valuesAt } from '../../../limits/typed.ts';
import { byLimit, isSuccess, limitOfRow, rowsWhere, type SentRequests } from '../../../sent/columns.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { seconds } from '../traces/words.ts';

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
const dayNs = 86_400e9;

const plausible: RetryAfterReading = { plausibility: 'plausible' };

/**
 * Reads a Retry-After (RFC 9110 10.2.3: whole seconds or an HTTP date). A wait of up to two windows may be asked for by
 * any limiter, a longer one by a limiter that locks a key out for a while: that it is longer is not wrong in itself.
 */
export function readRetryAfter(
  text: string,
  answeredNs: number,
  windowNs: number,
  { isShortest, zeroEpochMs }: { readonly zeroEpochMs: number; readonly isShortest: boolean },
): RetryAfterReading {
  const value = text.trim();
  if (/^-\d/.test(value))
    return { plausibility: 'impossible', reason: reason('rejections-negative', { text }) };
  // A wait is longer than nothing. Rounded up, as the profile may promise, it is a second at least.
  if (/^0+$/.test(value))
    return {
      plausibility: isShortest ? 'impossible' : 'doubtful',
      reason: reason('rejections-zero', { text }),
    };
  if (/^\d+$/.test(value)) return readSeconds(text, Number(value) * 1e9, windowNs);
  if (/^\d+\.\d+$/.test(value))
    return { plausibility: 'doubtful', reason: reason('rejections-fraction', { text }) };
  const dateMs = Date.parse(value);
  if (Number.isNaN(dateMs))
    return { plausibility: 'impossible', reason: reason('rejections-no-date', { text }) };
  const waitNs = (dateMs - zeroEpochMs) * 1e6 - answeredNs;
  // The target's clock may be off by more than a window; the date alone then proves nothing.
  return waitNs <= usualNs(windowNs)
    ? plausible
    : { plausibility: 'doubtful', reason: reason('rejections-late-date', { text, waitMs: waitNs / 1e6 }) };
}

function readSeconds(text: string, waitNs: number, windowNs: number): RetryAfterReading {
  if (waitNs <= usualNs(windowNs)) return plausible;
  const waitMs = waitNs / 1e6;
  if (waitNs > Math.max(dayNs, usualNs(windowNs))) {
    const known = Number.isFinite(waitMs) ? waitMs : null;
    return { plausibility: 'impossible', reason: reason('rejections-over-a-day', { text, waitMs: known }) };
  }
  return {
    plausibility: 'doubtful',
    reason: reason('rejections-long-wait', { text, waitMs, windowMs: windowNs / 1e6 }),
    longNs: waitNs,
  };
}

function usualNs(windowNs: number): number {
  return 2 * windowNs + toleranceNs;
}

/** No wait, counted in seconds, is as long as what has passed since 1970. */
const epochNs = 1e9 * 1e9;

/** Completes "Retry-After is …", of a wait that cannot be meant. */
export function howWrong(waitNs: number, windowNs: number): string {
  if (Number.isNaN(waitNs)) return 'neither seconds nor a date';
  if (waitNs < 0) return 'negative';
  if (waitNs === 0) return 'rounded down';
  if (waitNs >= epochNs) return 'an instant in place of a wait';
  return waitNs / 1e3 <= usualNs(windowNs) ? 'in milliseconds' : 'too long';
}

/** What shows it: a wait that is long shows it beside the window, any other by itself. */
export function wrongExample(given: string, waitNs: number, windowNs: number): string {
  return waitNs > 0 ? `${given}, but two windows last only ${seconds(2 * windowNs)}` : given;
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
