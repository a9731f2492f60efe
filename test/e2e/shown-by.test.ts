import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isLong, rowsOf } from '../effort.ts';
import {
  profileArguments,
  readVerdicts,
  scenario,
  serve,
  start,
  temporaryFolder,
  tryonEach,
} from './program.ts';

function keyVariables(keys: Readonly<Record<string, string>>): Record<string, string> {
  const { bystander = '', load = '', quota = '' } = keys;
  return { LOAD: load, QUOTA: quota, BYSTANDER: bystander };
}

const percentiles = z.record(z.string(), z.number());
const latencies = z.record(
  z.string(),
  z.record(z.string(), z.object({ 'service time, ms': percentiles, 'response time, ms': percentiles })),
);

describe.concurrent('a service that stands still for 2 s', () => {
  it('shows it in the response time of what was due meanwhile, and in no other service time', async () => {
    const service = await serve([]);
    const out = join(temporaryFolder(), 'run');
    // One connection, as behind a proxy that serialises: the wait happens before the send, where service time is blind.
    const profile = profileArguments({ connections: 1, send_lag_bound: '10s' });
    const run = ['run', scenario('freeze'), '--target', service.baseUrl, ...profile, '--out', out];
    const program = start([...run, '--key', 'load=LOAD'], { env: keyVariables(service.keys) });
    const requests = join(out, 'history', 'requests.csv');
    await program.until(() => existsSync(requests) && readFileSync(requests, 'utf8').includes(',frozen,'));
    service.program.process.kill('SIGSTOP');
    await sleep(2_000);
    service.program.process.kill('SIGCONT');
    const ended = await program.ended;
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    const check = readVerdicts(out).checks.find(({ observed }) =>
      JSON.stringify(observed ?? null).includes('response time, ms'),
    );
    const table = latencies.parse(check?.observed);
    const reads = table['list-shades']?.['200'];
    const sessions = table['create-session']?.['200'];
    expect(reads?.['response time, ms']?.max).toBeGreaterThan(1_900);
    // About 40 of the 100 reads were due meanwhile: the open model shows them all, one connection sent but one of them.
    expect(reads?.['response time, ms']?.p90).toBeGreaterThan(500);
    expect(reads?.['service time, ms']?.p90).toBeLessThan(500);
    expect(sessions?.['service time, ms']?.max).toBeLessThan(1_000);
  });
});

describe.concurrent('a history that was touched after the run', () => {
  it('is found out by verify, by the byte, and the untouched one is not', async () => {
    const out = join(import.meta.dirname, '../../reports/sample-short');
    const file = join(out, 'history', 'requests.csv');
    const bytes = readFileSync(file);
    const places = [bytes.length - 2, bytes.indexOf(',load,') + 1, bytes.indexOf('\n2,') + 1];
    const copies: string[] = [];
    const changes = places.map((place, index) => [place, '7x7'[index] ?? ''] as const);
    // The last byte, one in the load, and one of the second record.
    for (const [place, replacement] of rowsOf(changes, (_, index) => index === 1)) {
      const changed = Buffer.from(bytes);
      changed.write(replacement, place, 'latin1');
      expect(changed.equals(bytes)).toBe(false);
      const copy = join(temporaryFolder(), 'run');
      cpSync(out, copy, { recursive: true });
      writeFileSync(join(copy, 'history', 'requests.csv'), changed);
      copies.push(copy);
    }
    const [untouched, ...touched] = await tryonEach(
      [out, ...copies].map((folder) => ['verify', folder]),
      {},
    );
    expect([untouched?.code, untouched?.stdout], untouched?.stderr).toEqual([
      0,
      expect.stringContaining('PASS'),
    ]);
    expect(touched).toHaveLength(isLong ? 3 : 1);
    for (const { code, stderr, stdout } of touched) {
      expect(code, stdout + stderr).toBe(1);
      expect(stdout + stderr).toMatch(/requests\.csv:\s+written as/);
    }
  });
});
