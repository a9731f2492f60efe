import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemWords, usageError } from '../exit.ts';
import type { StoreClock } from './store-clock.ts';

/** Where the shards of a run meet: small texts, each written once and whole, and a clock that all can read. */
export interface GatherStore extends StoreClock {
  /** For messages. */
  readonly place: string;
  /** How often a shard looks for a note that it waits for. */
  readonly pollMs: number;
  /** Puts a text there; false if there is one of that name already. */
  create(name: string, text: string): Promise<boolean>;
  /** Undefined where there is none. */
  read(name: string): Promise<string | undefined>;
  names(): Promise<readonly string[]>;
  /** Brings a shard's run to where `merge` finds it, if it is not written there. */
  handIn?(runDir: string): Promise<void>;
}

/** File systems date by a clock that ticks 100 to 1,000 times a second (Linux, `CLOCK_REALTIME_COARSE`), or by a finer one. */
const fileClockMs = 10;

/** The folder of the notes, in the place where shards are gathered. */
export const notesFolder = 'notes';

/**
 * A store in a folder that all shards see, such as one on a network file system. Its clock is that by which the file
 * system dates what is written. Throws a usage error if nothing can be written there.
 */
export async function openFolderStore(dir: string): Promise<GatherStore> {
  const notes = join(dir, notesFolder);
  try {
    await mkdir(notes, { recursive: true });
  } catch (error) {
    throw usageError(`--gather: ${dir}: ${systemWords(error)}`, error);
  }
  const scrap = (): string => join(notes, `.${randomBytes(6).toString('hex')}`);
  return {
    place: dir,
    pollMs: 50,
    resolutionMs: fileClockMs,
    async create(name, text) {
      const written = scrap();
      await writeFile(written, text);
      try {
        // A name is given only to what is whole, and only once, also among machines.
        await link(written, join(notes, name));
        return true;
      } catch (error) {
        if (isCode(error, 'EEXIST')) return false;
        throw error;
      } finally {
        await rm(written);
      }
    },
    async read(name) {
      try {
        return await readFile(join(notes, name), 'utf8');
      } catch (error) {
        if (isCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    async names() {
      return (await readdir(notes)).filter((name) => !name.startsWith('.'));
    },
    async time() {
      const written = scrap();
      const handle = await open(written, 'wx');
      try {
        await handle.write('.');
        const { mtimeNs } = await handle.stat({ bigint: true });
        return Number(mtimeNs / 1_000_000n) + Number(mtimeNs % 1_000_000n) / 1e6;
      } finally {
        await handle.close();
        await rm(written);
      }
    },
  };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
