import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Role } from '../../src/vocabulary/roles.ts';
import {
  atEnd,
  atMost,
  type Ended,
  readVerdicts,
  serve,
  temporaryFolder,
  troubles,
  tryon,
} from '../e2e/program.ts';
import { startShard } from '../e2e/start-shard.ts';
import { isLong } from '../effort.ts';
import { type Machine, noNetwork, openNetwork } from './network.ts';
import { isThere } from './reasons.ts';
import { noSkew, skewed } from './skew.ts';

const isPossible = isThere('a network of several machines', noNetwork) && isThere('wrong clocks', noSkew);
/** Each wrong in its own way; the target's is right, and so is that of the folder where they meet. */
const skewsMs = [0, 5, -60_000, 180_000];
/** From where a study sends some requests, where the target is on 127.0.0.0/8. */
const secondAddress = '127.0.0.2';

/** What differs between tests. */
interface Conditions {
  /** By what the target limits, each with a counter; by key if nothing is said. */
  readonly counters?: readonly string[];
  readonly shards?: 2 | 4;
  /** Whether they meet in a bucket on one more machine, and have no folder in common. */
  readonly isBucket?: boolean;
}

/**
 * Shards on machines of their own send `scenario`, and it is merged. Packets of the third and of the store are lost, and
 * those of the second and of the store come late, in both directions and wherever they go.
 */
async function send(
  scenario: string,
  { counters, isBucket = false, shards = 4 }: Conditions = {},
): Promise<{ readonly dir: string; readonly merged: Ended }> {
  const network = openNetwork(2 + shards);
  atEnd(network.destroy);
  const [target, storeMachine, ...machines] = network.machines;
  if (target === undefined || storeMachine === undefined) throw new Error('there are as many machines');
  const service =
    counters === undefined
      ? await serve(['--host', target.address, '--rate-limit', '60/2s'], target.through)
      : await serveBy(counters, target);
  machines[0]?.alsoAt(secondAddress);
  await storeMachine.trouble({ delayMs: 5, lossPercent: 2 });
  await machines[1]?.trouble({ delayMs: 40 });
  await machines[2]?.trouble({ lossPercent: 2 });
  const folder = temporaryFolder();
  const gather = isBucket ? 's3://runs/run1' : join(folder, 'gathered');
  const env = isBucket ? await serveS3(storeMachine) : {};
  const rate_limit = counters === undefined ? '60/2s' : '60/6s';
  const profile = { rate_limit, limit_scope: 'per-key', send_lag_bound: '5s' } as const;
  const ended = await Promise.all(
    machines.map(({ through }, n) => {
      const skewMs = skewsMs[n] ?? 0;
      const roles: readonly Role[] = counters === undefined ? ['load'] : ['load', 'bystander'];
      const run = { ...service, gather, scenario, profile, roles };
      return startShard(run, `${n + 1}/${machines.length}`, {
        through,
        cwd: temporaryFolder(),
        env: { ...env, ...(skewMs === 0 ? {} : skewed(skewMs)) },
      }).ended;
    }),
  );
  for (const { code, stderr, stdout } of ended) expect(code, stdout + stderr).toBe(0);
  const merged = await tryon(['merge', gather], { env, cwd: folder, through: target.through });
  return { dir: isBucket ? join(folder, 'reports', 'runs-run1') : gather, merged };
}

/** A stand-in for S3 on a machine; the environment of what uses it. */
async function serveS3(machine: Machine): Promise<Readonly<Record<string, string>>> {
  return z.record(z.string(), z.string()).parse(await fixture('serve-s3.ts', machine));
}

/** A service on a machine with a limit by something else. */
async function serveBy(
  counters: readonly string[],
  machine: Machine,
): Promise<{ readonly baseUrl: string; readonly keys: Readonly<Record<string, string>> }> {
  const schema = z.object({ base_url: z.string(), keys: z.record(z.string(), z.string()) });
  const { base_url: baseUrl, keys } = schema.parse(await fixture('serve-by.ts', machine, counters));
  return { baseUrl, keys };
}

/** Starts a program of these tests on a machine; the JSON of its first line. */
async function fixture(
  name: string,
  { address, through }: Machine,
  more: readonly string[] = [],
): Promise<unknown> {
  const program = fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
  const [command = '', ...args] = [...through, process.execPath, program, address, ...more];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return JSON.parse(String(line));
}

describe
  .runIf(isLong && isPossible)
  .concurrent('four shards on machines with addresses and clocks of their own', () => {
    const inTurn = atMost(2);

    it.each([
      ['a folder', false],
      ['a bucket', true],
    ])('who meet in %s are judged as one run, with every request of the plan on record once', (_, isBucket) =>
      inTurn(async () => {
        const { dir, merged } = await send('glance', { isBucket });
        expect(troubles(readVerdicts(dir)), merged.stdout).toEqual([]);
        expect(merged.code).toBe(0);
      }),
    );

    it('name the limiter that they share, with limit and window within 1 %', () =>
      inTurn(async () => {
        const { dir, merged } = await send('limits-and-load');
        const { checks, limiter } = readVerdicts(dir);
        expect(
          checks.filter(({ verdict }) => verdict === 'fail'),
          merged.stdout,
        ).toEqual([]);
        expect(limiter?.algorithm).toBe('sliding-log');
        expect(Math.abs((limiter?.limit ?? 0) / 60 - 1)).toBeLessThanOrEqual(0.01);
        expect(Math.abs((limiter?.window_ms ?? 0) / 2_000 - 1)).toBeLessThanOrEqual(0.01);
      }));

    const limits: readonly [string, readonly string[], readonly string[]][] = [
      ['by key', ['{key}'], []],
      ['by address', ['{address}'], ['The limit is kept by client address, not by key.']],
      [
        'for each key at each address',
        ['{key} {address}'],
        ['Each key has a separate limit at each client address.'],
      ],
      [
        'by key, and another one by address',
        ['{key}', '{address}'],
        ['Each client address has a limit, in addition to that of each key.'],
      ],
    ];
    const rows = limits.flatMap(([name, counters, causes]) =>
      ([2, 4] as const).map((shards) => ({ name, counters, causes, shards })),
    );
    it.each(rows)('name a limit $name for certain: $shards shards', ({ causes, counters, shards }) =>
      inTurn(async () => {
        const { dir, merged } = await send('overload', { counters, shards });
        const { checks, diagnosis } = readVerdicts(dir);
        const scope = checks.find(({ id }) => id === 'rate-limit.scope');
        expect(scope?.verdict, merged.stdout).toBe(causes.length === 0 ? 'pass' : 'fail');
        expect(
          diagnosis.map(({ text }) => text),
          merged.stdout,
        ).toEqual(causes);
      }),
    );
  });
