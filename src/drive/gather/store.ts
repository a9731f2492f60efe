import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemWords, usageError } from '../../exit.ts';

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

/** One look at the store's clock. */
export interface ClockReading {
  /** Of this program's monotonic clock, milliseconds, just before and just after. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** What the store's clock showed in between, epoch milliseconds: of its last tick. */
  readonly storeMs: number;
}

/** What the store's clock shows at this program's zero lies between these, epoch milliseconds. */
export interface ZeroBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * What readings in a row tell of the store's clock. It shows no instant that has not come, so zero is no earlier than any
 * reading says; and it is at most `resolutionMs` behind, at least in the reading that is the least behind. Of a coarse
 * clock that one is nearly right, so zero is most likely near `minMs`. Where ticks are known to show in time, no reading
 * is further behind: then the last one before a tick bounds zero best. Undefined if the readings contradict each other.
 */
export function zeroBoundsOf(
  readings: readonly ClockReading[],
  { resolutionMs, tickLateMs }: Pick<StoreClock, 'resolutionMs' | 'tickLateMs'>,
): ZeroBounds | undefined {
  const minMs = Math.max(...readings.map(({ afterMs, storeMs }) => storeMs - afterMs));
  const behind = readings.map(({ beforeMs, storeMs }) => storeMs - beforeMs + resolutionMs);
  if (tickLateMs === undefined) {
    const wentBack = readings.some(({ storeMs }, n) => storeMs < (readings[n - 1]?.storeMs ?? storeMs));
    return wentBack ? undefined : { minMs, maxMs: Math.max(...behind) };
  }
  const maxMs = Math.min(...behind) + tickLateMs;
  return minMs > maxMs ? undefined : { minMs, maxMs };
}

/** Enough readings to fall everywhere between two ticks. */
const enough = 50;

/** A clock that shows the time, as a store has it. */
export interface StoreClock {
  /** What it shows at some instant of the call, epoch milliseconds: of its last tick. */
  time(): Promise<number>;
  /** The longest from tick to tick. */
  readonly resolutionMs: number;
  /** How long after it is due a tick may show, if that is known. */
  readonly tickLateMs?: number;
}

/** Reads a store's clock. `nowMs`: this program's monotonic clock. */
export async function readStoreClock(
  store: StoreClock,
  nowMs: () => number,
): Promise<ZeroBounds | undefined> {
  const readings: ClockReading[] = [];
  while (readings.length < enough) {
    const beforeMs = nowMs();
    const storeMs = await store.time();
    readings.push({ beforeMs, afterMs: nowMs(), storeMs });
    if (store.resolutionMs > enough) await sleep(store.resolutionMs / enough);
  }
  return zeroBoundsOf(readings, store);
}

/** The most by which an instant may be wrong where zero was taken to be at `zeroMs`, nanoseconds. */
export function clockErrorNs(zeroMs: number, bounds: readonly ZeroBounds[]): number {
  const worstMs = Math.max(...bounds.flatMap(({ maxMs, minMs }) => [zeroMs - minMs, maxMs - zeroMs]));
  return Math.ceil(worstMs * 1e6);
}
