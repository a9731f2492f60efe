/** A whole number of each row, from 0 on: its SQL, of type BIGINT, and what it is less than. Another one would change its neighbours. */
export interface PackedField {
  readonly sql: string;
  readonly below: number;
}

/**
 * As many fields as a double holds exactly, in their order: a column of numbers costs a million rows 20 ms. A field with more
 * values than that stands alone.
 */
function groupsOf(fields: readonly PackedField[]): PackedField[][] {
  const groups: PackedField[][] = [];
  let values = Number.POSITIVE_INFINITY;
  for (const field of fields) {
    values *= field.below;
    if (values <= Number.MAX_SAFE_INTEGER) groups.at(-1)?.push(field);
    else {
      groups.push([field]);
      values = field.below;
    }
  }
  return groups;
}

/** SQL: the fields, several in each column of type DOUBLE. */
export function packed(fields: readonly PackedField[]): string[] {
  return groupsOf(fields).map((group) => {
    const sum = group.reduceRight((higher, { below, sql }) => `${sql} + ${below} * (${higher})`, '0');
    return `CAST(${sum} AS DOUBLE)`;
  });
}

/** The values of each field, from the columns of `packed`. */
export function unpacked(fields: readonly PackedField[], columns: readonly Float64Array[]): Uint32Array[] {
  return groupsOf(fields).flatMap((group, k) => {
    const column = columns[k] ?? new Float64Array();
    const rest = column.slice();
    return group.map(({ below }) => {
      const values = new Uint32Array(column.length);
      for (let row = 0; row < values.length; row++) {
        const packed = rest[row] as number;
        const higher = Math.floor(packed / below);
        values[row] = packed - higher * below;
        rest[row] = higher;
      }
      return values;
    });
  });
}

/** Numbers by hashes, which are whole, positive and spread evenly. A `Map` of a million such keys takes five times as long. */
export class NumberMap {
  readonly #keys: Float64Array;
  readonly #values: Uint32Array;
  readonly #mask: number;

  /** `most`: how many keys there may be. */
  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.#keys = new Float64Array(size);
    this.#values = new Uint32Array(size);
    this.#mask = size - 1;
  }

  /** The first value of a key stays. */
  setOnce(key: number, value: number): void {
    const at = this.#placeOf(key);
    if (this.#keys[at] === key) return;
    this.#keys[at] = key;
    this.#values[at] = value;
  }

  get(key: number): number | undefined {
    const at = this.#placeOf(key);
    return key !== 0 && this.#keys[at] === key ? this.#values[at] : undefined;
  }

  /** Where the key is, or would be. 0 marks free places. */
  #placeOf(key: number): number {
    let at = (key % 0x1_0000_0000) & this.#mask;
    while (this.#keys[at] !== 0 && this.#keys[at] !== key) at = (at + 1) & this.#mask;
    return at;
  }
}
