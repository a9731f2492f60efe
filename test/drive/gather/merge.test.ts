import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../../src/checks/diagnosis/diagnosis.ts';
import { mergeShards } from '../../../src/drive/gather/merge.ts';
import { openHistory } from '../../../src/history/history.ts';
import type { RunInfo } from '../../../src/history/run.ts';
import { profileSchema } from '../../../src/target/profile.ts';
import { rowsOf } from '../../effort.ts';
import { judged, readExpected, unpack } from '../../frozen/folder.ts';
import { sampleRun } from '../../history/sample.ts';
import { temporaryFolder } from '../../history/temporary-folder.ts';
import { cutIntoShards, writeShard } from './shard-folders.ts';

const frozen = (name: string): string => join(import.meta.dirname, '../../frozen', name);

async function recorded(name: string): Promise<string> {
  const runDir = await temporaryFolder();
  unpack(frozen(name), runDir);
  return runDir;
}

/** Of each check, all that it says. */
function said({ checks, diagnosis, verdict }: Judgement): unknown {
  return { verdict, checks, causes: diagnosis.causes.map(({ cause }) => cause) };
}

const shards = (count: number, of: Partial<RunInfo> = {}): RunInfo[] =>
  Array.from({ length: count }, (_, n) => ({
    ...sampleRun,
    profile: { ...profileSchema.parse({}) },
    ended: { at_epoch_ms: 1, how: 'completed', clock_error_ns: 0 },
    ...of,
    shard: { index: n + 1, of: count, plan: 'digest' },
  }));

async function gathered(runs: readonly RunInfo[]): Promise<string> {
  const dir = await temporaryFolder();
  for (const run of runs) await writeShard(dir, run);
  return dir;
}

describe('a run merged from shards', () => {
  const cases: readonly [string, number][] = [
    ['honest', 2],
    ['honest', 3],
    ['y6', 8],
    ['r2', 4],
  ];
  it.each(rowsOf(cases, ([, of]) => of === 3))(
    'is judged as the same records in one history, to the word (%s, %i shards)',
    async (name, of) => {
      const runDir = await recorded(name);
      const dir = await temporaryFolder();
      await cutIntoShards(runDir, dir, of);
      const run = await mergeShards(dir);
      expect(run.shards?.map(({ state }) => state)).toEqual(new Array(of).fill('whole'));
      expect(said(await judged(dir))).toEqual(said(await judged(runDir)));
    },
  );

  it('is the same when it is merged again', async () => {
    const dir = await temporaryFolder();
    await cutIntoShards(await recorded('honest'), dir, 2);
    await mergeShards(dir);
    const before = await readFile(join(dir, 'run.json'), 'utf8');
    await mergeShards(dir);
    expect(await readFile(join(dir, 'run.json'), 'utf8')).toBe(before);
    expect((await openHistory(dir)).integrity).toEqual({ kind: 'intact' });
  });

  it('ended as the first shard that did not complete', async () => {
    const runs = shards(3);
    const cap = {
      ...(runs[1] as RunInfo),
      ended: { at_epoch_ms: 7, how: 'cap' as const, detail: 'enough', clock_error_ns: 0 },
    };
    const run = await mergeShards(await gathered([runs[0] as RunInfo, cap, runs[2] as RunInfo]));
    expect(run.ended).toMatchObject({ how: 'cap', detail: 'shard 2 of 3: enough' });
  });
});

it('a shard whose clock was not read after its run has no whole record: its instants are not bounded', async () => {
  const [first, second] = shards(2) as [RunInfo, RunInfo];
  const unbounded = { ...second, ended: { at_epoch_ms: 1, how: 'completed' as const } };
  const run = await mergeShards(await gathered([first, unbounded]));
  expect(run.shards?.map(({ state }) => state)).toEqual(['whole', 'cut-off']);
  expect(run.ended?.detail).toBe('shard 2 of 2 has no whole record');
});

