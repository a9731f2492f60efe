import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { headerLine, rowWriter, TextBuffer } from './columns.ts';
import type { FileState } from './digest.ts';
import {
  fileIn,
  type HistoryFile,
  historyFiles,
  markWriting,
  unmarkWriting,
  writeManifest,
} from './files.ts';
import {
  type AnswerRecord,
  type CatalogRecord,
  type EventRecord,
  type InteractionRecord,
  interactionColumns,
  type RequestRecord,
  requestColumns,
} from './record.ts';

/** What files of a history hold, by name. */
export type FileStates = Readonly<Record<string, FileState>>;

const writeRequest = rowWriter(requestColumns);
const writeInteraction = rowWriter(interactionColumns);

const flushEveryMs = 100;

/**
 * Writes a run's history, append-only. Records are buffered as bytes and reach the disk at least every 200 ms, so
 * memory stays flat. A write error (a full disk) shows in `failure` and is thrown by `close`.
 */
export class HistoryWriter {
  readonly #dir: string;
  readonly #requests: AppendFile;
  readonly #interactions: AppendFile;
  readonly #answers: AppendFile;
  readonly #catalog: AppendFile;
  readonly #events: AppendFile;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();
  /** Set once writing has failed; the run has to stop, since what follows would not be remembered. */
  failure: Error | undefined;

  private constructor(
    dir: string,
    files: readonly [AppendFile, AppendFile, AppendFile, AppendFile, AppendFile],
  ) {
    this.#dir = dir;
    [this.#requests, this.#interactions, this.#answers, this.#catalog, this.#events] = files;
    this.#timer = setInterval(() => void this.flush(), flushEveryMs);
    this.#timer.unref();
  }

  /** Starts the history of a run in `dir/history`, which must not exist yet. */
  static async create(runDir: string): Promise<HistoryWriter> {
    const dir = join(runDir, 'history');
    await mkdir(dir, { recursive: false });
    await markWriting(dir);
    return HistoryWriter.createSegment(runDir, 0);
  }

  /** Starts the segment of a worker, from 1, in the history that has been started. */
  static async createSegment(runDir: string, segment: number): Promise<HistoryWriter> {
    const dir = join(runDir, 'history');
    const create = (file: HistoryFile, header?: string): Promise<AppendFile> =>
      AppendFile.create(dir, fileIn(segment, file), header);
    return new HistoryWriter(dir, [
      await create(historyFiles.requests, headerLine(requestColumns)),
      await create(historyFiles.interactions, headerLine(interactionColumns)),
      await create(historyFiles.answers),
      await create(historyFiles.catalog),
      await create(historyFiles.events),
    ]);
  }

  request(record: RequestRecord): void {
    writeRequest(this.#requests.pending, record);
  }

  interaction(record: InteractionRecord): void {
    writeInteraction(this.#interactions.pending, record);
  }

  answer(record: AnswerRecord): void {
    this.#answers.pending.text(jsonLine(record));
  }

  catalog(record: CatalogRecord): void {
    this.#catalog.pending.text(jsonLine(record));
  }

  event(record: EventRecord): void {
    this.#events.pending.text(jsonLine(record));
  }

  /**
   * Puts all buffered records on disk. A request comes last: wherever writing ends, what a request on disk sent and
   * was answered is there, too. An answer whose imported shades were lost would accuse the target.
   */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      // What came after a torn record could not be told from it.
      if (this.failure !== undefined) return;
      const files = this.#files();
      // All at once: a record that comes while the others are written waits for the next time.
      for (const file of files) file.swap();
      try {
        for (const file of files) await file.write();
      } catch (error) {
        this.failure ??= error instanceof Error ? error : new Error(String(error));
      }
    });
    return this.#flushing;
  }

  /**
   * Flushes and closes the files and returns their states. Throws an earlier write error. Without a manifest the
   * history counts as cut off.
   */
  async end(): Promise<FileStates> {
    clearInterval(this.#timer);
    await this.flush();
    const files = Object.fromEntries(this.#files().map((file) => [file.name, file.state()]));
    for (const file of this.#files()) await file.close();
    if (this.failure !== undefined) throw this.failure;
    return files;
  }

  /**
   * Ends the history and writes the manifest, with digests of the run's description and ending and the states of the
   * workers' segments. Throws as `end` does; then there is no manifest.
   */
  async close(run?: string, ended?: string, segments: FileStates = {}): Promise<void> {
    const files = await this.end();
    await writeManifest(this.#dir, {
      complete: true,
      ...(run === undefined ? {} : { run }),
      ...(ended === undefined ? {} : { ended }),
      files: { ...files, ...segments },
    });
    await unmarkWriting(this.#dir);
  }

  #files(): readonly AppendFile[] {
    return [this.#catalog, this.#interactions, this.#answers, this.#events, this.#requests];
  }
}

/**
 * One record as a line of JSON. Foreign bodies may hold lone surrogates, which JSON readers reject: they become
 * U+FFFD.
 */
function jsonLine(record: object): string {
  const text = JSON.stringify(record);
  // JSON.stringify writes a lone surrogate, and nothing else, as an escape from \ud800 to \udfff.
  return `${text.includes('\\ud') ? JSON.stringify(record, wellFormed) : text}\n`;
}

function wellFormed(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toWellFormed(), each]));
}

/** A file that only grows, with a running digest of what is in it. */
class AppendFile {
  readonly name: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  /** The text to write next. */
  pending = new TextBuffer();
  /** The other buffer, on its way to the disk or empty. */
  #writing = new TextBuffer();

  private constructor(name: string, handle: FileHandle) {
    this.name = name;
    this.#handle = handle;
  }

  static async create(dir: string, name: string, header = ''): Promise<AppendFile> {
    const file = new AppendFile(name, await open(join(dir, name), 'ax'));
    file.pending.text(header);
    return file;
  }

  /** Makes the pending text what `write` writes. Do not call it while that is under way. */
  swap(): void {
    [this.pending, this.#writing] = [this.#writing, this.pending];
  }

  async write(): Promise<void> {
    if (this.#writing.length === 0) return;
    const chunk = this.#writing.view();
    await this.#handle.appendFile(chunk);
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    this.#writing.clear();
  }

  state(): FileState {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
