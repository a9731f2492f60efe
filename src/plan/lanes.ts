import type { OpenPhase, Segment } from '../scenario/load.ts';

/** One worker's part of a plan: the `index`-th, from 0, of `of` parts. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** A part's share of what all may have together, in whole numbers. */
export function shareOf(all: number, { index, of }: Shard): number {
  return Math.floor(all / of) + (index < all % of ? 1 : 0);
}

/** All of it. */
export const whole: Shard = { index: 0, of: 1 };

/**
 * The instants at which a shape's arrivals are due: arrival k at the time t where the integral of the rate reaches k.
 * With a rate from r₀ to r₁ over D, N(t) = r₀t + (r₁ − r₀)t²/2D, so t = 2k / (r₀ + √(r₀² + 2ak)) with a = (r₁ −
 * r₀)/D. This form of the root does not cancel for small a, and is k/r₀ for a = 0. Slots are absolute, so nothing
 * drifts; a fraction of an arrival at a segment's end carries over. Of each `atOnce` arrivals in turn, all come with the
 * first. @returns nanoseconds since the shape's start, never falling, rounded to the nearest.
 */
export function* slotsNs(segments: readonly Segment[], atOnce = 1): Generator<number> {
  let togetherNs = 0;
  let startMs = 0;
  let done = 0;
  let k = 0;
  for (const { durationMs, fromPerMs, toPerMs } of segments) {
    const total = ((fromPerMs + toPerMs) / 2) * durationMs;
    const slope = durationMs === 0 ? 0 : (toPerMs - fromPerMs) / durationMs;
    // Floating point may give slightly more than a whole number of arrivals; half a millionth of one is none.
    const last = done + total - 5e-7;
    for (; k < last; k++) {
      const within = Math.max(0, k - done);
      const root = Math.sqrt(Math.max(0, fromPerMs * fromPerMs + 2 * slope * within));
      const atMs = within === 0 ? 0 : (2 * within) / (fromPerMs + root);
      if (k % atOnce === 0) togetherNs = Math.round((startMs + atMs) * 1e6);
      yield togetherNs;
    }
    done += total;
    startMs += durationMs;
  }
}

const forgetAfter = 100_000;

/** The most slots of a shape in any window of this length. */
export function mostSlotsWithin(segments: readonly Segment[], windowMs: number, atOnce = 1): number {
  const recent: number[] = [];
  let oldest = 0;
  let most = 0;
  for (const slot of slotsNs(segments, atOnce)) {
    recent.push(slot);
    while ((recent[oldest] ?? slot) <= slot - windowMs * 1e6) oldest++;
    most = Math.max(most, recent.length - oldest);
    // Removes what has left the window, in one step from time to time.
    if (oldest > forgetAfter) {
      recent.splice(0, oldest);
      oldest = 0;
    }
  }
  return most;
}

/** How many lanes a phase may have: numbers that many numbers of workers divide. */
const laneCounts = [48, 24, 12, 6, 2];

/**
 * The widest gap between a lane's slots, ms: a shopper should wait no longer than at the interface's 1,000 requests a
 * minute, where one lane has all slots. Pages take some 300 ms.
 */
const mostSlotGapMs = 60;

/**
 * How many lanes a phase has. Shoppers and slots go to the lanes in turn, and a shopper stays in its lane. The next
 * shopper of a lane depends on that lane alone, so a worker need not compute the other workers' lanes.
 */
export function laneCount({ segments, traffic, unit }: OpenPhase): number {
  if (unit === 'shoppers') return Math.max(...laneCounts);
  // Whose slot it is can be told without working anything out.
  if (traffic !== 'journeys') return 1;
  const slowestPerMs = Math.min(...segments.flatMap(({ fromPerMs, toPerMs }) => [fromPerMs, toPerMs]));
  return laneCounts.find((count) => slowestPerMs * mostSlotGapMs >= count) ?? 1;
}

/** Which of a plan's lanes belong to a phase: `count` from `first` on, of `inPlan` in all. */
interface LaneRange {
  readonly first: number;
  readonly count: number;
  readonly inPlan: number;
}

/** A phase's lanes, from 0, as one worker goes through them. */
export class Lanes {
  readonly count: number;
  readonly #inPlan: number;
  readonly #worker: Shard;
  readonly #hasOwn: readonly boolean[];
  readonly #next: Float64Array;

  constructor({ count, first, inPlan }: LaneRange, worker: Shard) {
    this.count = count;
    this.#inPlan = inPlan;
    this.#worker = worker;
    // The n-th shopper is in lane n mod count, and one's own if n mod workers is one's index.
    const shared = greatestCommonDivisor(count, worker.of);
    this.#hasOwn = Array.from({ length: count }, (_, lane) => lane % shared === worker.index % shared);
    this.#next = Float64Array.from({ length: count }, (_, lane) => first + lane);
  }

  /** Whether the phase's n-th shopper, from 0, is this worker's. */
  isOwn(nth: number): boolean {
    return nth % this.#worker.of === this.#worker.index;
  }

  /** Whether any shopper in a lane is. */
  hasOwn(lane: number): boolean {
    return this.#hasOwn[lane] === true;
  }

  /**
   * Numbers the next request in a lane, for any shopper: the n-th, from 0, in lane l of the plan's L is n·L + l.
   */
  nextNumber(lane: number): number {
    const number = this.#next[lane] ?? Number.NaN;
    this.#next[lane] = number + this.#inPlan;
    return number;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
