import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ProfileInput } from '../../src/target/profile.ts';
import { atEnd, profileArguments, scenario, temporaryFolder, tryonEach } from './program.ts';
import { startShard } from './start-shard.ts';

/** A target that only counts what comes. */
async function counting(): Promise<{ readonly baseUrl: string; readonly requests: () => number }> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close());
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: () => requests,
  };
}

/** In what a shard differs from the first. */
interface Differing {
  readonly dir?: string;
  readonly name?: string;
  readonly seed?: number;
  readonly profile?: ProfileInput;
}

const others = ['2/4', '3/4', '4/4'];

it('a shard that is not of the run is refused before its first request, 20 of 20', async () => {
  const { baseUrl, requests } = await counting();
  const gather = join(temporaryFolder(), 'gathered');
  const run = { baseUrl, keys: { load: 'key' }, scenario: 'glance', gather, profile: {} };
  const first = startShard(run, '1/4');
  const plan = join(gather, 'notes', 'plan.json');
  await first.until(() => existsSync(plan));
  first.process.kill('SIGKILL');
  await first.ended;
  const ofTheFirst = requests();

  // As a shard of another version left it.
  const gatherOfOther = join(temporaryFolder(), 'gathered');
  mkdirSync(join(gatherOfOther, 'notes'), { recursive: true });
  const noted = JSON.parse(readFileSync(plan, 'utf8')) as { versions: Record<string, string> };
  const newer = { ...noted, versions: { ...noted.versions, tryon: '9.9.9' } };
  writeFileSync(join(gatherOfOther, 'notes', 'plan.json'), JSON.stringify(newer));
  for (const shard of ['shard-2-of-4', 'shard-3-of-4']) mkdirSync(join(gatherOfOther, shard));

  const line = (
    shard: string,
    { dir = gather, name = 'glance', seed = 3, profile = {} }: Differing = {},
  ): string[] => [
    ...['run', scenario(name), '--seed', String(seed), '--target', baseUrl, '--key', 'load=LOAD'],
    ...['--shard', shard, '--gather', dir, ...profileArguments(profile)],
  ];
  const rows: readonly (readonly [string[], RegExp])[] = [
    ...others.map((shard, n) => [line(shard, { seed: 4 + n }), /seed: \d, not 3/] as const),
    [line('2/5'), /number of shards: 5, not 4/],
    ...['shopping', 'tiny', 'regular'].map(
      (name) => [line('2/4', { name }), /scenario: \w+, not glance/] as const,
    ),
    ...others.map(
      (shard, n) =>
        [line(shard, { profile: { connections: 64 + n } }), /profile: connections is \d+, not 512/] as const,
    ),
    [line('3/4', { profile: { rate_limit: '5/1s' } }), /profile: rate_limit\.requests is 5, not 1000/],
    [line('4/4', { profile: { quota: { sessions: 5 } } }), /profile: quota\S* is /],
    [line('4/4', { dir: gatherOfOther }), /the version of tryon: 0\.1\.0, not 9\.9\.9/],
    [line('2/4', { dir: gatherOfOther }), /shard 2 of 4 was sent, and is not sent twice/],
    [line('3/4', { dir: gatherOfOther }), /shard 3 of 4 was sent, and is not sent twice/],
    [line('1/4'), /shard 1 of 4 was sent, and is not sent twice/],
    [line('1/3'), /holds another run already/],
    [line('0/4'), /expected a shard from 1 to 4, got 0/],
    [line('5/4'), /expected a shard from 1 to 4, got 5/],
  ];
  expect(rows).toHaveLength(19);
  const ended = await tryonEach(
    rows.map(([args]) => args),
    { LOAD: 'key' },
  );
  for (const [n, { code, stderr }] of ended.entries()) {
    expect(stderr).toMatch(rows[n]?.[1] ?? '');
    expect(code, stderr).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
  expect(requests()).toBe(ofTheFirst);
  // It may come again, put right.
  expect(others.filter((shard) => existsSync(join(gather, `shard-${shard.replace('/', '-of-')}`)))).toEqual(
    [],
  );
});
