import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ProfileInput } from '../../src/target/profile.ts';
import { isLong } from '../effort.ts';
import { startForeignService } from './foreign-service.ts';
import {
  atEnd,
  atMost,
  type Ended,
  profileArguments,
  readVerdicts,
  scenario,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

const gate = atMost(2);

/** Being late is not what these are about. */
const patient: ProfileInput = { send_lag_bound: '30s' };

async function run(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly out: string; readonly ended: Ended }> {
  const out = join(temporaryFolder(), 'run');
  return { out, ended: await gate(() => tryon(['run', scenario(name), '--out', out, ...args], { env })) };
}

/** What did not pass, but for the generator, which may have had to share the machine. */
function amiss(out: string): string[] {
  return troubles(readVerdicts(out)).filter((text) => !text.startsWith('generator.'));
}

describe.concurrent('a calendar', () => {
  it('is not played on a target whose clock is its own', async () => {
    const { ended } = await run('leap-days', ['--target', 'http://127.0.0.1:1/v1', '--key', 'load=LOAD'], {
      LOAD: 'x',
    });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/leap-days .*moves the target's clock: set clock in the profile/);
  });

  it('is played around midnights on a foreign target whose clock the profile says how to set, and the clock put back', async () => {
    let offsetMs = 0;
    const asked: string[] = [];
    const service = await startForeignService({
      limit: { requests: 1_000_000, windowMs: 60_000 },
      get clockOffsetMs() {
        return offsetMs;
      },
      sabotage: (request, response) => {
        if (request.url !== '/clock') return false;
        void json(request).then((body) => {
          const { clock } = z.object({ clock: z.iso.datetime() }).parse(body);
          asked.push(clock);
          offsetMs = Date.parse(clock) - Date.now();
          response.writeHead(204).end();
        });
        return true;
      },
    });
    atEnd(() => service.close());
    const clock = { post: new URL('/clock', service.baseUrl).href };
    const { ended, out } = await run(
      'midnight',
      ['--target', service.baseUrl, '--key', 'load=LOAD', ...profileArguments({ ...patient, clock })],
      { LOAD: service.keys.load },
    );
    expect(amiss(out), ended.stdout + ended.stderr).toEqual([]);
    expect(asked.slice(0, 2)).toEqual(['2028-02-28T22:59:58.000Z', '2028-02-28T23:59:58.000Z']);
    expect(ended.stdout).toMatch(/^Clock +moved to other days/m);
    expect(Math.abs(offsetMs)).toBeLessThan(10_000);
  });
});

describe.concurrent('--write-profile', () => {
  it.runIf(isLong)(
    'holds the next run to what one found out of analytics that are behind, and that run passes',
    async () => {
      const service = await startForeignService({
        average: 'selections',
        analyticsLagMs: 1_500,
        topShades: 5,
        decimals: 3,
        limit: { requests: 1_000, windowMs: 60_000 },
      });
      atEnd(() => service.close());
      const file = join(temporaryFolder(), 'found.json');
      const told = profileArguments({ ...patient, analytics: { freshness: '3s', exclusive: true } });
      const first = await run(
        'shopping',
        ['--target', service.baseUrl, '--key', 'load=LOAD', ...told, '--write-profile', file],
        { LOAD: service.keys.load },
      );
      expect(first.ended.stdout).toContain('analytics.shades_per_session: "selections" (was "discover")');
      const freshness = readVerdicts(first.out).checks.find(({ id }) => id === 'analytics.freshness');
      expect(freshness?.verdict, first.ended.stdout).toBe('pass');
      const lag = z
        .object({ 'lag max, ms': z.object({ min: z.number(), max: z.number() }) })
        .parse(freshness?.observed)['lag max, ms'];
      expect(lag.max).toBeGreaterThanOrEqual(1_500);
      expect(lag.min).toBeLessThanOrEqual(1_500);
      const profile = JSON.parse(readFileSync(file, 'utf8')) as ProfileInput;
      expect(profile).toMatchObject({
        base_url: service.baseUrl,
        keys: { load: { env: 'LOAD' } },
        channel: { auth: 'session-token' },
        analytics: { shades_per_session: 'selections', top_shades: 5, date_format: 'date' },
      });
      expect(JSON.stringify(profile)).not.toContain(service.keys.load);
      const second = await run('shopping', ['--profile', file], { LOAD: service.keys.load });
      expect(amiss(second.out), second.ended.stdout + second.ended.stderr).toEqual([]);
      const refused = await gate(() => tryon(['verify', first.out, '--write-profile', file]));
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('exists already')]);
    },
  );
});
