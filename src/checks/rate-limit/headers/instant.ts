import type { Span } from '../../../limits/span.ts';
import type { ResetValue } from './reset-value.ts';

/** Headers speak of whole seconds, rounded either way. */
export const roundingNs = 1e9;

/** A correct target may add a random delay of seconds, or of a part of the wait, so that clients do not retry at once. */
const jitter = { leastNs: 2e9, part: 1 / 4 };

export function jitterNs(waitNs: number): number {
  return Math.max(jitter.leastNs, jitter.part * waitNs);
}

/** When an answer was given. */
export interface Given {
  readonly sentNs: number;
  readonly answeredNs: number;
}

/** The instant that a reset names, in the run's nanoseconds: from the moment the answer was written, or by the target's clock. */
export function instantOf(reset: ResetValue, { sentNs, answeredNs }: Given, clock: Span): Span {
  if ('inMs' in reset) {
    return { loNs: sentNs + reset.inMs * 1e6, hiNs: answeredNs + reset.inMs * 1e6 };
  }
  return { loNs: reset.atEpochMs * 1e6 - clock.hiNs, hiNs: reset.atEpochMs * 1e6 - clock.loNs };
}
