import type { Settled } from './deciders.ts';
import type { LastsFrom } from './opened-windows.ts';
import { countBelow, countUpTo } from './sorted.ts';
import { ambiguous, limited, type Trace } from './trace.ts';

/** A limiter's count at an instant, from earlier arrivals. Nanoseconds. */
type LoadAt = (atNs: number) => number;

/** What reached a limiter, by instants, each ascending. */
interface SeenInstants {
  /** Admitted. */
  readonly counted: Float64Array;
  readonly refused: Float64Array;
  /** Both, and which of them were rejected (1). */
  readonly all: Float64Array;
  readonly allRefused: Uint8Array;
}

/**
 * What a limiter of a given kind would have counted when each request reached it, had it given the observed answers.
 * An honest one counts less than its limit at each admission, and at least its limit less one at each rejection. It
 * assumes arrivals halfway through the round trip, and counts unclear ones if `countUnclear`: for charts.
 * `loadBounds` has what is certain. By index of the trace. O(n log n).
 */
export function loadsOf(trace: Trace, settled: Settled, countUnclear = true): Float64Array {
  const arrivesNs = trace.sentNs.map((sentNs, i) =>
    trace.outcome[i] === ambiguous ? sentNs : (sentNs + (trace.answeredNs[i] as number)) / 2,
  );
  return arrivesNs.map(loadAtOf(settled, seenOf(trace, arrivesNs, countUnclear)));
}

function seenOf({ outcome }: Trace, arrivesNs: Float64Array, countUnclear: boolean): SeenInstants {
  const order = Int32Array.from(arrivesNs, (_, i) => i)
    .filter((i) => countUnclear || outcome[i] !== ambiguous)
    .sort((a, b) => (arrivesNs[a] as number) - (arrivesNs[b] as number));
  const instants = (some: Int32Array): Float64Array => Float64Array.from(some, (i) => arrivesNs[i] as number);
  return {
    counted: instants(order.filter((i) => outcome[i] !== limited)),
    refused: instants(order.filter((i) => outcome[i] === limited)),
    all: instants(order),
    allRefused: Uint8Array.from(order, (i) => (outcome[i] === limited ? 1 : 0)),
  };
}

function loadAtOf(settled: Settled, seen: SeenInstants): LoadAt {
  const { mechanism, limit, scaleNs, boundaryNs, blockNs = scaleNs } = settled;
  switch (mechanism.kind) {
    case 'grid':
      return inGrid(seen.counted, scaleNs, boundaryNs);
    case 'first-grid':
      return inGrid(seen.counted, scaleNs, seen.all[0] ?? 0);
    case 'opened':
      return inOpened(seen, scaleNs, mechanism.lastsFrom, blockNs);
    case 'log':
      return inLog(
        mechanism.counted === 'all' ? seen.all : seen.counted,
        scaleNs * (1 - (mechanism.part ?? 0) / 2),
      );
    case 'counter': {
      const weighed = inCounter(
        mechanism.counted === 'all' ? seen.all : seen.counted,
        gridOf(scaleNs, boundaryNs),
      );
      return mechanism.blocks
        ? blocking(weighed, seen.refused, { limit, windowNs: scaleNs, boundaryNs })
        : weighed;
    }
    case 'opened-counter': {
      const counted = mechanism.counted === 'all' ? seen.all : seen.counted;
      return inCounter(counted, openedGridOf(counted, scaleNs));
    }
    case 'bucket':
      return inBucket(seen.counted, (fromNs, toNs) => (toNs - fromNs) / scaleNs);
    case 'lumps': {
      const refilled = (ns: number): number => Math.floor((ns - boundaryNs) / mechanism.everyNs);
      return inBucket(
        seen.counted,
        (fromNs, toNs) => ((refilled(toNs) - refilled(fromNs)) * mechanism.everyNs) / scaleNs,
      );
    }
  }
}

/** How many lie in [fromNs, beforeNs). */
function within(ascending: Float64Array, fromNs: number, beforeNs: number): number {
  return Math.max(0, countBelow(ascending, beforeNs) - countBelow(ascending, fromNs));
}

function beginning(atNs: number, windowNs: number, boundaryNs: number): number {
  return boundaryNs + Math.floor((atNs - boundaryNs) / windowNs) * windowNs;
}

function inGrid(counted: Float64Array, windowNs: number, boundaryNs: number): LoadAt {
  return (atNs) => within(counted, beginning(atNs, windowNs, boundaryNs), atNs);
}

