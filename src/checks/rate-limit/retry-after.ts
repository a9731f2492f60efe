import type { SentRequest } from './streams.ts';
import { seconds } from './words.ts';

/** Whether a Retry-After header can be true. `doubtful`: odd, but not certainly wrong. */
export interface RetryAfterJudgement {
  readonly plausibility: 'plausible' | 'doubtful' | 'impossible';
  /** Completes the sentence "Retry-After: 60000 …". */
  readonly reason: string;
}

/** Beyond a window's length: rounding up to whole seconds, and clocks that differ. */
const toleranceNs = 2e9;

/**
 * Judges a Retry-After (RFC 9110 10.2.3: whole seconds or an HTTP date) by the wait it asks for. No limiter needs more
 * than two windows to forget everything; a longer wait looks like milliseconds or an epoch time in place of seconds.
 */
export function judgeRetryAfter(
  text: string,
  answer: Pick<SentRequest, 'answered_ns'>,
  windowNs: number,
  zeroEpochMs: number,
): RetryAfterJudgement {
  const value = text.trim();
  if (/^-\d/.test(value)) return { plausibility: 'impossible', reason: 'is negative' };
  if (/^\d+$/.test(value)) return judgeWait(Number(value) * 1e9, windowNs, 'seconds');
  if (/^\d+\.\d+$/.test(value)) return { plausibility: 'doubtful', reason: 'is not in whole seconds' };
  const dateMs = Date.parse(value);
  if (Number.isNaN(dateMs)) return { plausibility: 'doubtful', reason: 'is neither seconds nor a date' };
  const waitNs = (dateMs - zeroEpochMs) * 1e6 - answer.answered_ns;
  // The target's clock may be off by more than a window; the date alone then proves nothing.
  const judged = judgeWait(Math.max(0, waitNs), windowNs, 'date');
  return judged.plausibility === 'impossible' ? { ...judged, plausibility: 'doubtful' } : judged;
}

function judgeWait(waitNs: number, windowNs: number, form: 'seconds' | 'date'): RetryAfterJudgement {
  if (waitNs <= windowNs + toleranceNs) return { plausibility: 'plausible', reason: 'is within a window' };
  if (waitNs <= 2 * windowNs + toleranceNs) {
    return { plausibility: 'plausible', reason: 'is within two windows, as a sliding counter may ask' };
  }
  const guess = form === 'date' ? '' : waitNs > 1e9 * 1e9 ? ', like an epoch time' : ', like milliseconds';
  return {
    plausibility: 'impossible',
    reason: `asks for a wait of ${seconds(waitNs)}, where two windows last ${seconds(2 * windowNs)}${guess}`,
  };
}
