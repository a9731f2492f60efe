/** A priority queue: `pop` gives the entry with the smallest key, the earliest pushed among equals. */
export class MinHeap<T> {
  readonly #entries: { key: number; order: number; value: T }[] = [];
  #pushed = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** The smallest key, or Infinity when there is none. */
  get minKey(): number {
    return this.#entries[0]?.key ?? Number.POSITIVE_INFINITY;
  }

  push(key: number, value: T): void {
    const entries = this.#entries;
    const entry = { key, order: this.#pushed++, value };
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = entries[above];
      if (parent === undefined || !precedes(entry, parent)) break;
      entries[at] = parent;
      at = above;
    }
    entries[at] = entry;
  }

  pop(): T | undefined {
    const entries = this.#entries;
    const top = entries[0];
    const last = entries.pop();
    if (top === undefined || last === undefined || entries.length === 0) return top?.value;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = entries[below];
      if (child === undefined) break;
      const right = entries[below + 1];
      if (right !== undefined && precedes(right, child)) {
        below++;
        child = right;
      }
      if (!precedes(child, last)) break;
      entries[at] = child;
      at = below;
    }
    entries[at] = last;
    return top.value;
  }
}

interface Ordered {
  readonly key: number;
  readonly order: number;
}

function precedes(a: Ordered, b: Ordered): boolean {
  return a.key < b.key || (a.key === b.key && a.order < b.order);
}
