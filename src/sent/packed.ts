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
