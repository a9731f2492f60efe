import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { duckdbColumns, namedColumns, ownText } from './columns.ts';
import { beginningOf, digestFile, type FileState } from './digest.ts';
import {
  allFiles,
  type HistoryFile,
  historyFiles,
  readManifest,
  segmentsOf,
  writeManifest,
} from './files.ts';
import { interactionColumns, requestColumns } from './record.ts';
import { sessionsSql, skusSql, talliesSql } from './sessions.ts';
import { bytesOf, giveBack, longBytes } from './storage.ts';

/**
 * The columnar copy of a long history's two CSV files. Loading ten million requests from CSV takes 45 s of CPU;
 * queries read the copy directly, and only the columns that they need. It holds the rows of the CSV, as written and
 * grouped by session. It is used only if its digest and the CSV's match the manifest.
 */
export const columnarFiles = {
  requests: 'requests.parquet',
  interactions: 'interactions.parquet',
  sessions: 'sessions.parquet',
  tallies: 'tallies.parquet',
} as const;

/** Goes up when a column is added, or `sessionsSql` or `talliesSql` says something else: a copy that was made by another counts for nothing. */
export const columnarFormat = 5;

/**
 * Histories of at least this many bytes get a copy: a quarter of a million requests. Making it costs half as much
 * again as loading the CSV once, and half the memory; every later judgement saves that load.
 */
const copiedFromBytes = 64 * 2 ** 20;

/** What DuckDB may take while it copies, which it does row group by row group. */
const copyMemory = '512MB';

/** Chosen for reading: half the size of the strings as they are, and hardly any slower than tables of DuckDB's own. */
const format = '(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION lz4_raw)';

interface CopyLimits {
  /** A history of fewer bytes gets no copy. */
  readonly fromBytes?: number;
  /** How many bytes of history are grouped by session at once. */
  readonly partBytes?: number;
}

/**
 * Adds the copy to the closed history in `runDir` if it is long, and names it in the manifest. On a write error it
 * removes the copy and throws. If the process dies, the history has no copy and is only slower to read.
 */
export async function addColumnarCopy(
  runDir: string,
  segments: number,
  { fromBytes = copiedFromBytes, partBytes = longBytes }: CopyLimits = {},
): Promise<void> {
  const dir = join(runDir, 'history');
  const manifest = await readManifest(dir);
  if (manifest?.complete !== true) return;
  const bytes = await bytesOf(allFiles(segments).map((name) => join(dir, name)));
  if (bytes < fromBytes) return;
  const sources = [
    [historyFiles.requests, columnarFiles.requests, requestsCsv(dir, segments)],
    [historyFiles.interactions, columnarFiles.interactions, interactionsCsv(dir, segments)],
  ] as const;
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const spill = await mkdtemp(join(tmpdir(), 'tryon-copy-'));
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: copyMemory,
    temp_directory: spill,
  });
  const connection = await instance.connect();
  await connection.run(giveBack);
  const files: Record<string, FileState> = {};
  const of: Record<string, string> = {};
  try {
    for (const [source, name, rows] of sources) {
      files[name] = await copy(connection, rows, join(dir, name));
      for (const segment of segmentsOf(source, segments)) {
        const written = manifest.files[segment];
        if (written === undefined) throw new Error(`${segment} is not in the manifest`);
        of[segment] = written.sha256;
      }
    }
    await gatherSessions(connection, dir, Math.max(1, Math.ceil(bytes / partBytes)));
    files[columnarFiles.sessions] = await copy(
      connection,
      'gathered ORDER BY seq',
      join(dir, columnarFiles.sessions),
    );
    files[columnarFiles.tallies] = await copy(
      connection,
      `(${talliesSql})`,
      join(dir, columnarFiles.tallies),
    );
    await writeManifest(dir, { ...manifest, columnar: { format: columnarFormat, files, of } });
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

async function copy(connection: DuckDBConnection, rows: string, path: string): Promise<FileState> {
  await connection.run(`COPY (FROM ${rows}) TO ${ownText(`${path}.new`)} ${format}`);
  await rename(`${path}.new`, path);
  const state = digestFile(path);
  if (state === undefined) throw new Error(`${path} is gone`);
  return state;
}

/** Makes the table `gathered`, the rows of `sessions`, part by part: the lists that it takes cannot be put on disk meanwhile. */
async function gatherSessions(connection: DuckDBConnection, dir: string, parts: number): Promise<void> {
  await connection.run(
    `${columnarViews(dir)} CREATE TEMP TABLE skus AS ${skusSql}; SET preserve_insertion_order = false;`,
  );
  for (let part = 0; part < parts; part++)
    await connection.run(
      `${part === 0 ? 'CREATE TEMP TABLE gathered AS' : 'INSERT INTO gathered'} ${sessionsSql({ part, parts })}`,
    );
}

/** SQL that makes `requests` and `interactions` views of the copy. */
export function columnarViews(dir: string): string {
  const rows = (name: string, more = ''): string => `read_parquet(${ownText(join(dir, name))}${more})`;
  return `
    CREATE VIEW requests AS FROM ${rows(columnarFiles.requests)};
    CREATE VIEW interactions AS SELECT file_row_number AS place, * EXCLUDE (file_row_number)
      FROM ${rows(columnarFiles.interactions, ', file_row_number = true')};`;
}

const csv = "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', auto_detect = false";

/**
 * SQL: the rows of a history's requests as written, segment by segment. Older versions wrote fewer columns: the
 * missing ones are NULL.
 */
export function requestsCsv(dir: string, segments: number): string {
  const names = writtenColumns(join(dir, historyFiles.requests));
  const columns = namedColumns(requestColumns);
  const written = columns.filter(({ name }) => names === undefined || names.has(name));
  const rows = `read_csv(${paths(dir, historyFiles.requests, segments)}, ${csv}, columns = ${duckdbColumns(written)})`;
  const absent = columns.filter((column) => !written.includes(column));
  if (absent.length === 0) return rows;
  const nulls = absent.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${name}`);
  return `(SELECT *, ${nulls.join(', ')} FROM ${rows})`;
}

/** The names in a table's first line, whose columns only ever grow at the end; undefined where the file has none. */
function writtenColumns(path: string): ReadonlySet<string> | undefined {
  const [line = ''] = beginningOf(path, longestHeaderBytes).split('\n', 1);
  return line === '' ? undefined : new Set(line.split(','));
}

const longestHeaderBytes = 4_096;

/** SQL: the rows of a history's interactions as they were written, segment by segment. */
export function interactionsCsv(dir: string, segments: number): string {
  return `read_csv(${paths(dir, historyFiles.interactions, segments)}, ${csv}, columns = ${duckdbColumns(namedColumns(interactionColumns))})`;
}

function paths(dir: string, file: HistoryFile, segments: number): string {
  return `[${segmentsOf(file, segments)
    .map((name) => ownText(join(dir, name)))
    .join(', ')}]`;
}
