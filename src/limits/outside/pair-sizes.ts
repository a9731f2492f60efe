import type { Bounds } from '../../vocabulary/bounds.ts';
import { fixedWindow } from '../kinds/fixed-window.ts';
import { keyOf, type Settled, scaleNsOf, windowNsOf } from '../kinds/kind.ts';
import { kindOf } from '../kinds/table.ts';
import { roundestMs } from '../round-number.ts';
import type { LimitPair } from './pair-search.ts';

export type Which = 'short' | 'long';

/** What tells whether a pair may be the truth. */
export interface SizeSearch {
  /** The answers that a pair gets wrong whatever is guessed of the arrivals. */
  readonly wrongWith: (pair: LimitPair) => number;
  /** A pair that gets no more wrong may be the truth as well. */
  readonly most: number;
}

/**
 * Windows are tried in steps of this ratio, up to this factor longer or shorter, until this number of them in turn gets more
 * answers wrong.
 */
const walk = { ratio: 1.01, furthest: 2, misses: 3 } as const;

/** The sizes of one limit with which, beside the other as it is, the pair may be the truth; its own is the first. */
export function sizesOf(pair: LimitPair, which: Which, search: SizeSearch): readonly Settled[] {
  const own = pair[which];
  const others = limitsNear(own).slice(1);
  const found = [own, ...others.filter((each) => wrongWith(pair, which, each, search) <= search.most)];
  // Windows by the clock are of round lengths already.
  if (own.kind === keyOf(fixedWindow)) return found;
  return [
    ...found,
    ...walked(pair, which, search, walk.ratio),
    ...walked(pair, which, search, 1 / walk.ratio),
  ];
}

/** Longer or shorter windows, each with the limits that go with it. */
function walked(pair: LimitPair, which: Which, search: SizeSearch, ratio: number): Settled[] {
  const found: Settled[] = [];
  let best = pair[which];
  for (let part = ratio, misses = 0; misses < walk.misses; part *= ratio) {
    if (Math.abs(Math.log(part)) > Math.log(walk.furthest)) break;
    const tried = limitsNear({ ...best, scaleNs: pair[which].scaleNs * part })
      .map((settled) => ({ settled, wrong: wrongWith(pair, which, settled, search) }))
      .toSorted((a, b) => a.wrong - b.wrong);
    best = tried[0]?.settled ?? best;
    const near = tried.filter(({ wrong }) => wrong <= search.most);
    misses = near.length > 0 ? 0 : misses + 1;
    for (const { settled } of near) found.push(settled);
  }
  return found;
}

/** The limit as it is, and those that guessed arrivals or a step of the window may turn it into. */
function limitsNear(settled: Settled): Settled[] {
  const step = Math.max(1, Math.round((walk.ratio - 1) * settled.limit));
  return [...new Set([0, 1, -1, step, -step])]
    .map((change) => ({ ...settled, limit: settled.limit + change }))
    .filter(({ limit }) => limit > 0);
}

function wrongWith(pair: LimitPair, which: Which, settled: Settled, search: SizeSearch): number {
  return search.wrongWith({ ...pair, [which]: settled });
}

/** The bounds that sizes leave. */
export function boundsOf(sizes: readonly Settled[]): {
  readonly limit: Bounds;
  readonly windowMs: Bounds;
} {
  return {
    limit: hull(sizes.map(({ limit }) => limit)),
    windowMs: hull(sizes.map(windowMsOf)),
  };
}

function hull(values: readonly number[]): Bounds {
  return { min: Math.min(...values), max: Math.max(...values) };
}

/** The pair with the roundest window that may be the truth. */
export function withRoundWindow(pair: LimitPair, which: Which, search: SizeSearch): LimitPair {
  const own = pair[which];
  if (own.kind === keyOf(fixedWindow)) return pair;
  const sizes = sizesOf(pair, which, search).filter(({ limit }) => limit === own.limit);
  const { min, max } = boundsOf(sizes).windowMs;
  const roundMs = roundestMs(min, max);
  if (roundMs === undefined) return pair;
  const settled = { ...own, scaleNs: scaleNsOf(kindOf(own), own.limit, roundMs * 1e6) };
  return wrongWith(pair, which, settled, search) <= search.most ? { ...pair, [which]: settled } : pair;
}

export function windowMsOf(settled: Settled): number {
  return windowNsOf(kindOf(settled), settled.limit, settled.scaleNs) / 1e6;
}