function inLog(counted: Float64Array, windowNs: number): LoadAt {
  return (atNs) => Math.max(0, countBelow(counted, atNs) - countUpTo(counted, atNs - windowNs));
}

/** Windows started by admitted requests; a rejected one cannot have started one. */
function inOpened(
  { all, allRefused, counted }: SeenInstants,
  windowNs: number,
  lastsFrom: LastsFrom,
  blockNs: number,
): LoadAt {
  const begins: number[] = [];
  const ends: number[] = [];
  let endsNs = Number.NEGATIVE_INFINITY;
  let hasRefused = false;
  for (const [k, ns] of all.entries()) {
    const isRefused = allRefused[k] === 1;
    if (ns < endsNs) {
      if (isRefused && lastsFrom === 'last-refusal') endsNs = ns + windowNs;
      if (isRefused && lastsFrom === 'first-refusal' && !hasRefused) endsNs = ns + blockNs;
      hasRefused ||= isRefused;
      ends[ends.length - 1] = endsNs;
    } else if (!isRefused) {
      endsNs = ns + windowNs;
      hasRefused = false;
      begins.push(ns);
      ends.push(endsNs);
    }
  }
  const opens = Float64Array.from(begins);
  return (atNs) => {
    const window = countUpTo(opens, atNs) - 1;
    return window < 0 || atNs >= (ends[window] as number)
      ? 0
      : within(counted, opens[window] as number, atNs);
  };
}

/** Where windows lie that are weighed by how much of them has passed. */
interface WeighedGrid {
  /** Windows since any start, with the part of the current one, from earlier arrivals. */
  readonly at: LoadAt;
  /** The window in which the k-th counted request arrived. */
  readonly windowOf: (k: number, ns: number) => number;
}

function gridOf(windowNs: number, boundaryNs: number): WeighedGrid {
  const at = (ns: number): number => (ns - boundaryNs) / windowNs;
  return { at, windowOf: (_k, ns) => Math.floor(at(ns)) };
}

/** Windows that follow each other from a counted request on, until a whole one was empty. */
function openedGridOf(counted: Float64Array, windowNs: number): WeighedGrid {
  const windows = new Float64Array(counted.length);
  const opens = new Float64Array(counted.length);
  let openNs = Number.NEGATIVE_INFINITY;
  let window = 0;
  for (const [k, ns] of counted.entries()) {
    const passed = (ns - openNs) / windowNs;
    if (passed >= 1) {
      window += passed < 2 ? 1 : 2;
      openNs = passed < 2 ? openNs + windowNs : ns;
    }
    windows[k] = window;
    opens[k] = openNs;
  }
  return {
    windowOf: (k) => windows[k] as number,
    at: (atNs) => {
      const last = countBelow(counted, atNs) - 1;
      if (last < 0) return 0;
      const passed = Math.max(0, (atNs - (opens[last] as number)) / windowNs);
      return (windows[last] as number) + Math.min(2, passed);
    },
  };
}

/** The count of the current window, plus the previous one's by the part that a trailing window still covers. */
function inCounter(counted: Float64Array, grid: WeighedGrid): LoadAt {
  const windows = counted.map((ns, k) => grid.windowOf(k, ns));
  return (atNs) => {
    const at = grid.at(atNs);
    const now = Math.floor(at);
    const upTo = countBelow(counted, atNs);
    const from = Math.min(upTo, countBelow(windows, now));
    const previous = countBelow(windows, now) - countBelow(windows, now - 1);
    return upTo - from + Math.min(previous, upTo) * (1 - (at - now));
  };
}

/** A counter that stays at its limit for the rest of a window after a rejection. */
function blocking(
  weighed: LoadAt,
  refused: Float64Array,
  {
    boundaryNs,
    limit,
    windowNs,
  }: { readonly limit: number; readonly windowNs: number; readonly boundaryNs: number },
): LoadAt {
  return (atNs) => {
    const isBlocked = within(refused, beginning(atNs, windowNs, boundaryNs), atNs) > 0;
    return Math.max(isBlocked ? limit : 0, weighed(atNs));
  };
}

/** `drained`: tokens that come in a stretch of time. */
function inBucket(counted: Float64Array, drained: (fromNs: number, toNs: number) => number): LoadAt {
  const levels = new Float64Array(counted.length);
  const levelAt = (k: number, atNs: number): number =>
    k < 0 ? 0 : Math.max(0, (levels[k] as number) - drained(counted[k] as number, atNs));
  for (const [k, ns] of counted.entries()) levels[k] = levelAt(k - 1, ns) + 1;
  return (atNs) => levelAt(countBelow(counted, atNs) - 1, atNs);
}
