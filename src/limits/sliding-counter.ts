import type { Counted, Counts } from './counts.ts';
import type { LimitRange } from './limit-range.ts';
import { countBelow } from './sorted.ts';
import type { Span } from './span.ts';
import { admitted, ambiguous } from './trace.ts';
import type { View } from './view.ts';
import type { Windows } from './windows.ts';

/** Floating-point noise of the target's own weighting, in requests. */
const weighingNoise = 1e-6;

/**
 * What a sliding counter counts, and whether it rejects for the rest of the window after a rejection (a block cache).
 */
export interface CounterKind {
  readonly counted: Counted;
  readonly blocks: boolean;
}

/** A sliding counter with windows of this length, and where they may lie. */
export interface SlidingCounter {
  readonly kind: CounterKind;
  readonly windows: Windows;
  readonly window: Span;
}

/**
 * Sliding counter: the load is the current window's count plus the previous window's, weighed by how much of it a
 * trailing window still covers. Deployed ones differ in the last step: reject at load >= L or load + 1 > L, round the
 * weighed part down or not. So a 2xx only shows load < L and a 429 only load > L − 1. Narrows `range` to the limits
 * that explain the requests at `indexes` (ascending) for these windows; stops once it is empty.
 */
export function narrowBySlidingCounter(
  view: View,
  { kind, windows, window }: SlidingCounter,
  range: LimitRange,
  indexes: Int32Array,
): void {
  const { sentNs, answeredNs, outcome } = view.trace;
  const { maybeBeforeNs, surelyBeforeNs } = view.refusals;
  const counts = kind.counted === 'all' ? view.allCounts : view.admittedCounts;
  const { surelyBefore, maybeBefore } = counts;
  const { surelySent, maybeAnswered, previousLeast, previousMost } = countsPerWindow(counts, windows);
  const { beginLo, beginHi, endHi, length } = windows;
  const { loNs, hiNs } = window;
  let earliest = 0;
  for (let at = 0; at < indexes.length; at++) {
    const i = indexes[at] as number;
    const sent = sentNs[i] as number;
    const answered = answeredNs[i] as number;
    while (earliest + 1 < length && (endHi[earliest] as number) <= sent) earliest++;
    if (outcome[i] === ambiguous || mayLieInMany(windows, earliest, answered)) continue;
    if (outcome[i] === admitted) {
      let least = Number.POSITIVE_INFINITY;
      for (let k = earliest; k < length && (beginLo[k] as number) <= answered; k++) {
        if (kind.blocks && (surelyBeforeNs[i] as number) >= (beginHi[k] as number)) continue;
        const current = Math.max(0, (surelyBefore[i] as number) - (surelySent[k] as number));
        const weight = Math.max(0, 1 - (answered - (beginLo[k] as number)) / loNs);
        least = Math.min(least, current + weight * (previousLeast[k] as number));
      }
      if (least === Number.POSITIVE_INFINITY) {
        // Admitted in a window that had surely rejected already: no limit explains that.
        range.atLeast(Number.MAX_SAFE_INTEGER, i);
        range.atMost(0, i);
        return;
      }
      range.atLeast(Math.floor(least - weighingNoise) + 1, i);
    } else {
      let most = 0;
      for (let k = earliest; k < length && (beginLo[k] as number) <= answered; k++) {
        if (kind.blocks && (maybeBeforeNs[i] as number) >= (beginLo[k] as number)) {
          most = Number.POSITIVE_INFINITY;
          break;
        }
        const current = Math.max(0, (maybeBefore[i] as number) - (maybeAnswered[k] as number));
        const weight = Math.min(1, Math.max(0, 1 - (sent - (beginHi[k] as number)) / hiNs));
        most = Math.max(most, current + weight * (previousMost[k] as number));
      }
      range.atMost(Math.ceil(most + weighingNoise), i);
    }
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
  readonly surelySent: readonly number[];
  readonly maybeAnswered: readonly number[];
  readonly previousLeast: readonly number[];
  readonly previousMost: readonly number[];
}

function countsPerWindow(
  counts: Counts,
  { length, beginLo, beginHi, endLo, endHi }: Windows,
): CountsPerWindow {
  const { sureSentNs, sureAnsweredNs, maySentNs, mayAnsweredNs } = counts;
  const surelySent: number[] = [];
  const maybeAnswered: number[] = [];
  const previousLeast: number[] = [];
  const previousMost: number[] = [];
  for (let k = 0; k < length; k++) {
    // What is sent after the window before is over belongs to window k or a later one, even if it is what opens window k.
    const overNs = endHi[k - 1] ?? Number.NEGATIVE_INFINITY;
    surelySent.push(countBelow(sureSentNs, Math.min(beginHi[k] as number, overNs)));
    maybeAnswered.push(countBelow(mayAnsweredNs, beginLo[k] as number));
    const endedLeast = k === 0 ? 0 : countBelow(sureAnsweredNs, endLo[k - 1] as number);
    const endedMost = k === 0 ? 0 : countBelow(maySentNs, endHi[k - 1] as number);
    previousLeast.push(Math.max(0, endedLeast - (surelySent[k - 1] ?? 0)));
    previousMost.push(Math.max(0, endedMost - (maybeAnswered[k - 1] ?? 0)));
  }
  return { surelySent, maybeAnswered, previousLeast, previousMost };
}
