import { number, seconds } from '../../amounts.ts';
import { guessesOf } from '../arrivals.ts';
import { mostInTrailingWindow } from '../counts.ts';
import type { Contender, LimitSize, Outsider, OutsiderEvidence } from '../inference.ts';
import { tokenBucket } from '../kinds/bucket.ts';
import { fixedWindow, fixedWindowFirstRequest } from '../kinds/fixed-window.ts';
import type { PromisedLimit } from '../kinds/kind.ts';
import { slidingLog } from '../kinds/log.ts';
import { fittedTo, surelyWrong } from '../settle.ts';
import { ambiguous, limited, type Trace, traceWhere } from '../trace.ts';
import { type View, viewsOf } from '../view.ts';
import { admissionsNeedOver } from '../window-search.ts';

/** Kinds that are common beside another limit. */
const members = [fixedWindow, fixedWindowFirstRequest, slidingLog, tokenBucket];
/** Each limit alone explains at least this part of all rejections. */
const leastNeeded = 0.03;
/** Of the answers that are left to the second limit, it gets this part wrong at most: guessed arrivals turn this part around. */
const mostWrong = 0.1;
/** How many times the larger of two limits is as the smaller one, and the rates the other way round: else one would do nothing. */
const apart = { limit: 1.5, rate: 1.1 };
const degreesOfFreedom = 5;

/**
 * A second limit beside the promised one, of any size: the rejections that the promised limit may have given are left out,
 * and one counter has to explain the rest.
 */
export const twoLimits: Outsider = {
  id: 'two-limits',
  name: 'pair of limits',
  explain: (seen) => {
    const { bounded, isClose, promised, refusal } = seen;
    if (refusal === undefined || bounded !== undefined) return undefined;
    if (isClose) return { because: 'One counter explains every answer.', evidence: [] };
    const second = promised && besidePromised(seen, promised);
    if (promised === undefined || second === undefined)
      return {
        because: 'No second limit in addition to the promised one explains the answers.',
        evidence: [],
      };
    const first = asPromised(promised);
    const [short, long] = first.windowMs < second.size.windowMs ? [first, second.size] : [second.size, first];
    return {
      ...long,
      // Which kinds the two are is less certain than their sizes.
      name: `pair of limits: one of ${number(short.limit)} per ${seconds(short.windowMs)} and one`,
      burst: short.limit,
      beside: short,
      mismatches: second.mismatches,
      degreesOfFreedom,
    };
  },
};

/** What each of two limits counts of the other's rejections. Where nothing is known of the second, either is possible. */
interface TwoCounts {
  readonly promised: 'admitted' | 'all';
  readonly second: 'admitted' | 'unknown';
}
const readings: readonly TwoCounts[] = [
  { promised: 'admitted', second: 'admitted' },
  { promised: 'admitted', second: 'unknown' },
  { promised: 'all', second: 'admitted' },
];

function besidePromised(
  { intervals, views, windows }: OutsiderEvidence,
  promised: PromisedLimit,
): { readonly size: LimitSize; readonly mismatches: number } | undefined {
  if (views.some(({ trace }) => admissionsNeedOver(trace, promised) !== undefined)) return undefined;
  const least = leastNeeded * rejectionsIn(views);
  const guesses = guessesOf(views.map(({ trace }) => trace));
  const leavesRest = ({ settled }: Contender): boolean =>
    settled !== undefined && surelyWrong(guesses, settled) >= least;
  for (const reading of readings) {
    const rest = viewsOf(views.map((view) => withoutRejectionsOf(promised, view, reading)));
    const left = rejectionsIn(rest);
    if (left < least) continue;
    const [best] = members
      .flatMap((kind) => fittedTo(rest, kind, kind.scale === 'token' ? intervals : windows) ?? [])
      .filter((each) => each.mismatches <= mostWrong * left && leavesRest(each))
      .toSorted((a, b) => a.mismatches - b.mismatches);
    const size = best && sizeOf(best);
    if (best === undefined || size === undefined || !areApart(size, promised)) continue;
    if ((size.windowMsBounds?.max ?? size.windowMs) <= spanMs(rest))
      return { size, mismatches: best.mismatches };
  }
  return undefined;
}

/** How long the requests go on: a window that is longer was not seen to end, and may be a key that is lost. */
function spanMs(views: readonly View[]): number {
  return Math.max(...views.map(({ trace: { sentNs } }) => ((sentNs.at(-1) ?? 0) - (sentNs[0] ?? 0)) / 1e6));
}

function rejectionsIn(views: readonly View[]): number {
  return views.reduce((sum, { refused }) => sum + refused.length, 0);
}

/** The trace without the rejections that a limit may have given: as many as it admits were admitted in the window before. */
function withoutRejectionsOf(
  { requests, windowNs }: PromisedLimit,
  { admittedCounts, allCounts, trace }: View,
  reading: TwoCounts,
): Trace {
  const counts = reading.promised === 'all' ? allCounts : admittedCounts;
  const outcome = trace.outcome.map((each, i) =>
    each === limited && mostInTrailingWindow(trace, counts, windowNs, i) >= requests - 1 ? ambiguous : each,
  );
  if (reading.second === 'unknown') return { ...trace, outcome };
  return traceWhere(trace, (i) => outcome[i] === trace.outcome[i]);
}

function sizeOf({ limit, limitBounds, windowMs, windowMsBounds }: Contender): LimitSize | undefined {
  return limit === null || windowMs === null || limitBounds === null || windowMsBounds === null
    ? undefined
    : { limit, windowMs, limitBounds, windowMsBounds };
}

function asPromised({ requests, windowNs }: PromisedLimit): LimitSize {
  const windowMs = windowNs / 1e6;
  return {
    limit: requests,
    windowMs,
    limitBounds: { min: requests, max: requests },
    windowMsBounds: { min: windowMs, max: windowMs },
  };
}

/** Whether neither of two limits makes the other one superfluous. */
function areApart({ limit, windowMs }: LimitSize, { requests, windowNs }: PromisedLimit): boolean {
  const size = limit / requests;
  const rate = size / ((windowMs * 1e6) / windowNs);
  return (size <= 1 / apart.limit && rate >= apart.rate) || (size >= apart.limit && rate <= 1 / apart.rate);
}
