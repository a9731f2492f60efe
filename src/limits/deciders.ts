import type { Counted } from './counts.ts';
import type { Mechanism } from './hypotheses.ts';
import type { LastsFrom } from './opened-windows.ts';

/**
 * A limiter at work: one decision per arrival, instants ascending. It continues from `passed`, the real decision, if
 * given; not if rejections change its state, which would excuse every later rejection.
 */
export type Decide = (atNs: number, passed?: boolean) => boolean;

/** A hypothesis with all parameters settled. */
export interface Settled {
  readonly mechanism: Mechanism;
  /** The limit per window; of a bucket, its burst. */
  readonly limit: number;
  /** The window's length; of a bucket, the time that a token takes to come. */
  readonly scaleNs: number;
  /** For windows on a grid and interval refills: one of the boundaries. */
  readonly boundaryNs: number;
  /** The length of a block started by a rejection; a window's length by default. */
  readonly blockNs?: number;
  /** Of a sliding counter: whether the request itself has to fit as well (load + 1 <= limit). */
  readonly isStrict?: boolean;
}

/** A fresh limiter for one key. */
export function deciderOf(settled: Settled): Decide {
  const { mechanism, limit, scaleNs, boundaryNs, blockNs = scaleNs } = settled;
  switch (mechanism.kind) {
    case 'grid':
      return gridWindows(limit, scaleNs, () => boundaryNs);
    case 'first-grid':
      return gridWindows(limit, scaleNs, (firstNs) => firstNs);
    case 'opened':
      return openedByRequests(limit, scaleNs, mechanism.lastsFrom, blockNs);
    case 'log':
      return slidingLog(limit, scaleNs * (1 - (mechanism.part ?? 0) / 2), mechanism.counted === 'all');
    case 'counter':
      return slidingCounter(settled, gridOf(scaleNs, boundaryNs), mechanism.counted, mechanism.blocks);
    case 'opened-counter':
      return slidingCounter(settled, openedOf(scaleNs), mechanism.counted, false);
    case 'bucket':
      return tokenBucket(limit, scaleNs, mechanism.grain);
    case 'lumps':
      return intervalBucket(limit, scaleNs, mechanism.everyNs, boundaryNs);
  }
}

function gridWindows(limit: number, windowNs: number, boundaryOf: (firstNs: number) => number): Decide {
  let boundaryNs: number | undefined;
  let window = Number.NaN;
  let count = 0;
  return (atNs, passed) => {
    boundaryNs ??= boundaryOf(atNs);
    const current = Math.floor((atNs - boundaryNs) / windowNs);
    if (current !== window) {
      window = current;
      count = 0;
    }
    const passes = count < limit;
    if (passed ?? passes) count++;
    return passes;
  };
}

function openedByRequests(limit: number, windowNs: number, lastsFrom: LastsFrom, blockNs: number): Decide {
  let endsNs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let hasRefused = false;
  return (atNs, passed) => {
    if (atNs >= endsNs) {
      endsNs = atNs + windowNs;
      count = 0;
      hasRefused = false;
    }
    const passes = count < limit;
    if (lastsFrom === 'opening' ? (passed ?? passes) : passes) count++;
    if (passes) return true;
    if (lastsFrom === 'last-refusal') endsNs = atNs + windowNs;
    if (lastsFrom === 'first-refusal' && !hasRefused) endsNs = atNs + blockNs;
    hasRefused = true;
    return false;
  };
}

function slidingLog(limit: number, windowNs: number, countRefused: boolean): Decide {
  const log: number[] = [];
  let oldest = 0;
  return (atNs, passed) => {
    while (oldest < log.length && (log[oldest] as number) <= atNs - windowNs) oldest++;
    const passes = log.length - oldest < limit;
    if ((passed ?? passes) || countRefused) log.push(atNs);
    return passes;
  };
}

/** Where a sliding counter's windows lie, as numbers of windows from any start; it is told what was counted. */
interface CounterGrid {
  /** In windows, with the elapsed part of the current one. */
  readonly at: (atNs: number) => number;
  readonly counted: (atNs: number) => void;
}

function gridOf(windowNs: number, boundaryNs: number): CounterGrid {
  return { at: (atNs) => (atNs - boundaryNs) / windowNs, counted: () => {} };
}

/**
 * HAProxy's grid: a counted request starts a window, and ends the earlier grid once a whole window was empty.
 */
function openedOf(windowNs: number): CounterGrid {
  let openNs = Number.NEGATIVE_INFINITY;
  let window = 0;
  return {
    at: (atNs) => window + Math.min(2, (atNs - openNs) / windowNs),
    counted: (atNs) => {
      const passed = (atNs - openNs) / windowNs;
      if (passed < 1) return;
      window += passed < 2 ? 1 : 2;
      openNs = passed < 2 ? openNs + windowNs : atNs;
    },
  };
}

function slidingCounter(
  { limit, isStrict = false }: Settled,
  grid: CounterGrid,
  counts: Counted,
  blocks: boolean,
): Decide {
  let window = Number.NaN;
  let current = 0;
  let previous = 0;
  let isBlocked = false;
  return (atNs, passed) => {
    const at = grid.at(atNs);
    const now = Math.floor(at);
    if (now !== window) {
      previous = now === window + 1 ? current : 0;
      current = 0;
      window = now;
      isBlocked = false;
    }
    const load = current + previous * (1 - (at - now));
    const passes = !isBlocked && (isStrict ? load + 1 <= limit : load < limit);
    if (counts === 'all' || (blocks ? passes : (passed ?? passes))) {
      grid.counted(atNs);
      current++;
    }
    isBlocked = blocks && !passes;
    return passes;
  };
}

/** `grain`: of what drains, half of it is lost to rounding with each admission, on average. */
function tokenBucket(limit: number, intervalNs: number, grain: number): Decide {
  let level = 0;
  let lastNs = Number.NEGATIVE_INFINITY;
  return (atNs, passed) => {
    level = Math.max(0, level - (atNs - lastNs) / intervalNs);
    lastNs = atNs;
    const passes = level <= limit - 1;
    if (passed ?? passes) level += 1 + grain / 2;
    return passes;
  };
}

function intervalBucket(limit: number, intervalNs: number, everyNs: number, boundaryNs: number): Decide {
  let level = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (atNs, passed) => {
    const refilled = Math.floor((atNs - boundaryNs) / everyNs);
    if (refilled > last) level = Math.max(0, level - ((refilled - last) * everyNs) / intervalNs);
    last = refilled;
    const passes = level <= limit - 1;
    if (passed ?? passes) level++;
    return passes;
  };
}
