import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readProfileFile } from '../../src/target/profile-layers.ts';
import { startForeignService } from './foreign-service.ts';
import { atEnd, type Ended, temporaryFolder, tryonEach } from './program.ts';

const service = await startForeignService({
  limitHeaders: 'x-ratelimit',
  limit: { requests: 60, windowMs: 6_000 },
});
atEnd(() => service.close());
const file = join(temporaryFolder(), 'staging.json');
const target = ['--target', service.baseUrl];
const keys = ['load=LOAD', 'quota=QUOTA', 'bystander=NOT_SET'].flatMap((key) => ['--key', key]);

const steps = [
  ['init', file, ...target, '--rate-limit', '60/6s', '--quota', '20', ...keys],
  ['init', file, ...target, '--key', 'load=LOAD'],
  ['doctor', 'launch', '--profile', file],
  ['profile', '--profile', file, '--quota', '25'],
  ['doctor', 'smoke', ...target, '--key', 'load=LOAD'],
  ['doctor', 'smoke', ...target, '--key', 'load=WRONG'],
];
let ended: readonly Pick<Ended, 'code' | 'stdout' | 'stderr'>[] = [];
beforeAll(async () => {
  const { load, quota } = service.keys;
  ended = await tryonEach(steps, { LOAD: load, QUOTA: quota, WRONG: 'not-a-key' });
});
const step = (at: number) => ended[at] ?? { code: null, stdout: '', stderr: '' };

describe('the first steps with a service', () => {
  it('are a profile by init, which overwrites none', () => {
    const [init, again] = [step(0), step(1)];
    expect(init.code, init.stderr).toBe(0);
    expect(init.stdout).toContain('NOT_SET is not set, so it was not tried');
    expect(readFileSync(file, 'utf8')).toContain('// The service sends x-ratelimit-limit: 60');
    expect(readProfileFile(file)).toMatchObject({
      base_url: service.baseUrl,
      keys: { load: { env: 'LOAD' }, quota: { env: 'QUOTA' }, bystander: { env: 'NOT_SET' } },
      rate_limit: '60/6s',
      quota: { sessions: 20, fresh: false },
    });
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining('exists already; it is not overwritten'),
    ]);
  });

  it('are a look by doctor: exit code 0 where nothing is missing, and 2 where a key is not there or not accepted', () => {
    const [some, all, wrong] = [step(2), step(4), step(5)];
    expect([some.code, all.code, wrong.code]).toEqual([2, 0, 2]);
    expect(some.stdout).toContain('✗ Key bystander: env NOT_SET is not set or empty.');
    expect(some.stdout).toContain('✓ Key load (env LOAD) is accepted.');
    expect(some.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'not judged in full: contract.tenancy, rate-limit.isolation',
    );
    expect(wrong.stdout).toContain('✗ Key load (env WRONG): expected 200, got 401.');
  });

  it('are the values and where they come from, by profile', () => {
    const { code, stderr, stdout } = step(3);
    expect(code, stderr).toBe(0);
    const row = (name: string): string | undefined =>
      stdout.split('\n').find((line) => line.trimStart().startsWith(name));
    expect(row('quota.sessions')).toMatch(/ 25 +--quota$/);
    expect(row('keys.load')).toContain('env LOAD (set, SHA-256');
    expect(row('keys.bystander')).toContain('env NOT_SET (not set)');
  });

  it('show no key', () => {
    const texts = [readFileSync(file, 'utf8'), ...ended.flatMap(({ stderr, stdout }) => [stdout, stderr])];
    expect(service.secrets().filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });
});