describe('of a run that lost a shard', () => {
  it.each(rowsOf([2, 3], (lost) => lost === 2))(
    'that is not there, nothing passes and nobody is accused (shard %i of 3)',
    async (lost) => {
      const dir = await temporaryFolder();
      await cutIntoShards(await recorded('honest'), dir, 3);
      await rm(join(dir, `shard-${lost}-of-3`), { recursive: true });
      const run = await mergeShards(dir);
      expect(run.ended).toMatchObject({ how: 'error', detail: `shard ${lost} of 3 is missing` });
      const { checks, verdict } = await judged(dir);
      expect(verdict).toBe('inconclusive');
      expect(checks.filter((check) => check.verdict === 'fail')).toEqual([]);
      const analytics = checks.find(({ id }) => id === 'analytics.total-sessions');
      expect(analytics?.explanation).toMatch(`Shard ${lost} of 3 left no whole history`);
      expect(checks.find(({ id }) => id === 'books.planned')?.verdict).toBe('inconclusive');
    },
  );

  it('that was killed, the rest of its records is used, and it is named', async () => {
    const dir = await temporaryFolder();
    const [, , third] = await cutIntoShards(await recorded('honest'), dir, 3);
    const folder = join(dir, 'shard-3-of-3');
    const { ended: _, ...begun } = third as RunInfo;
    await writeFile(join(folder, 'run.json'), JSON.stringify(begun));
    await rm(join(folder, 'history', 'manifest.json'));
    await appendFile(join(folder, 'history', 'requests.csv'), '99999,load,torn');
    const run = await mergeShards(dir);
    expect(run.shards?.map(({ state }) => state)).toEqual(['whole', 'whole', 'cut-off']);
    const { checks, verdict } = await judged(dir);
    expect(verdict).toBe('inconclusive');
    expect(checks.filter((check) => check.verdict === 'fail')).toEqual([]);
  });

  it('fails all the same by what single answers of the others show', async () => {
    const dir = await temporaryFolder();
    const runDir = await recorded('p5');
    expect(readExpected(frozen('p5')).checks['latency.slo.1']).toBe('fail');
    await cutIntoShards(runDir, dir, 3);
    await rm(join(dir, 'shard-2-of-3'), { recursive: true });
    await mergeShards(dir);
    const { verdict } = await judged(dir);
    expect(verdict).toBe('fail');
  });
});

describe('not merged are', () => {
  const [first, second] = shards(2) as [RunInfo, RunInfo];
  it.each<[string, readonly RunInfo[], RegExp]>([
    [
      'shards of another seed',
      [first, { ...second, seed: 8 }],
      /shard 2 of 2 is not of the same run: seed: 8, not 1/,
    ],
    [
      'shards of another plan',
      [first, { ...second, shard: { index: 2, of: 2, plan: 'other' } }],
      /shard 2 of 2 is not of the same run: plan: other, not digest/,
    ],
    [
      'shards of another version',
      [first, { ...second, versions: { tryon: '9.9.9' } }],
      /the version of tryon: 9\.9\.9, not undefined/,
    ],
    [
      'shards with another profile',
      [first, { ...second, profile: { ...second.profile, connections: 3 } }],
      /profile: connections is 3, not 512/,
    ],
    [
      'shards with another key',
      [first, { ...second, keys: { load: { from: 'env KEY', fingerprint: 'ffffffff' } } }],
      /shard 2 of 2 is not of the same run: keys: load is \{.*\}, not nothing|keys: load is "ffffffff", not nothing/,
    ],
    ['shards of two runs', [first, ...shards(3)], /shards of several runs: of 2, of 3/],
  ])('%s', async (_, runs, says) => {
    await expect(mergeShards(await gathered(runs))).rejects.toThrow(says);
  });

  it('a shard in the folder of another', async () => {
    const dir = await gathered([first, second]);
    await writeFile(join(dir, 'shard-2-of-2', 'run.json'), JSON.stringify(first));
    await expect(mergeShards(dir)).rejects.toThrow(
      /expected the run of shard 2 of 2, found that of shard 1 of 2/,
    );
  });

  it('a shard that was changed after its run', async () => {
    const dir = await gathered([first, second]);
    await appendFile(join(dir, 'shard-2-of-2', 'history', 'requests.csv'), '\n');
    await expect(mergeShards(dir)).rejects.toThrow(
      /shard-2-of-2: the history was changed after the run: requests\.csv/,
    );
  });

  it('a folder without shards, and one of which none has begun', async () => {
    const dir = await temporaryFolder();
    await expect(mergeShards(dir)).rejects.toThrow(/no shards in it \(no folder shard-i-of-N\)/);
    await mkdir(join(dir, 'shard-1-of-2'));
    await expect(mergeShards(dir)).rejects.toThrow(/no shard in it has a run\.json/);
  });
});

it('the folder of one shard alone is not judged', async () => {
  const dir = await gathered(shards(2));
  await expect(openHistory(join(dir, 'shard-2-of-2'))).rejects.toThrow(
    /shard 2 of 2, which shows only a part: tryon merge .* judges all/,
  );
});
