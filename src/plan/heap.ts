/**
 * A priority queue: `pop` gives the entry with the smallest key, the earliest pushed among equals. Keys are kept
 * apart as plain numbers, to save a cache miss for each comparison.
 */
export class MinHeap<T> {
  readonly #keys: number[] = [];
  readonly #orders: number[] = [];
  readonly #values: T[] = [];
  #pushed = 0;

  get size(): number {
    return this.#keys.length;
  }

  /** The smallest key, or Infinity when there is none. */
  get minKey(): number {
    return this.#keys[0] ?? Number.POSITIVE_INFINITY;
  }

  push(key: number, value: T): void {
    const order = this.#pushed++;
    let at = this.#keys.length;
    this.#put(at, key, order, value);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(key, order, above)) break;
      this.#move(above, at);
      at = above;
    }
    this.#put(at, key, order, value);
  }

  pop(): T | undefined {
    const top = this.#values[0];
    const key = this.#keys.pop();
    const order = this.#orders.pop();
    const value = this.#values.pop();
    const size = this.#keys.length;
    if (key === undefined || order === undefined || size === 0) return top;
    let at = 0;
    for (let below = 1; below < size; below = 2 * at + 1) {
      const right = below + 1;
      if (right < size && this.#isBefore(this.#keys[right] as number, this.#orders[right] as number, below))
        below = right;
      if (this.#isBefore(key, order, below)) break;
      this.#move(below, at);
      at = below;
    }
    this.#put(at, key, order, value as T);
    return top;
  }

  /** Whether such an entry comes before the one at a place. */
  #isBefore(key: number, order: number, at: number): boolean {
    const other = this.#keys[at] as number;
    return key < other || (key === other && order < (this.#orders[at] as number));
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#keys[from] as number, this.#orders[from] as number, this.#values[from] as T);
  }

  #put(at: number, key: number, order: number, value: T): void {
    this.#keys[at] = key;
    this.#orders[at] = order;
    this.#values[at] = value;
  }
}
