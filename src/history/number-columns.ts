import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';

/** The columns of a query, NULL as NaN. Throws unless every one is of type DOUBLE. `firstRoom`: how many rows have room at first. */
export async function numberColumns(
  connection: DuckDBConnection,
  sql: string,
  parameters?: Readonly<Record<string, DuckDBValue>>,
  firstRoom = 1 << 16,
): Promise<Float64Array[]> {
  const { DuckDBDoubleVector } = await import('@duckdb/node-api');
  const result = await connection.stream(sql, parameters === undefined ? undefined : { ...parameters });
  let columns: Float64Array[] = Array.from({ length: result.columnCount }, () => new Float64Array(firstRoom));
  let length = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const { rowCount } = chunk;
    if (length + rowCount > (columns[0]?.length ?? 0)) columns = columns.map(twice);
    for (const [k, column] of columns.entries()) {
      const vector = chunk.getColumnVector(k);
      if (!(vector instanceof DuckDBDoubleVector)) throw new Error(`not numbers: column ${k} of ${sql}`);
      for (let row = 0; row < rowCount; row++) column[length + row] = vector.getItem(row) ?? Number.NaN;
    }
    length += rowCount;
  }
  return columns.map((column) => column.subarray(0, length));
}

function twice(column: Float64Array): Float64Array {
  const larger = new Float64Array(2 * column.length);
  larger.set(column);
  return larger;
}
