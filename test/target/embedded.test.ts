import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launcher } from '../../src/program-files.ts';
import { embeddedProfile, readyOf, startEmbedded } from '../../src/target/embedded.ts';
import { profileSchema } from '../../src/target/profile.ts';

const options = { rateLimit: { requests: 7, windowMs: 2_000 }, quota: 2, poolKeys: 3 };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the embedded service', () => {
  it('starts with a key for each role and for the pool, holds its limits, and is gone once stopped', async () => {
    const service = await startEmbedded(options);
    onTestFinished(() => service.stop());
    const { keys, pool } = service;
    const all = [keys.load, keys.quota, keys.bystander].map((key) => key?.value).concat(pool);
    expect(new Set(all).size).toBe(6);
    const list = (key = ''): Promise<number> =>
      fetch(`${service.baseUrl}/shades?catalog_id=x`, { headers: { authorization: `Bearer ${key}` } }).then(
        ({ status }) => status,
      );
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push(await list(keys.load?.value));
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 404, 429]);
    expect(await list(pool[0])).toBe(404);
    expect(await list('unknown')).toBe(401);
    await service.stop();
    expect(isAlive(service.pid)).toBe(false);
  });

  it('has the defects and variants that it was started with', async () => {
    const service = await startEmbedded({ ...options, defects: ['S2', 'A1'], variants: ['import-201'] });
    onTestFinished(() => service.stop());
    const shade = { sku: 'A', name: 'Plum', hex: '#4B0F2B', finish: 'matte' };
    const imported = await fetch(`${service.baseUrl}/shades`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ catalog_id: 'spring', shades: [shade] }),
    });
    expect(imported.status).toBe(201);
  });

  describe('a process that is no such service is ended, and the error says why', () => {
    const stayAlive = 'setInterval(() => {}, 1000);';
    const said = (line: unknown): string =>
      `console.log(${JSON.stringify(JSON.stringify(line))}); ${stayAlive}`;
    it.each([
      [
        'it crashes',
        'throw new Error("no disk")',
        /ended before it was ready \(exit code 1\): [\s\S]*no disk/,
      ],
      ['it says nothing', stayAlive, /did not start within 0.5 s: no output/],
      ['its line is no JSON', `console.log('{'); ${stayAlive}`, /first line .* cannot be read/],
      [
        'its base URL is none',
        said({ base_url: 'here', keys: { load: 's3cret' } }),
        /base_url: Invalid URL$/,
      ],
      [
        'its base URL has another scheme',
        said({ base_url: 'ftp://h/v1', keys: {} }),
        /base_url: Invalid URL$/,
      ],
      ['it has no keys', said({ base_url: 'http://127.0.0.1:1/v1' }), /keys: Invalid input/],
    ])('%s', async (_, program, expected) => {
      const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'pipe'] });
      const closed = new Promise((resolve) => child.once('close', resolve));
      // The others say something, however long a busy machine takes to start them.
      await expect(readyOf(child, program === stayAlive ? 500 : 60_000)).rejects.toThrow(expected);
      await closed;
    });
  });

  it('that cannot start says so at once, though its input is kept open', async () => {
    const noFile = '/no-such-folder/service.db';
    const child = spawn(
      process.execPath,
      [fileURLToPath(launcher), 'serve', '--json', '--exit-with-parent', '--db', noFile],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    await expect(readyOf(child, 60_000)).rejects.toThrow(
      /ended before it was ready \(exit code 2\): .*database/,
    );
  });

  it('promises in its profile what it was started with', () => {
    const profile = profileSchema.parse(embeddedProfile(options));
    expect(profile).toMatchObject({
      rate_limit: options.rateLimit,
      limiter: 'sliding-log',
      quota: { sessions: 2, fresh: true },
      analytics: { exclusive: true },
    });
  });

  it.each([
    ['as it is', {}, 'embedded reference service'],
    [
      'altered',
      { defects: ['S2', 'A1'], variants: ['slow'] },
      'embedded reference service with S2, A1, slow',
    ],
  ])('is named %s', (_, altered, name) => {
    expect(embeddedProfile({ ...options, ...altered }).name).toBe(name);
  });
});
