import { rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

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
