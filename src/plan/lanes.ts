import type { OpenPhase } from '../scenario/load.ts';
import type { Shard } from './shard.ts';

/** Lanes of a phase at most: a number that many numbers of workers divide, and that the others divide almost. */
const mostLanes = 48;

/**
 * Of journeys at a pace, lanes are not so many that one has fewer slots a second than this where the pace is fastest: a shopper
 * waits for a slot of one lane, and that is to be short beside seconds of thinking.
 */
const slotsPerSecond = 4;

/**
 * How many lanes a phase has. What comes in it, slots or shoppers, goes to each in turn, and a shopper stays in one: no lane
 * has to know of another, so that workers who drive a plan together each make and drive lanes of their own.
 */
export function laneCount({ segments, traffic, unit }: OpenPhase): number {
  // Only who is next in a slot depends on others.
  if (unit === 'shoppers' || traffic !== 'journeys') return mostLanes;
  const fastestPerMs = Math.max(0, ...segments.flatMap(({ fromPerMs, toPerMs }) => [fromPerMs, toPerMs]));
  return Math.max(1, Math.min(mostLanes, Math.floor((fastestPerMs * 1e3) / slotsPerSecond)));
}

/** Which of a plan's lanes are a phase's: `count` of them from the `first` on, `of` so many. */
export interface LaneRange {
  readonly first: number;
  readonly count: number;
  readonly of: number;
}

/** A phase's lanes as one goes through them, from 0; those of one worker, or all. */
export class Lanes {
  readonly count: number;
  readonly #of: number;
  readonly #isOwn: readonly boolean[];
  readonly #next: Float64Array;

  constructor({ count, first, of }: LaneRange, { index, of: workers }: Shard) {
    this.count = count;
    this.#of = of;
    this.#isOwn = Array.from({ length: count }, (_, lane) => (first + lane) % workers === index);
    this.#next = Float64Array.from({ length: count }, (_, lane) => first + lane);
  }

  isOwn(lane: number): boolean {
    return this.#isOwn[lane] === true;
  }

  /** A number for the next request in a lane: the n-th, from 0, in lane l of the plan's L is n·L + l, whoever drives the others. */
  nextNumber(lane: number): number {
    const number = this.#next[lane] ?? Number.NaN;
    this.#next[lane] = number + this.#of;
    return number;
  }
}
