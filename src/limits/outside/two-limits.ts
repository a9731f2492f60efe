import { number, seconds } from '../../amounts.ts';
import { type Arrivals, agreedMismatches, guessesOf } from '../arrivals.ts';
import { fixedWindow, fixedWindowFirstRequest } from '../kinds/fixed-window.ts';
import { type Box, keyOf, type LimiterKind, type LoadBounds, type Settled } from '../kinds/kind.ts';
import { slidingLog } from '../kinds/sliding-log.ts';
import { kindOf } from '../kinds/table.ts';
import { tokenBucket } from '../kinds/token-bucket.ts';
import { isNear } from '../ranking.ts';
import { exactly, type Span } from '../span.ts';
import { admitted, ambiguous, limited } from '../trace.ts';
import { type View, viewOf } from '../view.ts';
import type { Outsider } from './outsider.ts';
import { decidingPair, type LimitPair, nearestPairs } from './pair-search.ts';
import { boundsOf, type SizeSearch, sizesOf, type Which, windowMsOf, withRoundWindow } from './pair-sizes.ts';

/** Kinds that are common as one of two. */
const members: readonly LimiterKind[] = [fixedWindowFirstRequest, slidingLog, tokenBucket];
/** Windows are found to this part. */
const foundWithin = 0.01;
/** Clocks are known this closely. */
const boundaryNs = 5e6;
/** Sizes with which a pair gets this number of answers more wrong are a seventh as likely: they stay possible. */
const moreWrong = 4;
/** The sizes of this number of pairs that may be the truth are compared. */
const mostSized = 3;
/** Each limit alone explains at least this part of all rejections. */
const leastNeeded = 0.03;
/**
 * One of the two may count what the other rejects, so that some answers contradict the pair whenever the requests arrived: this
 * part of the rejections for which a limit is needed, at the most.
 */
const contradicting = 0.1;

export const twoLimits: Outsider = {
  id: 'two-limits',
  name: 'pair of limits',
  explain: ({ bounded, clockOffset, crowd, isClose, queue, refusal, views, windows }) => {
    if (refusal === undefined || bounded !== undefined) return undefined;
    if (isClose) return { because: 'One counter explains every answer.', evidence: [] };
    const guesses = guessesOf(views.map(({ trace }) => trace));
    const [arrivals = []] = guesses;
    const rejections = views.reduce((sum, { refused }) => sum + refused.length, 0);
    const aligned = clockOffset === undefined ? [] : alignedWindows(windows, clockOffset);
    const judged = nearestPairs(members, arrivals, windows, aligned)
      .filter(({ needed }) => needed >= leastNeeded * rejections)
      .map((pair) => withLimits(pair, views))
      .filter(({ contradictions, pair: { needed } }) => contradictions <= contradicting * needed)
      .map(({ pair }) => ({ pair, mismatches: surelyWrong(pair, guesses) }))
      .toSorted((a, b) => a.mismatches - b.mismatches);
    const [best] = judged;
    // Waits as in a queue swap answers: of a pair that gets many wrong beside them, nothing is known.
    const requests = views.reduce((sum, { trace }) => sum + trace.length, 0);
    if (best === undefined || (queue !== undefined && !isNear(best.mismatches, requests)))
      return { because: 'No two limits together explain the answers.', evidence: [] };
    const search: SizeSearch = {
      wrongWith: (pair) => surelyWrong(pair, guesses),
      most: best.mismatches + moreWrong * Math.max(1, crowd / 2),
    };
    const near = judged.filter(({ mismatches }) => mismatches <= search.most).slice(0, mostSized);
    const boundsFor = (which: Which): ReturnType<typeof boundsOf> =>
      boundsOf(near.flatMap(({ pair }) => sizesOf(pair, which, search)));
    const hardlyMore = { ...search, most: best.mismatches + Math.max(1, crowd / 2) };
    const ofLong = withRoundWindow(best.pair, 'long', hardlyMore);
    const rounded = withRoundWindow(ofLong, 'short', hardlyMore);
    const [short, long] = [sized(rounded.short), sized(rounded.long)];
    const bounds = boundsFor('long');
    return {
      // Which kinds the two are is less certain than their sizes.
      name: `pair of limits: one of ${number(short.limit)} per ${seconds(short.windowMs)} and one`,
      limit: long.limit,
      windowMs: long.windowMs,
      burst: short.limit,
      limitBounds: bounds.limit,
      windowMsBounds: bounds.windowMs,
      beside: { ...short, bounds: boundsFor('short') },
      mismatches: best.mismatches,
      degreesOfFreedom: 5,
    };
  },
};

