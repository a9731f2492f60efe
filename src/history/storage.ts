import { rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';

/** Where the tables of an open history live. */
interface Storage {
  readonly connection: DuckDBConnection;
  /** Closes the database, and removes what it had on disk. */
  close(): void;
}

/** Files larger than this together are loaded into a file; as tables in memory they would take twice their size. */
const inMemoryBytes = 512 * 2 ** 20;

/** What DuckDB may take besides when its tables are in a file: with it, the process stays under 2 GiB. */
const memoryBesides = '1200MB';

/** An empty database for these files: in memory, or for a long run's history in a temporary file, compressed. */
export async function openStorage(paths: readonly string[]): Promise<Storage> {
  // Loaded here and not above: the native library costs start-up time that only readers of a history should pay.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const dir = bytes > inMemoryBytes ? await mkdtemp(join(tmpdir(), 'tryon-tables-')) : undefined;
  const instance =
    dir === undefined
      ? await DuckDBInstance.create(':memory:')
      : await DuckDBInstance.create(join(dir, 'history.duckdb'), { memory_limit: memoryBesides });
  const connection = await instance.connect();
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
      if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}
