import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Meeting } from '../src/drive/gather/meeting.ts';
import { type GatherStore, openFolderStore } from '../src/drive/gather/store.ts';

export interface Barrier {
  readonly shards: number;
  /** From the start of all until the last knows when the load begins; and how long before that instant it knows it. */
  readonly tookMs: number;
  readonly spareMs: number;
  /** What all ask of the store in that time, each second. */
  readonly callsPerSecond: number;
}

/** The start of `shards` shards that are ready at once, all in this process, with one folder. */
export async function measureBarrier(shards: number): Promise<Barrier> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  try {
    const store = await openFolderStore(folder);
    let calls = 0;
    const counting: GatherStore = {
      ...store,
      create: (...given) => {
        calls++;
        return store.create(...given);
      },
      read: (name) => {
        calls++;
        return store.read(name);
      },
      names: () => {
        calls++;
        return store.names();
      },
    };
    const patience = { startMs: 600_000, doneMs: 0 };
    const meetings = Array.from(
      { length: shards },
      (_, n) => new Meeting(counting, { index: n + 1, of: shards }, patience),
    );
    const startMs = performance.now();
    const [first, ...others] = meetings;
    const startsNs = first?.begin({}, () => performance.now() * 1e6);
    await Promise.all(others.map((meeting) => meeting.awaitStart()));
    const endMs = performance.now();
    const tookMs = endMs - startMs;
    return {
      shards,
      tookMs: Math.round(tookMs),
      spareMs: Math.round(((await startsNs) ?? Number.NaN) / 1e6 - endMs),
      callsPerSecond: Math.round((calls / tookMs) * 1e3),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
