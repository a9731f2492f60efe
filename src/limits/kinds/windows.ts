import { countBelow, countUpTo, integers } from '../arrays.ts';
import type { Counts, SubsetOfRequests } from '../counts.ts';
import { clockSlackNs, type Span } from '../span.ts';
import { limited, type Trace } from '../trace.ts';
import type { View } from '../view.ts';
import { anyTime, type Between, eitherState, type LoadBounds, type State, type StateAfter } from './kind.ts';

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
export function griddedWindows(trace: Trace, window: Span, boundary: Span): Windows {
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

/** When a window ends that began between two instants. */
export type EndOf = (openLo: number, openHi: number) => Span;

/** More windows than this come only from a window too short to matter. */
const mostWindows = 20_000;

/** The end of a window that nothing prolongs. */
export function naturalEnd(window: Span): EndOf {
  const leastNs = window.loNs - clockSlackNs(window.loNs);
  const mostNs = window.hiNs + clockSlackNs(window.hiNs);
  return (openLo, openHi) => ({ loNs: openLo + leastNs, hiNs: openHi + mostNs });
}

/**
 * Windows that each start with the first request after the previous one was over. If that request is uncertain, the
 * interval reaches from the first that may have started it to the first that surely came after. After a silence in which
 * every window ends, the next request certainly starts one, however uncertain those before are.
 */
export function openedWindows({ openers, admitted }: View, endOf: EndOf): Windows {
  const beginLo: number[] = [];
  const beginHi: number[] = [];
  const endLo: number[] = [];
  const endHi: number[] = [];
  let openLo = openers.sentNs[0] ?? Number.POSITIVE_INFINITY;
  let openHi = Math.max(openLo, firstSureArrival(admitted, Number.NEGATIVE_INFINITY));
  const silences = silencesIn(openers).filter(({ fromNs, toNs }) => endOf(fromNs, fromNs).hiNs < toNs);
  for (const { fromNs, toNs } of [...silences, unending]) {
    while (openLo <= fromNs && openLo < Number.POSITIVE_INFINITY && beginLo.length < mostWindows) {
      // Whatever started before the silence started before its beginning.
      openHi = Math.min(openHi, fromNs);
      const end = endOf(openLo, openHi);
      beginLo.push(openLo);
      beginHi.push(openHi);
      endLo.push(end.loNs);
      endHi.push(end.hiNs);
      openLo = firstPossibleArrival(openers, end.loNs);
      openHi = Math.max(openLo, firstSureArrival(admitted, end.hiNs));
    }
    if (toNs === Number.POSITIVE_INFINITY) break;
    openLo = toNs;
    openHi = Math.max(toNs, firstSureArrival(admitted, fromNs));
  }
  // What comes later was rejected and starts no window: it meets a count of zero.
  if (openLo === Number.POSITIVE_INFINITY) {
    beginLo.push(endLo.at(-1) ?? Number.NEGATIVE_INFINITY);
    beginHi.push(endHi.at(-1) ?? Number.NEGATIVE_INFINITY);
    endLo.push(Number.POSITIVE_INFINITY);
    endHi.push(Number.POSITIVE_INFINITY);
  }
  return { length: beginLo.length, beginLo, beginHi, endLo, endHi };
}

/** Between the last answer to some requests and the sending of the next. */
interface Silence {
  readonly fromNs: number;
  readonly toNs: number;
}

const unending: Silence = { fromNs: Number.POSITIVE_INFINITY, toNs: Number.POSITIVE_INFINITY };
/** No window is shorter. */
const shortestSilenceNs = 0.1e9;
const silencesOf = new WeakMap<SubsetOfRequests, readonly Silence[]>();

/** Looked for once: boxes of windows are tried by the thousand. */
function silencesIn(openers: SubsetOfRequests): readonly Silence[] {
  const known = silencesOf.get(openers);
  if (known !== undefined) return known;
  const found: Silence[] = [];
  for (let at = 1; at < openers.length; at++) {
    const fromNs = openers.latestAnswerNs[at - 1] as number;
    const toNs = openers.sentNs[at] as number;
    if (toNs - fromNs > shortestSilenceNs) found.push({ fromNs, toNs });
  }
  silencesOf.set(openers, found);
  return found;
}

/** The earliest instant >= `afterNs` at which any of these may have arrived; infinite if none may. */
export function firstPossibleArrival(requests: SubsetOfRequests, afterNs: number): number {
  // A request sent before `afterNs` may still have arrived at it; the running maximum tells without a search.
  const sentBefore = countUpTo(requests.sentNs, afterNs);
  if (sentBefore > 0 && (requests.latestAnswerNs[sentBefore - 1] as number) >= afterNs) return afterNs;
  return requests.sentNs[sentBefore] ?? Number.POSITIVE_INFINITY;
}

/** The earliest instant by which some request sent after `fromNs` had surely arrived; infinite if none had. */
export function firstSureArrival(requests: SubsetOfRequests, fromNs: number): number {
  return requests.earliestAnswerNs[countUpTo(requests.sentNs, fromNs)] ?? Number.POSITIVE_INFINITY;
}

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
