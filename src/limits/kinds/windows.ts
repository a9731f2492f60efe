import { countBelow, integers } from '../arrays.ts';
import type { Counts } from '../counts.ts';
import { mostInTrailingWindow } from '../counts.ts';
import { clockSlackNs, type Span } from '../span.ts';
import { limited, type Trace } from '../trace.ts';
import type { View } from '../view.ts';
import type { LoadAt } from './by-load.ts';
import {
  anyTime,
  type Between,
  type Box,
  eitherState,
  type MayRefuse,
  type State,
  type StateAfter,
} from './kind.ts';

/**
 * Consecutive windows of a limiter that resets its count: window k begins at an instant within [beginLo[k], beginHi[k]]
 * and ends within [endLo[k], endHi[k]]. Nanoseconds on the trace's clock. Plain arrays: a search makes windows by the
 * hundred thousand, and a typed array costs more to make than a few windows to fill in. `begin…` may hold an instant more.
 */
export interface Windows {
  readonly length: number;
  readonly beginLo: readonly number[];
  readonly beginHi: readonly number[];
  readonly endLo: readonly number[];
  readonly endHi: readonly number[];
}

/**
 * Windows on a fixed grid: one of its boundaries lies within `boundary`, the others a window's length apart from it.
 * The first window begins before the trace's first request, the last ends after its last.
 */
function griddedWindows(trace: Trace, window: Span, boundary: Span): Windows {
  const first = trace.sentNs[0] ?? 0;
  const last = trace.sentNs[trace.length - 1] ?? 0;
  const before = Math.ceil((boundary.hiNs - first) / window.loNs) + 1;
  const length = Math.max(1, before + Math.ceil((last - boundary.loNs) / window.loNs) + 1);
  const lo: number[] = [];
  const hi: number[] = [];
  // The boundary is free, so the clocks' rates can only pull the grid apart by half of the trace's length either way.
  const slackNs = clockSlackNs((length * window.hiNs) / 2);
  for (let steps = -before; steps <= length - before; steps++) {
    const isEarlier = steps < 0;
    lo.push(boundary.loNs + steps * (isEarlier ? window.hiNs : window.loNs) - slackNs);
    hi.push(boundary.hiNs + steps * (isEarlier ? window.loNs : window.hiNs) + slackNs);
  }
  // Each window ends where the next one begins.
  return { length, beginLo: lo, beginHi: hi, endLo: lo.slice(1), endHi: hi.slice(1) };
}

/** Windows on a grid of the box's phase; without one, on the grid of the first request. */
export function windowsOnGrid(view: View, { scale, boundary }: Box): Windows {
  return griddedWindows(view.trace, scale, boundary ?? firstArrival(view));
}

/** When the first request that can have opened anything reached the limiter. */
export function firstArrival({ openers, admitted: passed }: View): Span {
  const loNs = openers.sentNs[0] ?? 0;
  return { loNs, hiNs: Math.max(loNs, passed.answeredNs[0] ?? loNs) };
}

/** Counts of each window: surely sent and maybe answered before it, and at least and at most in the window before. */
const perWindow = 4;

/** Room for the counts of one box after the other, since a search goes over a hundred thousand of them. */
let shared = new Int32Array(0);

/** What is counted before and in each of some windows; counted when it is asked for, since most boxes are refuted early. */
class CountsPerWindow {
  readonly #counts: Counts;
  readonly #windows: Windows;
  /** −1 for what was not asked for yet. */
  readonly #known: Int32Array;

  /** `isBrief`: it is not asked once another one is made. */
  constructor(counts: Counts, windows: Windows, isBrief = false) {
    const size = perWindow * windows.length;
    this.#counts = counts;
    this.#windows = windows;
    if (isBrief && shared.length < size) shared = new Int32Array(2 * size);
    this.#known = (isBrief ? shared : new Int32Array(size)).fill(-1, 0, size);
  }

  /** Surely sent before window k: what is sent after the window before is over belongs to k or later, even if it opens k. */
  surelySent(k: number): number {
    const at = perWindow * k;
    if ((this.#known[at] as number) < 0) {
      const { beginHi, endHi } = this.#windows;
      this.#known[at] = countBelow(
        this.#counts.sureSentNs,
        Math.min(beginHi[k] as number, endHi[k - 1] ?? Number.NEGATIVE_INFINITY),
      );
    }
    return this.#known[at] as number;
  }

