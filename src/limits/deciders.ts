import type { Mechanism } from './hypotheses.ts';

/** A limiter at work: one decision per arrival, instants ascending. */
export type Decide = (atNs: number) => boolean;

/** A hypothesis with all parameters settled. */
export interface Settled {
  readonly mechanism: Mechanism;
  /** The limit per window; of a bucket, its burst. */
  readonly limit: number;
  /** The window's length; of a bucket, the time that a token takes to come. */
  readonly scaleNs: number;
  /** Of windows on a grid and of lumps: one of the boundaries. */
  readonly boundaryNs: number;
}

/** A fresh limiter for one key. */
export function deciderOf({ mechanism, limit, scaleNs, boundaryNs }: Settled): Decide {
  switch (mechanism.kind) {
    case 'grid':
      return gridWindows(limit, scaleNs, () => boundaryNs);
    case 'first-grid':
      return gridWindows(limit, scaleNs, (firstNs) => firstNs);
    case 'opened':
      return openedByRequests(limit, scaleNs, mechanism.lastsFrom);
    case 'log':
      return slidingLog(limit, scaleNs, mechanism.counted === 'all');
    case 'counter':
      return slidingCounter(limit, scaleNs, boundaryNs, mechanism.counted === 'all', mechanism.blocks);
    case 'bucket':
      return tokenBucket(limit, scaleNs);
    case 'lumps':
      return lumpBucket(limit, scaleNs, mechanism.everyNs, boundaryNs);
  }
}

function gridWindows(limit: number, windowNs: number, boundaryOf: (firstNs: number) => number): Decide {
  let boundaryNs: number | undefined;
  let window = Number.NaN;
  let count = 0;
  return (atNs) => {
    boundaryNs ??= boundaryOf(atNs);
    const current = Math.floor((atNs - boundaryNs) / windowNs);
    if (current !== window) {
      window = current;
      count = 0;
    }
    if (count >= limit) return false;
    count++;
    return true;
  };
}

function openedByRequests(
  limit: number,
  windowNs: number,
  lastsFrom: 'opening' | 'first-refusal' | 'last-refusal',
): Decide {
  let endsNs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let hasRefused = false;
  return (atNs) => {
    if (atNs >= endsNs) {
      endsNs = atNs + windowNs;
      count = 0;
      hasRefused = false;
    }
    if (count < limit) {
      count++;
      return true;
    }
    if (lastsFrom === 'last-refusal' || (lastsFrom === 'first-refusal' && !hasRefused)) {
      endsNs = atNs + windowNs;
    }
    hasRefused = true;
    return false;
  };
}

function slidingLog(limit: number, windowNs: number, countRefused: boolean): Decide {
  const log: number[] = [];
  let oldest = 0;
  return (atNs) => {
    while (oldest < log.length && (log[oldest] as number) <= atNs - windowNs) oldest++;
    const passes = log.length - oldest < limit;
    if (passes || countRefused) log.push(atNs);
    return passes;
  };
}

function slidingCounter(
  limit: number,
  windowNs: number,
  boundaryNs: number,
  countRefused: boolean,
  blocks: boolean,
): Decide {
  let window = Number.NaN;
  let current = 0;
  let previous = 0;
  let isBlocked = false;
  return (atNs) => {
    const at = (atNs - boundaryNs) / windowNs;
    const now = Math.floor(at);
    if (now !== window) {
      previous = now === window + 1 ? current : 0;
      current = 0;
      window = now;
      isBlocked = false;
    }
    const passes = !isBlocked && current + previous * (1 - (at - now)) < limit;
    if (passes || countRefused) current++;
    isBlocked = blocks && !passes;
    return passes;
  };
}

function tokenBucket(limit: number, intervalNs: number): Decide {
  let level = 0;
  let lastNs = Number.NEGATIVE_INFINITY;
  return (atNs) => {
    level = Math.max(0, level - (atNs - lastNs) / intervalNs);
    lastNs = atNs;
    if (level > limit - 1) return false;
    level++;
    return true;
  };
}

function lumpBucket(limit: number, intervalNs: number, everyNs: number, boundaryNs: number): Decide {
  let level = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (atNs) => {
    const lump = Math.floor((atNs - boundaryNs) / everyNs);
    if (lump > last) level = Math.max(0, level - ((lump - last) * everyNs) / intervalNs);
    last = lump;
    if (level > limit - 1) return false;
    level++;
    return true;
  };
}
