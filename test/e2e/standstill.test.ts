import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { profileArguments, readVerdicts, scenario, serve, start, temporaryFolder } from './program.ts';

const percentiles = z.record(z.string(), z.number());
const latencies = z.record(
  z.string(),
  z.record(z.string(), z.object({ 'service time, ms': percentiles, 'response time, ms': percentiles })),
);

it('a service that stands still for a second shows it in the response time of what was due meanwhile, and in no other service time', async () => {
  const service = await serve([]);
  const out = join(temporaryFolder(), 'run');
  // One connection, as behind a proxy that serialises: the wait happens before the send, where service time is blind.
  const profile = profileArguments({ connections: 1, send_lag_bound: '10s' });
  const run = ['run', scenario('freeze'), '--target', service.baseUrl, ...profile, '--out', out];
  const program = start([...run, '--key', 'load=LOAD'], { env: { LOAD: service.keys.load ?? '' } });
  const requests = join(out, 'history', 'requests.csv');
  await program.until(() => existsSync(requests) && readFileSync(requests, 'utf8').includes(',frozen,'));
  service.program.process.kill('SIGSTOP');
  await sleep(1_000);
  service.program.process.kill('SIGCONT');
  const ended = await program.ended;
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const check = readVerdicts(out).checks.find(({ observed }) =>
    JSON.stringify(observed ?? null).includes('response time, ms'),
  );
  const table = latencies.parse(check?.observed);
  const reads = table['list-shades']?.['200'];
  const sessions = table['create-session']?.['200'];
  expect(reads?.['response time, ms']?.max).toBeGreaterThan(900);
  // About 20 of the 60 reads were due meanwhile: the open model shows them all, one connection sent but one of them.
  expect(reads?.['response time, ms']?.p90).toBeGreaterThan(500);
  expect(reads?.['service time, ms']?.p90).toBeLessThan(500);
  expect(sessions?.['service time, ms']?.max).toBeLessThan(1_000);
});
