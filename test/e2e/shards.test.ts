import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInfoSchema } from '../../src/history/run.ts';
import { isLong } from '../effort.ts';
import {
  leaks,
  patiently,
  profileArguments,
  readVerdicts,
  scenario,
  serve,
  start,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

type Served = Awaited<ReturnType<typeof serve>>;

/** Starts one shard of several against a service. */
function startShard(
  { baseUrl, keys }: Served,
  shard: string,
  { gather, name }: { readonly gather: string; readonly name: string },
): ReturnType<typeof start> {
  return start(
    [
      ...['run', scenario(name), '--seed', '3', '--target', baseUrl, '--key', 'load=LOAD'],
      ...['--shard', shard, '--gather', gather, ...profileArguments(patiently)],
    ],
    { env: { LOAD: keys.load ?? '' } },
  );
}

describe.concurrent('a plan that two programs send', () => {
  it('is judged as one run, with every request of the plan on record once', async () => {
    const service = await serve([]);
    const gather = join(temporaryFolder(), 'gathered');
    const at = { gather, name: 'glance' };
    const ended = await Promise.all(['1/2', '2/2'].map((shard) => startShard(service, shard, at).ended));
    for (const { code, stderr, stdout } of ended) expect(code, stdout + stderr).toBe(0);
    const merged = await tryon(['merge', gather]);
    expect(troubles(readVerdicts(gather)), merged.stdout).toEqual([]);
    expect(merged.code, merged.stdout + merged.stderr).toBe(0);
    const { checks } = readVerdicts(gather);
    expect(checks.find(({ id }) => id === 'books.planned')?.verdict).toBe('pass');
    expect(existsSync(join(gather, 'report.html'))).toBe(true);
    for (const each of ended) expect(leaks(gather, each, Object.values(service.keys))).toEqual([]);
    // Nothing is sent twice: the same shard again is refused before its first request.
    const again = await startShard(service, '2/2', at).ended;
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/shard 2 of 2 was sent, and is not sent twice/);
  });

  it.runIf(isLong)('is not passed without the one that was killed, which is named', async () => {
    const service = await serve([]);
    const gather = join(temporaryFolder(), 'gathered');
    const [first, second] = ['1/2', '2/2'].map((shard) =>
      startShard(service, shard, { gather, name: 'shopping' }),
    );
    if (first === undefined || second === undefined) throw new Error('two were started');
    const requests = join(gather, 'shard-2-of-2', 'history', 'requests.csv');
    await second.until(() => existsSync(requests) && readFileSync(requests, 'utf8').split('\n').length > 5);
    second.process.kill('SIGKILL');
    const { code } = await first.ended;
    expect(code).toBe(0);
    const merged = await tryon(['merge', gather]);
    expect(merged.code, merged.stdout + merged.stderr).toBe(3);
    expect(merged.stdout).toMatch(/shard 2 of 2 has no whole record/);
    const { shards } = runInfoSchema.parse(JSON.parse(readFileSync(join(gather, 'run.json'), 'utf8')));
    expect(shards?.map(({ state }) => state)).toEqual(['whole', 'cut-off']);
    expect(readVerdicts(gather).checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });
});
