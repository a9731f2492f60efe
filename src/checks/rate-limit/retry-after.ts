import type { SentRequest } from './streams.ts';
import { count, seconds } from './words.ts';

/** Whether a Retry-After header can be true. `doubtful`: odd, but not certainly wrong. */
export interface RetryAfterJudgement {
  readonly plausibility: 'plausible' | 'doubtful' | 'impossible';
  /** Completes the sentence "Retry-After: 60000 …". */
  readonly reason: string;
}

/** A judgement of the text alone. `longNs`: a wait that only what happened afterwards can tell to be wrong. */
export interface RetryAfterReading extends RetryAfterJudgement {
  readonly longNs?: number;
}

/** Beyond a window's length: rounding up to whole seconds, and clocks that differ. */
const toleranceNs = 2e9;

/** No limit by the minute or hour locks a key out for longer; such a number is an epoch time, or milliseconds. */
const dayNs = 86_400e9;

/**
 * Reads a Retry-After (RFC 9110 10.2.3: whole seconds or an HTTP date). A wait of up to two windows may be asked for by
 * any limiter, a longer one by a limiter that locks a key out for a while: that it is longer is not wrong in itself.
 */
export function readRetryAfter(
  text: string,
  answer: Pick<SentRequest, 'answered_ns'>,
  windowNs: number,
  zeroEpochMs: number,
): RetryAfterReading {
  const value = text.trim();
  if (/^-\d/.test(value)) return { plausibility: 'impossible', reason: 'is negative' };
  if (/^\d+$/.test(value)) return readSeconds(Number(value) * 1e9, windowNs);
  if (/^\d+\.\d+$/.test(value)) return { plausibility: 'doubtful', reason: 'is not in whole seconds' };
  const dateMs = Date.parse(value);
  if (Number.isNaN(dateMs)) return { plausibility: 'doubtful', reason: 'is neither seconds nor a date' };
  const waitNs = (dateMs - zeroEpochMs) * 1e6 - answer.answered_ns;
  // The target's clock may be off by more than a window; the date alone then proves nothing.
  return waitNs <= usualNs(windowNs)
    ? { plausibility: 'plausible', reason: 'is within two windows' }
    : { plausibility: 'doubtful', reason: `is ${seconds(waitNs)} ahead by the clock of the harness` };
}

function readSeconds(waitNs: number, windowNs: number): RetryAfterReading {
  if (waitNs <= usualNs(windowNs)) return { plausibility: 'plausible', reason: 'is within two windows' };
  if (waitNs > Math.max(dayNs, usualNs(windowNs))) {
    return {
      plausibility: 'impossible',
      reason: `asks for a wait of ${seconds(waitNs)}, over a day: it looks like an epoch time or milliseconds`,
    };
  }
  return {
    plausibility: 'doubtful',
    reason: `asks for a wait of ${seconds(waitNs)}, where two windows last ${seconds(2 * windowNs)}; nothing contradicts it`,
    longNs: waitNs,
  };
}

function usualNs(windowNs: number): number {
  return 2 * windowNs + toleranceNs;
}

/** So many refusals have to be contradicted, by so many admissions each: one may be an operator's doing. */
const repeatedly = 3;

/**
 * The refusals whose wait did not hold: the same key was admitted again on the same endpoint (whose limit it is, is not
 * shown) well before it was over, beyond what a limiter may ask for anyway, and repeatedly. Empty unless there are several.
 */
export function contradicted<Refusal extends { readonly refused: SentRequest; readonly longNs: number }>(
  refusals: readonly Refusal[],
  sent: readonly SentRequest[],
  windowNs: number,
): readonly Refusal[] {
  if (refusals.length < repeatedly) return [];
  const limitOf = (each: SentRequest): string => `${each.charged_to} ${each.endpoint}`;
  const admissions = Map.groupBy(
    sent.filter((each) => each.status !== null && each.status >= 200 && each.status < 300),
    limitOf,
  );
  const found = refusals.filter(({ refused, longNs }) => {
    const own = admissions.get(limitOf(refused)) ?? [];
    // In order of sending, so that the third one after the refusal tells.
    const third = own[firstAfter(own, refused.answered_ns) + repeatedly - 1];
    return third !== undefined && third.sent_ns < refused.answered_ns + longNs - usualNs(windowNs);
  });
  return found.length < repeatedly ? [] : found;
}

/** Completes the sentence "Retry-After: 6000 …". */
export function contradictionText(longNs: number): string {
  return `asks for a wait of ${seconds(longNs)}, yet the same key was admitted ${count(repeatedly)} times and more well before it was over`;
}

/** Place of the first request sent at `ns` or later, in a list in order of sending. */
function firstAfter(requests: readonly SentRequest[], ns: number): number {
  let low = 0;
  let high = requests.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((requests[middle]?.sent_ns ?? 0) < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}
