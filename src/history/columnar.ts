import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdbColumns, interactionColumns, requestColumns } from './columns.ts';
import { allFiles, type HistoryFile, historyFiles, segmentsOf } from './files.ts';
import { type FileState, readManifest, stateOf, writeManifest } from './manifest.ts';
import { bytesOf } from './storage.ts';

/**
 * The copy by columns of a long history's two CSV files. Reading ten million requests from CSV takes 45 seconds of CPU,
 * most of it to store them where questions can be asked; the copy is asked directly, and only for the columns that a
 * question is about. It holds what the CSV holds and nothing else, and counts for nothing unless it is as it was
 * written and the CSV is what it was made from.
 */
export const columnarFiles = { requests: 'requests.parquet', interactions: 'interactions.parquet' } as const;

/**
 * From so many bytes on a history gets one, that of a quarter of a million requests. To make it takes half as long again as
 * to load the CSV once, which whoever judges the run then need not, now or later; and takes half the memory.
 */
const copiedFromBytes = 64 * 2 ** 20;

/** What DuckDB may take while it copies, which it does row group by row group. */
const copyMemory = '512MB';

/** Chosen for reading: half the size of the strings as they are, and hardly any slower than tables of DuckDB's own. */
const format = '(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION lz4_raw)';

/**
 * Adds the copy to the closed history in `runDir` if it has so many bytes, and names it in the manifest. Throws what writing throws, and then leaves none. A process that dies
 * meanwhile leaves a history without one, which is as good, but slower to read.
 */
export async function addColumnarCopy(
  runDir: string,
  workers: number | undefined,
  fromBytes: number = copiedFromBytes,
): Promise<void> {
  const dir = join(runDir, 'history');
  const manifest = await readManifest(dir);
  if (manifest?.complete !== true) return;
  if ((await bytesOf(allFiles(workers).map((name) => join(dir, name)))) < fromBytes) return;
  const sources = [
    [historyFiles.requests, columnarFiles.requests, requestsCsv(dir, workers)],
    [historyFiles.interactions, columnarFiles.interactions, interactionsCsv(dir, workers)],
  ] as const;
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const spill = await mkdtemp(join(tmpdir(), 'tryon-copy-'));
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: copyMemory,
    temp_directory: spill,
  });
  const connection = await instance.connect();
  const files: Record<string, FileState> = {};
  const of: Record<string, string> = {};
  try {
    for (const [source, name, rows] of sources) {
      const path = join(dir, name);
      await connection.run(`COPY (FROM ${rows}) TO ${sqlPath(`${path}.new`)} ${format}`);
      await rename(`${path}.new`, path);
      const state = await stateOf(path);
      if (state === undefined) throw new Error(`${path} is gone`);
      files[name] = state;
      for (const segment of segmentsOf(source, workers)) {
        const written = manifest.files[segment];
        if (written === undefined) throw new Error(`${segment} is not in the manifest`);
        of[segment] = written.sha256;
      }
    }
    await writeManifest(dir, { ...manifest, columnar: { files, of } });
  } catch (error) {
    for (const name of Object.values(columnarFiles))
      for (const path of [name, `${name}.new`]) await rm(join(dir, path), { force: true });
    throw error;
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(spill, { recursive: true, force: true });
  }
}

const csv = "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', auto_detect = false";

/** SQL: the rows of a history's requests as they were written, segment by segment. */
export function requestsCsv(dir: string, workers: number | undefined): string {
  return `read_csv(${paths(dir, historyFiles.requests, workers)}, ${csv}, columns = ${duckdbColumns(requestColumns)})`;
}

/** SQL: the rows of a history's interactions as they were written, segment by segment. */
export function interactionsCsv(dir: string, workers: number | undefined): string {
  return `read_csv(${paths(dir, historyFiles.interactions, workers)}, ${csv}, columns = ${duckdbColumns(interactionColumns)})`;
}

function paths(dir: string, file: HistoryFile, workers: number | undefined): string {
  return `[${segmentsOf(file, workers)
    .map((name) => sqlPath(join(dir, name)))
    .join(', ')}]`;
}

/** SQL: a path as text. */
export function sqlPath(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}
