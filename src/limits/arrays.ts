/*
 * `Float64Array.from(values, of)` makes a list of all values first: for a million of them it takes 66 ms, and these 5 to 10 ms.
 */

export function floats(length: number, of: (at: number) => number): Float64Array {
  const made = new Float64Array(length);
  for (let at = 0; at < length; at++) made[at] = of(at);
  return made;
}

export function integers(length: number, of: (at: number) => number): Int32Array {
  const made = new Int32Array(length);
  for (let at = 0; at < length; at++) made[at] = of(at);
  return made;
}

export function bytes(length: number, of: (at: number) => number): Uint8Array {
  const made = new Uint8Array(length);
  for (let at = 0; at < length; at++) made[at] = of(at);
  return made;
}

/** 0, 1, 2 … */
export function places(length: number): Int32Array {
  const made = new Int32Array(length);
  for (let at = 0; at < length; at++) made[at] = at;
  return made;
}

/** The values at some places. */
export function valuesAt(values: Float64Array, at: Int32Array): Float64Array {
  const found = new Float64Array(at.length);
  for (let k = 0; k < at.length; k++) found[k] = values[at[k] as number] as number;
  return found;
}

/** How many values of the ascending array are < `bound`. */
export function countBelow(ascending: Float64Array, bound: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] as number) < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** How many values of the ascending array are <= `bound`. */
export function countUpTo(ascending: ArrayLike<number>, bound: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] as number) <= bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Steps that each value may take on average before a general sort is cheaper. */
const mostSteps = 32;

/** The places of the values in ascending order; of equal ones, the first first. Instants mostly stand in order already. */
export function orderOf(values: Float64Array): Int32Array {
  const order = places(values.length);
  let steps = mostSteps * values.length;
  for (let at = 1; at < values.length && steps >= 0; at++) {
    const value = values[at] as number;
    let to = at;
    for (; to > 0 && (values[order[to - 1] as number] as number) > value && steps >= 0; to--, steps--)
      order[to] = order[to - 1] as number;
    order[to] = at;
  }
  return steps >= 0
    ? order
    : places(values.length).sort((a, b) => (values[a] as number) - (values[b] as number));
}

/** Puts values in ascending order that mostly stand in it already, and returns them. */
export function sortedNearly(values: Float64Array): Float64Array {
  let steps = mostSteps * values.length;
  for (let at = 1; at < values.length; at++) {
    const value = values[at] as number;
    let to = at;
    for (; to > 0 && (values[to - 1] as number) > value; to--, steps--) values[to] = values[to - 1] as number;
    values[to] = value;
    if (steps < 0) return values.sort();
  }
  return values;
}

/**
 * `countBelow` of an array, for bounds each of which is near the one before: it searches from there. In a million
 * instants that takes three steps in place of twenty.
 */
export function nearBelow(ascending: Float64Array): (bound: number) => number {
  return near(ascending, (value, bound) => value < bound);
}

/** `countUpTo` likewise. */
export function nearUpTo(ascending: Float64Array): (bound: number) => number {
  return near(ascending, (value, bound) => value <= bound);
}

function near(
  ascending: Float64Array,
  counts: (value: number, bound: number) => boolean,
): (bound: number) => number {
  let last = 0;
  return (bound) => {
    let from = last;
    let to = last;
    for (let step = 1; from > 0 && !counts(ascending[from - 1] as number, bound); step *= 2) {
      to = from - 1;
      from = Math.max(0, from - step);
    }
    for (let step = 1; to < ascending.length && counts(ascending[to] as number, bound); step *= 2) {
      from = to + 1;
      to = Math.min(ascending.length, to + step);
    }
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (counts(ascending[middle] as number, bound)) from = middle + 1;
      else to = middle;
    }
    last = from;
    return from;
  };
}

/** Answers "where is the least value in [from, to)?" in constant time, after O(n log n) preparation (sparse table). */
export class RangeMinimum {
  readonly #values: Float64Array;
  /** `#levels[k][i]` is the index of the least value in [i, i + 2^k). */
  readonly #levels: Int32Array[] = [];

  constructor(values: Float64Array) {
    this.#values = values;
    let level = places(values.length);
    this.#levels.push(level);
    for (let span = 1; span * 2 <= values.length; span *= 2) {
      const next = new Int32Array(values.length - span * 2 + 1);
      for (let i = 0; i < next.length; i++)
        next[i] = this.#lesser(level[i] as number, level[i + span] as number);
      this.#levels.push(next);
      level = next;
    }
  }

  /** Index of the least value in [from, to); undefined for an empty range. */
  indexIn(from: number, to: number): number | undefined {
    if (to <= from) return undefined;
    const k = 31 - Math.clz32(to - from);
    const level = this.#levels[k] as Int32Array;
    return this.#lesser(level[from] as number, level[to - (1 << k)] as number);
  }

  #lesser(a: number, b: number): number {
    return (this.#values[b] as number) < (this.#values[a] as number) ? b : a;
  }
}
