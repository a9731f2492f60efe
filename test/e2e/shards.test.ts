import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runInfoSchema } from '../../src/history/run.ts';
import { s3Secret, startS3 } from '../drive/gather/s3-double.ts';
import { cutIntoShards } from '../drive/gather/shard-folders.ts';
import { isLong, times } from '../effort.ts';
import { unpack } from '../frozen/folder.ts';
import {
  atEnd,
  atMost,
  leaks,
  type Program,
  patiently,
  readVerdicts,
  serve,
  start,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';
import { startShard } from './start-shard.ts';

function failures(dir: string): string[] {
  return troubles(readVerdicts(dir)).filter((trouble) => /^\S+: fail /.test(trouble));
}

describe.concurrent('a plan that several programs send', () => {
  const inTurn = atMost(3);
  /** Each of four shards once it is ready, and once it has recorded so many requests of the load, of some 20. */
  const instants = [1, 2, 3, 4].flatMap((shard) => [0, 1, 4, 7, 10].map((requests) => ({ shard, requests })));
  it.runIf(isLong).each(instants)(
    'is not passed without shard $shard of 4, killed after $requests requests: it is named, and the target not accused',
    ({ requests, shard }) =>
      inTurn(async () => {
        const service = await serve(['--rate-limit', '1000000/1m']);
        const gather = join(temporaryFolder(), 'gathered');
        // The first waits for the lost one as long as its last answer may take, and half a minute.
        const profile = { ...patiently, timeouts: { headers: '2s', body: '2s' } } as const;
        const run = { ...service, gather, scenario: 'shopping', profile };
        const shards = [1, 2, 3, 4].map((n) => startShard(run, `${n}/4`));
        const killed = shards[shard - 1] as Program;
        const note = join(gather, 'notes', shard === 1 ? 'start.json' : `ready-${shard}.json`);
        const record = join(gather, `shard-${shard}-of-4`, 'history', 'requests.csv');
        await killed.until(
          () => existsSync(note) && readFileSync(record, 'utf8').split(',load,shoppers,').length > requests,
        );
        killed.process.kill('SIGKILL');
        const ended = await Promise.all(shards.map((each) => each.ended));
        expect(ended[shard - 1]?.signal).toBe('SIGKILL');
        const merged = await tryon(['merge', gather]);
        expect(merged.code, merged.stdout + merged.stderr).toBe(3);
        expect(merged.stdout).toMatch(new RegExp(`shard ${shard} of 4 (has no whole record|is missing)`));
        const { shards: states } = runInfoSchema.parse(
          JSON.parse(readFileSync(join(gather, 'run.json'), 'utf8')),
        );
        expect(states?.findIndex(({ state }) => state !== 'whole')).toBe(shard - 1);
        expect(failures(gather)).toEqual([]);
      }),
  );
});

it.runIf(isLong)('a merge that was killed is done again, to the same verdicts', async () => {
  const recorded = temporaryFolder();
  unpack(join(import.meta.dirname, '../frozen/honest'), recorded);
  const gather = join(temporaryFolder(), 'gathered');
  await cutIntoShards(recorded, gather, 4);
  const undisturbed = await tryon(['merge', gather]);
  const verdicts = readVerdicts(gather);
  const count = times(2, 20);
  for (let n = 0; n < count; n++) {
    const judge = start(['merge', gather]);
    // The first times soon after its start, the last ones about when the reports are written.
    await sleep(((n + 1) / count) * 1_200);
    judge.process.kill('SIGKILL');
    await judge.ended;
    if (isLong || n === count - 1) {
      const again = await tryon(['merge', gather]);
      expect([again.code, again.stderr]).toEqual([undisturbed.code, undisturbed.stderr]);
      expect(readVerdicts(gather)).toEqual(verdicts);
    }
  }
});

describe.concurrent('a plan that two programs send, who meet in a bucket', () => {
  const gather = 's3://runs/team/run1';

  it('is judged as one run, by a program that has nothing but the bucket', async () => {
    const [service, s3] = [await serve([]), await startS3()];
    atEnd(s3.close);
    // Each on a machine of its own.
    const shards = ['1/2', '2/2'].map((shard) =>
      startShard({ ...service, gather, scenario: 'glance' }, shard, { env: s3.env, cwd: temporaryFolder() }),
    );
    for (const { ended } of shards) {
      const { code, stderr, stdout } = await ended;
      expect(code, stdout + stderr).toBe(0);
    }
    const again = await startShard({ ...service, gather, scenario: 'glance' }, '2/2', {
      env: s3.env,
      cwd: temporaryFolder(),
    }).ended;
    expect(again.code, again.stdout).toBe(2);
    expect(again.stderr).toMatch(/shard 2 of 2 is in s3:\/\/runs\/team\/run1 already, and is not sent twice/);
    const cwd = temporaryFolder();
    const merged = await tryon(['merge', gather], { env: s3.env, cwd });
    const judged = join(cwd, 'reports', 'runs-team-run1');
    const verdicts = readVerdicts(judged);
    expect(troubles(verdicts), merged.stdout).toEqual([]);
    expect(verdicts.checks.find(({ id }) => id === 'books.planned')?.verdict).toBe('pass');
    expect(readFileSync(join(judged, 'report.html'), 'utf8')).toContain('2 programs shared the planned load');
    expect(merged.code, merged.stdout + merged.stderr).toBe(0);
    expect(JSON.parse(s3.objects.get('team/run1/verdicts.json')?.toString() ?? '')).toEqual(verdicts);
    const secrets = [...Object.values(service.keys), s3Secret];
    const stored = [...s3.objects].filter(([, bytes]) => secrets.some((secret) => bytes.includes(secret)));
    expect(stored.map(([name]) => name)).toEqual([]);
    for (const each of [merged, ...(await Promise.all(shards.map(({ ended }) => ended)))])
      expect(leaks(cwd, each, secrets)).toEqual([]);
  });

  it.runIf(isLong)(
    'is not passed where the bucket goes away during the load, which one line says',
    async () => {
      const [service, s3] = [await serve([]), await startS3()];
      atEnd(s3.close);
      const cwd = temporaryFolder();
      const startNote = 'team/run1/notes/start.json';
      let isGone = false;
      s3.fault = (request) => {
        if (isGone) return 503;
        // The other shard is told when to start, and nothing after that.
        isGone = request.startsWith('GET') && request.endsWith('start.json') && s3.objects.has(startNote);
        return undefined;
      };
      const shards = ['1/2', '2/2'].map((shard) =>
        startShard({ ...service, gather, scenario: 'glance' }, shard, { env: s3.env, cwd }),
      );
      for (const { ended } of shards) {
        const { code, stderr, stdout } = await ended;
        const errors = stderr.split('\n').filter((line) => !/^\d+:\d\d |^$/.test(line));
        expect(errors, stdout + stderr).toEqual([
          expect.stringMatching(
            /^tryon: reports.* could not be copied to s3:.*SlowDown.* It is whole: copy it to s3:/,
          ),
        ]);
        expect(code).toBe(74);
      }
      const merged = await tryon(['merge', join('reports', 'runs-team-run1')], { cwd });
      expect(merged.code, merged.stdout + merged.stderr).toBe(3);
      const { checks } = readVerdicts(join(cwd, 'reports', 'runs-team-run1'));
      expect(checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    },
  );
});
