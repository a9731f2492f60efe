import type { OpenPhase } from '../scenario/load.ts';
import type { Shard } from './shard.ts';

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
