import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProfileFile } from '../../src/target/profile-layers.ts';
import { startForeignService } from './foreign-service.ts';
import { atEnd, temporaryFolder, tryon } from './program.ts';

const service = await startForeignService({
  limitHeaders: 'x-ratelimit',
  limit: { requests: 60, windowMs: 6_000 },
});
atEnd(() => service.close());
const env = { LOAD: service.keys.load, QUOTA: service.keys.quota };
const folder = temporaryFolder();
const file = join(folder, 'staging.json');

describe('the first steps with a service', () => {
  it('are a profile by init, a look by doctor, and the values by profile; no text has a key', async () => {
    const init = await tryon(
      ['init', file, '--target', service.baseUrl, '--rate-limit', '60/6s', '--quota', '20'].concat([
        '--key',
        'load=LOAD',
        '--key',
        'quota=QUOTA',
        '--key',
        'bystander=NOT_SET',
      ]),
      { env },
    );
    expect(init.code, init.stderr).toBe(0);
    expect(init.stdout).toContain('NOT_SET is not set, so it was not tried');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('// The service sends x-ratelimit-limit: 60');
    expect(readProfileFile(file)).toMatchObject({
      base_url: service.baseUrl,
      keys: { load: { env: 'LOAD' }, quota: { env: 'QUOTA' }, bystander: { env: 'NOT_SET' } },
      rate_limit: '60/6s',
      quota: { sessions: 20, fresh: false },
    });

    const again = await tryon(['init', file, '--target', service.baseUrl, '--key', 'load=LOAD'], { env });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('exists already; it is not overwritten');

    const doctor = await tryon(['doctor', 'launch', '--profile', file], { env });
    expect(doctor.code).toBe(2);
    expect(doctor.stdout).toContain('✗ Key bystander: env NOT_SET is not set or empty.');
    expect(doctor.stdout).toContain('✓ Key load (env LOAD) is accepted.');
    expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'not judged in full: contract.tenancy, rate-limit.isolation',
    );

    const profile = await tryon(['profile', '--profile', file, '--quota', '25'], { env });
    expect(profile.code, profile.stderr).toBe(0);
    const row = (name: string): string | undefined =>
      profile.stdout.split('\n').find((line) => line.trimStart().startsWith(name));
    expect(row('quota.sessions')).toMatch(/ 25 +--quota$/);
    expect(row('keys.load')).toContain('env LOAD (set, SHA-256');
    expect(row('keys.bystander')).toContain('env NOT_SET (not set)');

    for (const output of [init, doctor, profile, { stdout: text, stderr: '' }])
      for (const secret of service.secrets()) expect(output.stdout + output.stderr).not.toContain(secret);
  });

  it('end with exit code 0 where nothing is missing, and with 2 where a key is not accepted', async () => {
    const target = ['smoke', '--target', service.baseUrl, '--key', 'load=LOAD'];
    expect((await tryon(['doctor', ...target], { env })).code).toBe(0);
    const wrong = await tryon(['doctor', ...target], { env: { LOAD: 'not-a-key' } });
    expect(wrong.stdout).toContain('✗ Key load (env LOAD): expected 200, got 401.');
    expect(wrong.code).toBe(2);
  });
});