  maybeAnswered(k: number): number {
    const at = perWindow * k + 1;
    if ((this.#known[at] as number) < 0)
      this.#known[at] = countBelow(this.#counts.mayAnsweredNs, this.#windows.beginLo[k] as number);
    return this.#known[at] as number;
  }

  /** In the window before window k. */
  previousLeast(k: number): number {
    if (k === 0) return 0;
    const at = perWindow * k + 2;
    if ((this.#known[at] as number) < 0) {
      const answered = countBelow(this.#counts.sureAnsweredNs, this.#windows.endLo[k - 1] as number);
      this.#known[at] = Math.max(0, answered - this.surelySent(k - 1));
    }
    return this.#known[at] as number;
  }

  previousMost(k: number): number {
    if (k === 0) return 0;
    const at = perWindow * k + 3;
    if ((this.#known[at] as number) < 0) {
      const sent = countBelow(this.#counts.maySentNs, this.#windows.endHi[k - 1] as number);
      this.#known[at] = Math.max(0, sent - this.maybeAnswered(k - 1));
    }
    return this.#known[at] as number;
  }
}

/** A request of a trace, taken to lie in one of the windows in which it may lie. */
export interface PlacedRequest {
  /** Its index in the trace. */
  readonly i: number;
  readonly isRefused: boolean;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly begin: Span;
  readonly end: Span;
  /** Counted in this window before it. */
  readonly current: Between;
  /** Counted in the window before. */
  readonly previous: Between;
}

/** The windows in which a request may lie; any may be the true one. */
function placesIn({ trace }: View, counts: Counts, windows: Windows): (i: number) => PlacedRequest[] {
  const { length, beginLo, beginHi, endLo, endHi } = windows;
  const inside = new CountsPerWindow(counts, windows);
  let earliest = 0;
  const firstWindow = integers(trace.length, (i) => {
    while (earliest + 1 < length && (endHi[earliest] as number) <= (trace.sentNs[i] as number)) earliest++;
    return earliest;
  });
  return (i) => {
    const [sentNs, answeredNs] = [trace.sentNs[i] as number, trace.answeredNs[i] as number];
    const isRefused = trace.outcome[i] === limited;
    const places: PlacedRequest[] = [];
    for (let k = firstWindow[i] as number; k < length && (beginLo[k] as number) <= answeredNs; k++) {
      places.push({
        i,
        isRefused,
        sentNs,
        answeredNs,
        begin: { loNs: beginLo[k] as number, hiNs: beginHi[k] as number },
        end: { loNs: endLo[k] as number, hiNs: endHi[k] as number },
        current: {
          least: Math.max(0, (counts.surelyBefore[i] as number) - inside.surelySent(k)),
          most: Math.max(0, (counts.maybeBefore[i] as number) - inside.maybeAnswered(k)),
        },
        previous: { least: inside.previousLeast(k), most: inside.previousMost(k) },
      });
    }
    return places;
  };
}

/** A request that may lie in more windows than this tells next to nothing, and would cost as many steps. */
const mostPossible = 4;
/** Floating-point noise of a target's own weighting, in requests. There is none where the window before is empty. */
export const weighingNoise = 1e-6;

/** How much of the window before counts, in a sliding counter. */
interface Weighing {
  readonly window: Span;
  /** After a rejection it rejects for the rest of the window (a block cache). */
  readonly blocks: boolean;
}

/** Bounds on the count of a limiter that counts in windows; with `weighing`, with the rest of the window before. */
export function loadInWindows(
  { refusals, trace }: View,
  counts: Counts,
  windows: Windows,
  weighing?: Weighing,
): LoadAt {
  const { answeredNs, sentNs } = trace;
  const { maybeBeforeNs, surelyBeforeNs } = refusals;
  const { beginHi, beginLo, endHi, length } = windows;
  const inside = new CountsPerWindow(counts, windows, true);
  const { blocks = false, window } = weighing ?? {};
  let earliest = 0;
  /** The first window after `earliest` in which the request cannot lie. */
  const pastOf = (i: number): number => {
    while (earliest + 1 < length && (endHi[earliest] as number) <= (sentNs[i] as number)) earliest++;
    let past = earliest;
    while (
      past < length &&
      (beginLo[past] as number) <= (answeredNs[i] as number) &&
      past - earliest <= mostPossible
    )
      past++;
    return past;
  };
  return {
    least: (i) => {
      const past = pastOf(i);
      if (past - earliest > mostPossible) return 0;
      let least = Number.POSITIVE_INFINITY;
      for (let k = earliest; k < past; k++) {
        if (blocks && (surelyBeforeNs[i] as number) >= (beginHi[k] as number)) continue;
        const current = Math.max(0, (counts.surelyBefore[i] as number) - inside.surelySent(k));
        const passedNs = (answeredNs[i] as number) - (beginLo[k] as number);
        const fading = window === undefined ? 0 : weight(passedNs, window.loNs) * inside.previousLeast(k);
        least = Math.min(least, current + Math.max(0, fading - weighingNoise));
      }
      return least;
    },
    most: (i) => {
      const past = pastOf(i);
      if (past - earliest > mostPossible) return Number.POSITIVE_INFINITY;
      let most = 0;
      for (let k = earliest; k < past; k++) {
        if (blocks && (maybeBeforeNs[i] as number) >= (beginLo[k] as number)) return Number.POSITIVE_INFINITY;
        const current = Math.max(0, (counts.maybeBefore[i] as number) - inside.maybeAnswered(k));
        const passedNs = (sentNs[i] as number) - (beginHi[k] as number);
        const fading = window === undefined ? 0 : weight(passedNs, window.hiNs) * inside.previousMost(k);
        most = Math.max(most, fading > 0 ? current + fading + weighingNoise : current);
      }
      return most;
    },
  };
}

/** The part of the window before that still counts. */
export function weight(passedNs: number, windowNs: number): number {
  return Math.min(1, Math.max(0, 1 - passedNs / windowNs));
}

const anyState: State = {
  left: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
  free: anyTime,
  reset: anyTime,
};

/** States of a limiter that counts in windows; `stateIn`: undefined where the answer shows that it was not this window. */
export function statesInWindows(
  view: View,
  counts: Counts,
  windows: Windows,
  stateIn: (place: PlacedRequest) => State | undefined,
): StateAfter {
  const placesOf = placesIn(view, counts, windows);
  return (i) => {
    const states = placesOf(i).flatMap((place) => stateIn(place) ?? []);
    return states.length === 0 ? anyState : states.reduce(eitherState);
  };
}

/** Phases tried for a rejection: a part of the window is a second for a minute. */
const phaseParts = 60;

/** If rejected requests count, and by the phase with the highest load. */
export const mayRefuseWeighed: MayRefuse =
  ({ trace, allCounts }, { requests, windowNs }) =>
  (i) => {
    const sentNs = trace.sentNs[i] as number;
    const before = allCounts.maybeBefore[i] as number;
    const slackNs = clockSlackNs(windowNs);
    for (let part = 0; part < phaseParts; part++) {
      const beginHi = sentNs - (part / phaseParts) * windowNs + slackNs;
      const beginLo = sentNs - ((part + 1) / phaseParts) * windowNs - slackNs;
      const earlier = countBelow(allCounts.mayAnsweredNs, beginLo);
      const previous = earlier - countBelow(allCounts.mayAnsweredNs, beginLo - windowNs - slackNs);
      // Each request is in one of the two windows: in this one, if it may be, where it has its whole weight.
      const load = before - earlier + weight(sentNs - beginHi, windowNs) * previous;
      if (load > requests - 1) return true;
    }
    return false;
  };

/** If rejected requests count. A fixed window of any phase lies within the trailing window, so this covers it as well. */
export const mayRefuseInTrailing: MayRefuse =
  ({ trace, allCounts }, { requests, windowNs }) =>
  (i) =>
    mostInTrailingWindow(trace, allCounts, windowNs, i) >= requests;
