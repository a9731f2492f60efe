import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { usageError } from '../exit.ts';
import { isObject, type JsonObject, parsedJson } from '../target/json.ts';
import { isMissing } from './digest.ts';

/** The files of `history/`. */
export const historyFiles = {
  requests: 'requests.csv',
  interactions: 'interactions.csv',
  answers: 'answers.ndjson',
  catalog: 'catalog.ndjson',
  events: 'events.ndjson',
} as const;
export type HistoryFile = (typeof historyFiles)[keyof typeof historyFiles];

/** Beside them: the description of the target, if the run was given one. Its digest is in `run.json`. */
export const descriptionFile = 'openapi.json';

/*
 * Each worker thread writes a segment of the history, so that none waits for another. The main thread writes
 * `requests.csv` and so on, as in every run; worker n writes its load to `requests.n.csv` and so on. Together they
 * are the history. In a run merged from shards, segment n has the records of shard n + 1.
 */

/** More workers than this no machine has cores for. */
export const mostWorkers = 64;

/** A file's name in a segment: 0, the main thread's, or the number of a worker. */
export function fileIn(segment: number, file: HistoryFile): string {
  return segment === 0 ? file : file.replace('.', `.${segment}.`);
}

/** How many segments the history of a run has: of its main thread and of each worker, or of each shard. */
export function segmentCount({
  shards,
  workers,
}: {
  readonly workers?: number | undefined;
  readonly shards?: readonly unknown[] | undefined;
}): number {
  if (shards !== undefined) return shards.length;
  return workers === undefined ? 1 : workers + 1;
}

/** The names of one file in all segments of a run. */
export function segmentsOf(file: HistoryFile, segments: number): string[] {
  return Array.from({ length: segments }, (_, segment) => fileIn(segment, file));
}

/** The names of all files of a run's history. */
export function allFiles(segments: number): string[] {
  return Object.values(historyFiles).flatMap((file) => segmentsOf(file, segments));
}

const fileState = z.strictObject({ bytes: z.number(), sha256: z.string() });

const manifestSchema = z.strictObject({
  /** False when the writer never got to close it, and the files were recovered as they stood. */
  complete: z.boolean(),
  /** Digest of `run.json` except its end: the planned checks, and the promises. */
  run: z.string().exactOptional(),
  /** Digest of how the run ended, which `run.json` says from then on. */
  ended: z.string().exactOptional(),
  files: z.record(z.string(), fileState),
  /** Bytes of a torn last line that recovery cut, by file. */
  cut: z.record(z.string(), z.number()).exactOptional(),
  /** The copy by columns of a long history, if there is one, and the digests of the files that it was made from. */
  columnar: z
    .strictObject({
      format: z.number().exactOptional(),
      files: z.record(z.string(), fileState),
      of: z.record(z.string(), z.string()),
    })
    .exactOptional(),
});
/** `history/manifest.json`, written when a history is closed (or recovered): what each file holds, to the byte. */
export type Manifest = Readonly<z.output<typeof manifestSchema>>;

const manifestFile = 'manifest.json';

/**
 * The manifest in a history's folder; undefined if the history was never closed. Throws a usage error if it is
 * invalid.
 */
export async function readManifest(dir: string): Promise<Manifest | undefined> {
  const file = join(dir, manifestFile);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw usageError(`${file}: not a manifest of a history`, error);
  }
}

/** Writes it whole or not at all: a process that dies meanwhile leaves the one before. */
export async function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  const file = join(dir, manifestFile);
  await writeFile(`${file}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

const file = 'writing.json';
const schema = z.object({ pid: z.number().int().positive(), host: z.string() });

/** Leaves word in a history's folder that this process is writing it. */
export async function markWriting(dir: string): Promise<void> {
  await writeFile(join(dir, file), `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`);
}

export async function unmarkWriting(dir: string): Promise<void> {
  await rm(join(dir, file), { force: true });
}

/**
 * Throws a usage error if another process of this machine is still writing the history: recovery would cut the file
 * that it writes. A killed writer leaves its lock file, but its process is gone.
 */
export async function assertNotWritten(dir: string): Promise<void> {
  const text = await readFile(join(dir, file), 'utf8').catch(() => '');
  const { data } = schema.safeParse(parsedJson(text));
  if (data === undefined || data.host !== hostname() || data.pid === process.pid || !isAlive(data.pid))
    return;
  throw usageError(
    `${dir}: process ${data.pid} is still writing this history; wait for the run to end (or, if that process is no run of tryon, remove ${file} there)`,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A file of a run as JSON. Throws a usage error if another version of tryon wrote it. */
export function parseVersioned(file: string, text: string, version: number): JsonObject {
  const value = parsedJson(text);
  if (!isObject(value)) throw usageError(`${file}: expected a JSON object`);
  if (value.schema_version !== version)
    throw usageError(
      `${file}: expected schema version ${version}, got ${JSON.stringify(value.schema_version) ?? 'none'}: another version of tryon wrote it`,
    );
  return value;
}
