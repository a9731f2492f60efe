import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckData } from '../../src/checks/core/check-data.ts';
import { leaks, profileArguments, readVerdicts, scenario, serve, temporaryFolder, tryon } from './program.ts';

describe('a run with the description of its target', () => {
  it('reads it from the service, agrees with it, and verify says the same', async () => {
    const service = await serve([]);
    const url = new URL('/openapi.json', service.baseUrl).href;
    const out = join(temporaryFolder(), 'run');
    const ended = await tryon(
      [
        ...['run', scenario('glance'), '--target', service.baseUrl, '--key', 'load=LOAD', '--out', out],
        ...['--openapi', url, ...profileArguments({ send_lag_bound: '5s' })],
      ],
      { env: { LOAD: service.keys.load ?? '' } },
    );
    expect(ended.stdout).toContain(`Reading the description ${url}: 1 request, without a key.\n`);
    const { checks } = readVerdicts(out);
    const check = checks.find(({ id }) => id === 'contract.openapi');
    expect(check?.explanation).toMatch(/^Status, media type and headers agree .* of POST \/sessions 200/);
    expect(check?.verdict).toBe('pass');
    const operations = (check?.data as CheckData['contract.openapi'] | undefined)?.operations ?? [];
    expect(operations.filter(({ answers }) => answers === 0).map(({ operation }) => operation)).toEqual([]);
    const page = readFileSync(join(out, 'report.html'), 'utf8');
    expect(page).toMatch(/<section id="openapi"[\s\S]*The run called 6 of 6 operations/);
    const stored = JSON.parse(readFileSync(join(out, 'history', 'openapi.json'), 'utf8')) as object;
    expect(stored).toEqual(await (await fetch(url)).json());
    expect(leaks(out, ended, [service.keys.load ?? '', /st_\w{8}/])).toEqual([]);
    const verified = await tryon(['verify', out]);
    expect([verified.code, verified.stdout]).toEqual([ended.code, expect.not.stringContaining('differ')]);
  });
});
