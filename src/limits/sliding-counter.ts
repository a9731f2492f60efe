import type { Counted, Counts } from './counts.ts';
import type { LimitRange } from './limit-range.ts';
import { countBelow } from './sorted.ts';
import type { Span } from './span.ts';
import { admitted, ambiguous } from './trace.ts';
import type { View } from './view.ts';
import type { Windows } from './windows.ts';

/** Floating-point noise of the target's own weighting, in requests. */
const weighingNoise = 1e-6;

/** What a sliding counter counts, and whether a refusal makes it refuse for the rest of the window (a block cache). */
export interface CounterKind {
  readonly counted: Counted;
  readonly blocks: boolean;
}

/**
 * Sliding counter: the load is the current window's count plus the previous window's, weighed by how much of it a
 * trailing window would still cover. Deployed ones differ in the last step (refuse when load >= L, or when load + 1 > L;
 * round the weighed part down or not), so a 2xx only shows load < L and a 429 only load > L − 1: a limit one off in one
 * dialect is another dialect's exact limit.
 *
 * Narrows `range` to the limits that explain the requests at `indexes` (ascending) if the windows were these; stops
 * once it is empty.
 */
export function narrowBySlidingCounter(
  view: View,
  kind: CounterKind,
  windows: Windows,
  window: Span,
  range: LimitRange,
  indexes: Int32Array,
): void {
  const { trace, refusals } = view;
  const { sentNs, answeredNs, outcome } = trace;
  const counts = kind.counted === 'all' ? view.allCounts : view.admittedCounts;
  const gone = countsPerWindow(counts, windows);
  let earliest = 0;
  for (let at = 0; at < indexes.length; at++) {
    const i = indexes[at] as number;
    const sent = sentNs[i] as number;
    const answered = answeredNs[i] as number;
    while (earliest + 1 < windows.length && (windows.endHi[earliest] as number) <= sent) earliest++;
    if (outcome[i] === ambiguous || mayLieInMany(windows, earliest, answered)) continue;
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let k = earliest; k < windows.length && (windows.beginLo[k] as number) <= answered; k++) {
      const beginLo = windows.beginLo[k] as number;
      const beginHi = windows.beginHi[k] as number;
      if (kind.blocks && outcome[i] !== admitted && (refusals.maybeBeforeNs[i] as number) >= beginLo) {
        most = Number.POSITIVE_INFINITY;
        break;
      }
      if (kind.blocks && outcome[i] === admitted && (refusals.surelyBeforeNs[i] as number) >= beginHi)
        continue;
      const currentLeast = Math.max(0, (counts.surelyBefore[i] as number) - (gone.surelySent[k] as number));
      const currentMost = Math.max(0, (counts.maybeBefore[i] as number) - (gone.maybeAnswered[k] as number));
      const weightLeast = Math.max(0, 1 - (answered - beginLo) / window.loNs);
      const weightMost = Math.min(1, Math.max(0, 1 - (sent - beginHi) / window.hiNs));
      least = Math.min(least, currentLeast + weightLeast * (gone.previousLeast[k] as number));
      most = Math.max(most, currentMost + weightMost * (gone.previousMost[k] as number));
    }
    if (outcome[i] === admitted && least === Number.POSITIVE_INFINITY) {
      // Admitted in a window that had surely refused already: no limit explains that.
      range.atLeast(Number.MAX_SAFE_INTEGER, i);
      range.atMost(0, i);
      return;
    }
    if (outcome[i] === admitted) range.atLeast(Math.floor(least - weighingNoise) + 1, i);
    else range.atMost(Math.ceil(most + weighingNoise), i);
    if (range.isEmpty) return;
  }
}

/** A request that may lie in more windows than this tells next to nothing, and would cost as many steps. */
const mostWindowsPossible = 4;

function mayLieInMany({ beginLo, length }: Windows, earliest: number, answeredNs: number): boolean {
  const k = earliest + mostWindowsPossible;
  return k < length && (beginLo[k] as number) <= answeredNs;
}

interface CountsPerWindow {
  readonly surelySent: Int32Array;
  readonly maybeAnswered: Int32Array;
  readonly previousLeast: Int32Array;
  readonly previousMost: Int32Array;
}

function countsPerWindow(
  counts: Counts,
  { length, beginLo, beginHi, endLo, endHi }: Windows,
): CountsPerWindow {
  const { sureSentNs, sureAnsweredNs, maySentNs, mayAnsweredNs } = counts;
  const surelySent = new Int32Array(length);
  const maybeAnswered = new Int32Array(length);
  const previousLeast = new Int32Array(length);
  const previousMost = new Int32Array(length);
  for (let k = 0; k < length; k++) {
    // What is sent after the window before is over belongs to window k or a later one, even if it is what opens window k.
    const overNs = endHi[k - 1] ?? Number.NEGATIVE_INFINITY;
    surelySent[k] = countBelow(sureSentNs, Math.min(beginHi[k] as number, overNs));
    maybeAnswered[k] = countBelow(mayAnsweredNs, beginLo[k] as number);
    if (k === 0) continue;
    const endedLeast = countBelow(sureAnsweredNs, endLo[k - 1] as number);
    const endedMost = countBelow(maySentNs, endHi[k - 1] as number);
    previousLeast[k] = Math.max(0, endedLeast - (surelySent[k - 1] as number));
    previousMost[k] = Math.max(0, endedMost - (maybeAnswered[k - 1] as number));
  }
  return { surelySent, maybeAnswered, previousLeast, previousMost };
}
