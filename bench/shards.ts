import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { judge } from '../src/checks/judge.ts';
import { mergeShards } from '../src/drive/gather/merge.ts';
import { shardFolder } from '../src/drive/gather/shards.ts';
import { openHistory } from '../src/history/history.ts';
import { makePlan } from '../src/plan/plan.ts';
import { generateCatalog } from '../src/scenario/catalog/generate.ts';
import { shoppers, steady, together } from '../src/scenario/load.ts';
import { shopperSettingsSchema } from '../src/scenario/shoppers/settings.ts';
import { eachRole } from '../src/vocabulary/roles.ts';
import { writeLongHistory } from './long-history.ts';
import { type Taken, taken } from './reading.ts';

const launcher = fileURLToPath(new URL('../src/launcher.js', import.meta.url));

/** A plan cut into the parts of `shards` programs, by reading it. */
export interface Cut {
  readonly shards: number;
  /** In the plan, and of these in no part, in more than one, or in one at another instant or for another shopper. */
  readonly requests: number;
  readonly missing: number;
  readonly twice: number;
  readonly different: number;
  /** Of the largest part. */
  readonly most: number;
}

/** Cuts a plan of every kind of traffic. */
export function measureCuts(requests: number, counts: readonly number[]): Cut[] {
  // Journeys add their interactions to the slots: some 11,100 requests a second in all.
  const seconds = requests / 11_000;
  const catalog = generateCatalog({ seed: 1, tag: 'bench', products: 12 });
  const plan = makePlan({
    seed: 1,
    load: [
      together(
        steady('3000/s', `${seconds}s`),
        steady('1000/s', `${seconds}s`, { traffic: 'reads', name: 'reads' }),
        steady('500/s', `${seconds}s`, { traffic: 'sessions', name: 'sessions' }),
        shoppers('100/s', `${seconds}s`),
      ),
    ],
    catalogs: eachRole(() => catalog),
    shoppers: shopperSettingsSchema.parse({}),
    quota: undefined,
  });
  const expected = new Map<number, number>();
  const keyOf = ({ atNs, shopper }: { readonly atNs: number; readonly shopper: number }): number =>
    atNs * 31 + shopper;
  for (const request of plan.requests()) expected.set(request.number, keyOf(request));
  return counts.map((of) => {
    const seen = new Map<number, number>();
    const found = { missing: 0, twice: 0, different: 0, most: 0 };
    for (let index = 0; index < of; index++) {
      let own = 0;
      for (const request of plan.requests({ index, of })) {
        own++;
        if (seen.has(request.number)) found.twice++;
        if (expected.get(request.number) !== keyOf(request)) found.different++;
        seen.set(request.number, index);
      }
      found.most = Math.max(found.most, own);
    }
    for (const number of expected.keys()) if (!seen.has(number)) found.missing++;
    return { shards: of, requests: expected.size, ...found };
  });
}

/** A history judged whole, and cut into shards and merged. */
export interface Same {
  readonly shards: number;
  readonly records: number;
  /** Percentiles of the response times, to the nanosecond, and checks, with all that they say, that differ. */
  readonly percentiles: number;
  readonly percentilesDiffer: number;
  readonly checks: number;
  readonly checksDiffer: readonly string[];
}

export async function measureSame(records: number, counts: readonly number[]): Promise<Same[]> {
  return inFolder(async (folder) => {
    const wholeDir = join(folder, 'whole');
    await writeLongHistory(wholeDir, records);
    const expected = await judgedIn(wholeDir);
    const measured: Same[] = [];
    for (const of of counts) {
      const dir = join(folder, String(of));
      await writeShards(dir, records, of);
      await mergeShards(dir);
      const found = await judgedIn(dir);
      measured.push({
        shards: of,
        records,
        percentiles: expected.percentiles.length,
        percentilesDiffer: expected.percentiles.filter((each, n) => each !== found.percentiles[n]).length,
        checks: expected.checks.length,
        checksDiffer: expected.checks
          .filter((each, n) => !isDeepStrictEqual(each, found.checks[n]))
          .map(({ id }) => id),
      });
      await rm(dir, { recursive: true });
    }
    return measured;
  });
}

const percentileRow = z.object({ ns: z.number() });

async function judgedIn(dir: string): Promise<{
  readonly percentiles: readonly number[];
  readonly checks: Awaited<ReturnType<typeof judge>>['checks'];
}> {
  const history = await openHistory(dir);
  try {
    const rows = await history.rows(
      percentileRow,
      `SELECT unnest(quantiles) AS ns FROM (
         SELECT endpoint, quantile_disc(answered_ns - intended_ns, list_transform(range(1, 1001), n -> n / 1000.0)) AS quantiles
         FROM requests GROUP BY ALL ORDER BY endpoint)`,
    );
    return { percentiles: rows.map(({ ns }) => ns), checks: (await judge(history)).checks };
  } finally {
    history.close();
  }
}

/** What it takes to merge and judge. */
export interface Merged {
  readonly shards: number;
  /** In each. */
  readonly records: number;
  readonly merge: Taken;
  readonly bytesPerRecord: number;
}

export async function measureMerge(shards: number, records: number): Promise<Merged> {
  return inFolder(async (dir) => {
    await writeShards(dir, shards * records, shards);
    const bytes = await bytesBelow(dir);
    const merge = await taken([launcher, 'merge', dir]);
    return { shards, records, merge, bytesPerRecord: Math.round(bytes / (shards * records)) };
  });
}

async function writeShards(dir: string, records: number, of: number): Promise<void> {
  for (let index = 0; index < of; index++)
    await writeLongHistory(join(dir, shardFolder({ index: index + 1, of })), records, { index, of });
}

async function bytesBelow(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tryon-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
