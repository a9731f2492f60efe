/** A set of places below `length`, 32 to a number: a search for pairs of limits compares tens of thousands of sets. */
export class Bits {
  readonly length: number;
  readonly #words: Int32Array;

  constructor(length: number) {
    this.length = length;
    this.#words = new Int32Array((length + 31) >>> 5);
  }

  add(at: number): void {
    this.#words[at >>> 5] = (this.#words[at >>> 5] as number) | (1 << (at & 31));
  }

  has(at: number): boolean {
    return (((this.#words[at >>> 5] as number) >>> (at & 31)) & 1) === 1;
  }

  /** How many places are in it, or in another one of the same length. */
  countWith(other: Bits = this): number {
    let count = 0;
    for (let at = 0; at < this.#words.length; at++)
      count += onesIn((this.#words[at] as number) | (other.#words[at] as number));
    return count;
  }
}

/** Sums of two, four and eight bits beside each other, and of all of them by one product. */
function onesIn(word: number): number {
  const twos = word - ((word >>> 1) & 0x55555555);
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