function sized(settled: Settled): {
  readonly algorithm: string;
  readonly limit: number;
  readonly windowMs: number;
} {
  const windowMs = Number(windowMsOf(settled).toPrecision(4));
  return { algorithm: kindOf(settled).id, limit: settled.limit, windowMs };
}

function surelyWrong(pair: LimitPair, guesses: readonly (readonly Arrivals[])[]): number {
  const traces = guesses[0] ?? [];
  return traces.reduce((sum, _, at) => {
    const own = guesses.flatMap((each) => each[at] ?? []);
    return sum + agreedMismatches(own, () => decidingPair(pair));
  }, 0);
}

/** Windows of round lengths that begin at multiples of their length on the target's clock. */
function alignedWindows({ loNs, hiNs }: Span, clockOffset: Span): Settled[] {
  const epochNs = (clockOffset.loNs + clockOffset.hiNs) / 2;
  const found: Settled[] = [];
  for (let unitNs = 100e6; unitNs <= hiNs; unitNs *= 10)
    for (const times of [1, 1.5, 2, 2.5, 3, 4, 5, 6, 9]) {
      const scaleNs = times * unitNs;
      if (scaleNs < loNs || scaleNs > hiNs) continue;
      const boundaryNs = Math.ceil(epochNs / scaleNs) * scaleNs - epochNs;
      found.push({ kind: keyOf(fixedWindow), limit: 0, scaleNs, boundaryNs });
    }
  return found;
}

/** Guessed arrivals may make a limit this much smaller or larger. */
const changes = [0, 1, -1] as const;

/** The limits of a pair for which the fewest answers contradict it, whenever the requests arrived. */
function withLimits(
  pair: LimitPair,
  views: readonly View[],
): { readonly pair: LimitPair; readonly contradictions: number } {
  const loads = views.map((view) => {
    const [short, long] = [loadsIn(view, pair.short), loadsIn(view, pair.long)];
    return { outcome: view.trace.outcome, short, long, ...firstOf(pair, view, { short, long }) };
  });
  const contradictionsAt = (short: number, long: number): number => {
    let count = 0;
    for (const each of loads)
      for (let i = 0; i < each.outcome.length; i++) {
        const isWrong =
          each.outcome[i] === admitted
            ? (each.short.least[i] as number) > short - 1 || (each.long.least[i] as number) > long - 1
            : each.outcome[i] === limited &&
              (each.short.most[i] as number) <= short - 1 &&
              (each.long.most[i] as number) <= long - 1;
        if (isWrong) count++;
      }
    return count;
  };
  const tried = changes.flatMap((byLong) =>
    changes.map((byShort) => {
      const [short, long] = [pair.short.limit + byShort, pair.long.limit + byLong];
      return {
        pair: { ...pair, short: { ...pair.short, limit: short }, long: { ...pair.long, limit: long } },
        contradictions: contradictionsAt(short, long),
      };
    }),
  );
  return tried.reduce((best, each) => (each.contradictions < best.contradictions ? each : best));
}

function loadsIn(view: View, settled: Settled): LoadBounds {
  return kindOf(settled).loads(view, boxAround(settled));
}

/** Of a limit that is asked first, the bounds with what the other may have rejected: that may have been counted, or not. */
function firstOf(
  { first, ...pair }: LimitPair,
  view: View,
  loads: Readonly<Record<'short' | 'long', LoadBounds>>,
): Partial<Record<'short' | 'long', LoadBounds>> {
  if (first === undefined) return {};
  const second = first === 'short' ? 'long' : 'short';
  // One less than the limit found is tried, too.
  const outcome = view.trace.outcome.map((each, i) =>
    each === limited && (loads[second].most[i] as number) > pair[second].limit - 2 ? ambiguous : each,
  );
  return { [first]: loadsIn(viewOf({ ...view.trace, outcome }, view.base), pair[first]) };
}

function boxAround({ boundaryNs: atNs, kind, scaleNs }: Settled): Box {
  // Windows by the clock are tried at their exact length.
  return kind === keyOf(fixedWindow)
    ? { scale: exactly(scaleNs), boundary: { loNs: atNs - boundaryNs, hiNs: atNs + boundaryNs } }
    : {
        scale: { loNs: scaleNs * (1 - foundWithin), hiNs: scaleNs * (1 + foundWithin) },
        boundary: undefined,
      };
}
