import type { Counted, Counts } from './counts.ts';
import { countsOf } from './counts.ts';
import type { LimitRange } from './limit-range.ts';
import { countBelow } from './sorted.ts';
import { admitted, ambiguous, type Trace } from './trace.ts';
import type { Windows } from './windows.ts';

/** Floating-point noise of the target's own weighting, in requests. */
const weighingNoise = 1e-6;

/**
 * Sliding counter: the load is the current window's count plus the previous window's, weighed by how much of it a
 * trailing window would still cover. Deployed ones differ in the last step (refuse when load >= L, or when load + 1 > L;
 * round the weighed part down or not), so a 2xx only shows load < L and a 429 only load > L − 1: a limit one off in one
 * dialect is another dialect's exact limit.
 */
export class SlidingCounterModel {
  readonly #trace: Trace;
  readonly #counts: Counts;

  constructor(trace: Trace, counted: Counted) {
    this.#trace = trace;
    this.#counts = countsOf(trace, counted);
  }

  /** Narrows `range` to the limits that explain the whole trace if the windows were these; stops once it is empty. O(n). */
  narrow(windows: Windows, windowNs: number, range: LimitRange): void {
    const { sentNs, answeredNs, outcome } = this.#trace;
    const gone = this.#countsPerWindow(windows);
    let earliest = 0;
    for (let i = 0; i < this.#trace.length; i++) {
      const sent = sentNs[i] as number;
      const answered = answeredNs[i] as number;
      while (earliest + 1 < windows.length && (windows.endHi[earliest] as number) <= sent) earliest++;
      if (outcome[i] === ambiguous) continue;
      let least = Number.POSITIVE_INFINITY;
      let most = 0;
      for (let k = earliest; k < windows.length && (windows.beginLo[k] as number) <= answered; k++) {
        const beginLo = windows.beginLo[k] as number;
        const beginHi = windows.beginHi[k] as number;
        const currentLeast = Math.max(
          0,
          (this.#counts.surelyBefore[i] as number) - (gone.surelySent[k] as number),
        );
        const currentMost = Math.max(
          0,
          (this.#counts.maybeBefore[i] as number) - (gone.maybeAnswered[k] as number),
        );
        const weightLeast = Math.max(0, 1 - (answered - beginLo) / windowNs);
        const weightMost = Math.min(1, Math.max(0, 1 - (sent - beginHi) / windowNs));
        least = Math.min(least, currentLeast + weightLeast * (gone.previousLeast[k] as number));
        most = Math.max(most, currentMost + weightMost * (gone.previousMost[k] as number));
      }
      if (outcome[i] === admitted) range.atLeast(Math.floor(least - weighingNoise) + 1, i);
      else range.atMost(Math.ceil(most + weighingNoise), i);
      if (range.isEmpty) return;
    }
  }

  #countsPerWindow(windows: Windows): {
    readonly surelySent: Int32Array;
    readonly maybeAnswered: Int32Array;
    readonly previousLeast: Int32Array;
    readonly previousMost: Int32Array;
  } {
    const { sureSentNs, sureAnsweredNs, maySentNs, mayAnsweredNs } = this.#counts;
    const surelySent = Int32Array.from(windows.beginHi, (ns) => countBelow(sureSentNs, ns));
    const maybeAnswered = Int32Array.from(windows.beginLo, (ns) => countBelow(mayAnsweredNs, ns));
    const previousLeast = new Int32Array(windows.length);
    const previousMost = new Int32Array(windows.length);
    for (let k = 1; k < windows.length; k++) {
      const endedLeast = countBelow(sureAnsweredNs, windows.endLo[k - 1] as number);
      const endedMost = countBelow(maySentNs, windows.endHi[k - 1] as number);
      previousLeast[k] = Math.max(0, endedLeast - (surelySent[k - 1] as number));
      previousMost[k] = endedMost - (maybeAnswered[k - 1] as number);
    }
    return { surelySent, maybeAnswered, previousLeast, previousMost };
  }
}
