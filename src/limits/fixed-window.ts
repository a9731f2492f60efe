import { type Counts, countsOf } from './counts.ts';
import type { LimitRange } from './limit-range.ts';
import { countBelow, countUpTo, RangeMinimum } from './sorted.ts';
import { admitted, limited, type Trace } from './trace.ts';
import type { Windows } from './windows.ts';

/** How many requests before a boundary are examined as straddlers; leaving some out only weakens a bound. */
const straddlersSeen = 64;

/**
 * Fixed window: a request is rejected when its window has admitted L already. Whether rejected requests count makes
 * no difference: once L is reached the rest of the window is rejected either way.
 */
export class FixedWindowModel {
  readonly #trace: Trace;
  readonly #counts: Counts;
  /** Rejected requests: index in the trace, send time, and how many admitted ones may have come before. */
  readonly #refused: Int32Array;
  readonly #refusedSentNs: Float64Array;
  readonly #leastBefore: RangeMinimum;
  /**
   * Admitted requests in order of sending, and the last send time of a rejected one that surely came before each.
   */
  readonly #admitted: Int32Array;
  readonly #refusedBeforeNs: Float64Array;
  /** The longest round trip of an admitted request. */
  readonly #longestTripNs: number;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#counts = countsOf(trace, 'admitted');
    const indexes = Int32Array.from(trace.outcome, (_, i) => i);
    this.#refused = indexes.filter((i) => trace.outcome[i] === limited);
    this.#refusedSentNs = Float64Array.from(this.#refused, (i) => trace.sentNs[i] as number);
    this.#leastBefore = new RangeMinimum(
      Float64Array.from(this.#refused, (i) => this.#counts.maybeBefore[i] as number),
    );
    this.#admitted = indexes.filter((i) => trace.outcome[i] === admitted);
    this.#refusedBeforeNs = this.#lastRefusalsBefore();
    this.#longestTripNs = this.#admitted.reduce(
      (most, i) => Math.max(most, (trace.answeredNs[i] as number) - (trace.sentNs[i] as number)),
      0,
    );
  }

  /** Narrows `range` to the limits that explain the whole trace if the windows were these; stops once it is empty. O(windows × log n). */
  narrow(windows: Windows, range: LimitRange): void {
    const { sureAnsweredNs, sureSentNs, mayAnsweredNs, maybeBefore } = this.#counts;
    let refusedFrom = 0;
    for (let k = 0; k < windows.length && !range.isEmpty; k++) {
      const ended = countBelow(sureAnsweredNs, windows.endLo[k] as number);
      const begun = countBelow(sureSentNs, previousEndHi(windows, k));
      const inside = ended - begun + this.#pushedPastBoundary(begun, windows, k);
      if (inside > range.min) range.atLeast(inside, this.#lastAdmittedBefore(windows.endLo[k] as number));

      // A rejection near a boundary is judged in the earlier window, where more may have come before it.
      const refusedTo = countBelow(this.#refusedSentNs, windows.endHi[k] as number);
      const hardest = this.#leastBefore.indexIn(refusedFrom, refusedTo);
      refusedFrom = Math.max(refusedFrom, refusedTo);
      if (hardest === undefined) continue;
      const i = this.#refused[hardest] as number;
      const gone = countBelow(mayAnsweredNs, windows.beginLo[k] as number);
      range.atMost((maybeBefore[i] as number) - gone, i);
    }
  }

  /**
   * Of the admitted requests that straddle the start of window k: those that surely came before a rejection inside
   * window k − 1. That window admitted nothing more, so they belong to window k.
   */
  #pushedPastBoundary(begun: number, windows: Windows, k: number): number {
    if (k === 0) return 0;
    const previousBeginHi = previousEndHi(windows, k - 1);
    let pushed = 0;
    const beganNs = windows.beginLo[k] as number;
    for (let at = begun - 1; at >= Math.max(0, begun - straddlersSeen); at--) {
      const i = this.#admitted[at] as number;
      if ((this.#trace.sentNs[i] as number) + this.#longestTripNs < beganNs) break;
      const answeredNs = this.#trace.answeredNs[i] as number;
      const straddles = answeredNs >= beganNs && answeredNs < (windows.endLo[k] as number);
      if (straddles && (this.#refusedBeforeNs[at] as number) >= previousBeginHi) pushed++;
    }
    return pushed;
  }

  #lastAdmittedBefore(endNs: number): number {
    for (let at = countUpTo(this.#counts.sureSentNs, endNs) - 1; at >= 0; at--) {
      const i = this.#admitted[at] as number;
      if ((this.#trace.answeredNs[i] as number) < endNs) return i;
    }
    return -1;
  }

  #lastRefusalsBefore(): Float64Array {
    const trace = this.#trace;
    const byAnswer = this.#refused.toSorted(
      (a, b) => (trace.answeredNs[a] as number) - (trace.answeredNs[b] as number),
    );
    const answeredNs = Float64Array.from(byAnswer, (i) => trace.answeredNs[i] as number);
    const lastSentNs = new Float64Array(byAnswer.length + 1).fill(Number.NEGATIVE_INFINITY);
    byAnswer.forEach((i, at) => {
      lastSentNs[at + 1] = Math.max(lastSentNs[at] as number, trace.sentNs[i] as number);
    });
    return Float64Array.from(
      this.#admitted,
      (i) => lastSentNs[countBelow(answeredNs, trace.sentNs[i] as number)] as number,
    );
  }
}

/**
 * What is sent after the window before is over belongs to window k or a later one, even if it is what opens window k.
 * Before window 0 there is nothing.
 */
function previousEndHi(windows: Windows, k: number): number {
  return windows.endHi[k - 1] ?? -Number.MAX_VALUE;
}
