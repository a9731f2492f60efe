import type { Counts } from '../counts.ts';
import { countBelow } from '../sorted.ts';
import type { Span } from '../span.ts';
import { anyTime, type Between, eitherState, type State, type StateAfter } from '../state.ts';
import { limited } from '../trace.ts';
import { integers } from '../typed.ts';
import type { View } from '../view.ts';
import type { Windows } from '../windows.ts';
import type { LoadBounds } from './kind.ts';

/** Counts of each window: surely sent and maybe answered before it, and at least and at most in the window before. */
const perWindow = 4;

/** Room for the counts of one box after the other, since a search goes over a hundred thousand of them. */
let shared = new Int32Array(0);

/** What is counted before and in each of some windows; counted when it is asked for, since most boxes are refuted early. */
export class CountsPerWindow {
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

/** Bounds on the counts of a limiter that counts in windows. */
export function loadsInWindows(
  view: View,
  counts: Counts,
  windows: Windows,
  loadIn: (place: PlacedRequest) => Between,
): LoadBounds {
  const placesOf = placesIn(view, counts, windows);
  const least = new Float64Array(view.trace.length).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(view.trace.length);
  for (let i = 0; i < view.trace.length; i++)
    for (const place of placesOf(i)) {
      const load = loadIn(place);
      least[i] = Math.min(least[i] as number, load.least);
      most[i] = Math.max(most[i] as number, load.most);
    }
  return { least, most };
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
