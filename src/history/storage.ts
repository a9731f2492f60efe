import { rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';

/** Where the tables of an open history live. */
interface Storage {
  readonly connection: DuckDBConnection;
  /** A second one, to the same tables, where two queries at the same time are worth their memory. */
  readonly beside: DuckDBConnection | undefined;
  /** Closes the database and removes its files. */
  close(): void;
}

/**
 * The total size of the files from which a history is too long for memory; as tables they take twice as much.
 */
export const longBytes = 512 * 2 ** 20;

/**
 * Below this many bytes one thread reads a history: more would be no faster, and would take cores from a concurrent run.
 */
export const oneThreadBytes = 64 * 2 ** 20;

/** DuckDB's further memory when its tables are in files: with it, the process stays under 2 GiB. */
const memoryBesides = '1200MB';

/** And when the copy by columns is asked: with it, and with what is freed given back soon, it stays under 1 GiB. */
const memoryWithColumns = '450MB';
export const giveBack = `SET allocator_background_threads = true;
  SET allocator_flush_threshold = '16MB';
  SET allocator_bulk_deallocation_flush_threshold = '16MB';`;

/** Size of some files together; what is not there has none. */
export async function bytesOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * An empty database for a history of these files, in memory. For a long history it is compressed in a temporary file;
 * with a columnar copy (`columnar`) it is in memory, bounded, and spills to disk.
 */
export async function openStorage(paths: readonly string[], columnar: boolean): Promise<Storage> {
  const bytes = await bytesOf(paths);
  if (bytes < oneThreadBytes) return openShort();
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const isInMemory = !columnar && bytes < longBytes;
  const dir = isInMemory ? undefined : await mkdtemp(join(tmpdir(), 'tryon-tables-'));
  const instance =
    dir === undefined
      ? await DuckDBInstance.create(':memory:')
      : await DuckDBInstance.create(columnar ? ':memory:' : join(dir, 'history.duckdb'), {
          memory_limit: columnar ? memoryWithColumns : memoryBesides,
          temp_directory: dir,
        });
  const connection = await instance.connect();
  if (dir !== undefined) await connection.run(giveBack);
  const beside = bytes < longBytes ? await instance.connect() : undefined;
  return {
    connection,
    beside,
    close() {
      connection.closeSync();
      beside?.closeSync();
      instance.closeSync();
      if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}

let forShort: Promise<{ readonly instance: DuckDBInstance; readonly keeper: DuckDBConnection }> | undefined;
let opened = 0;

/** One instance serves all short histories, and each has another database. An instance takes 12 ms of CPU, a database 1 ms. */
async function openShort(): Promise<Storage> {
  forShort ??= createForShort();
  const { instance, keeper } = await forShort;
  const name = `history_${++opened}`;
  const connection = await instance.connect();
  await connection.run(`ATTACH ':memory:' AS ${name}; USE ${name}`);
  return {
    connection,
    beside: undefined,
    close() {
      connection.closeSync();
      // It frees memory alone, which no caller waits for.
      void keeper.run(`DETACH ${name}`);
    },
  };
}

async function createForShort(): Promise<Awaited<NonNullable<typeof forShort>>> {
  // Loaded here and not above: the native library costs start-up time that only readers of a history should pay.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  return { instance, keeper: await instance.connect() };
}

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
    if (length + rowCount > (columns[0]?.length ?? 0))
      columns = columns.map((column) => {
        const larger = new Float64Array(2 * column.length);
        larger.set(column);
        return larger;
      });
    for (const [k, column] of columns.entries()) {
      const vector = chunk.getColumnVector(k);
      if (!(vector instanceof DuckDBDoubleVector)) throw new Error(`not numbers: column ${k} of ${sql}`);
      for (let row = 0; row < rowCount; row++) column[length + row] = vector.getItem(row) ?? Number.NaN;
    }
    length += rowCount;
  }
  return columns.map((column) => column.subarray(0, length));
}

/** What only an answer says. */
const ofAnswer = ['status', 'wire_status', 'count', 'expires_at', 'bytes', 'server_date_ms'].concat([
  'retry_after',
  'limit_headers',
  'problem',
  'described_headers',
  'server_timing',
]);

/**
 * Reduces the tables of a history that was cut off to what is wholly known. Requests are numbered as they become due. The
 * first number that is missing belongs to a request that was in flight, or whose record was lost: its effects, from when
 * it was due, are unknown. So the tables become those of a run that was stopped at that instant: what was in flight is
 * `stopped`, and what came later is not there. Returns how many requests on disk came later.
 */
export async function keepKnownPart(connection: DuckDBConnection): Promise<number> {
  const one = async (sql: string): Promise<number> =>
    Number((await (await connection.run(sql)).getRows())[0]?.[0] ?? 0);
  const missing = await one(
    'SELECT min(seq) + 1 FROM (SELECT seq FROM requests UNION ALL SELECT 0) before ANTI JOIN requests next ON next.seq = before.seq + 1',
  );
  const later = await one(`SELECT count(*) FROM requests WHERE seq > ${missing}`);
  if (later === 0) return 0;
  const untilNs = await one(
    `SELECT max(coalesce(intended_ns, sent_ns, 0)) FROM requests WHERE seq < ${missing}`,
  );
  const isWaiting = `sent_ns > ${untilNs}`;
  const unlessWaiting = (value: string | number): string =>
    `CASE WHEN ${isWaiting} THEN NULL ELSE ${value} END`;
  await connection.run(`
    UPDATE requests SET ${ofAnswer.map((column) => `${column} = NULL`).join(', ')},
      session_id = CASE WHEN endpoint = 'create-session' THEN NULL ELSE session_id END,
      sent_ns = ${unlessWaiting('sent_ns')}, answered_ns = ${unlessWaiting(untilNs)}, lost = ${unlessWaiting("'stopped'")},
      not_sent = CASE WHEN ${isWaiting} THEN 'stopped' END
      WHERE seq < ${missing} AND answered_ns > ${untilNs};
    DELETE FROM requests WHERE seq > ${missing};
    DELETE FROM interactions_in_order WHERE seq NOT IN (SELECT seq FROM requests);
    DELETE FROM bodies WHERE seq NOT IN (SELECT seq FROM requests WHERE status IS NOT NULL);`);
  return later;
}
