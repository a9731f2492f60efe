import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
import { noNetwork, openNetwork } from './network.ts';
import { isThere } from './reasons.ts';
import { noSkew, skewed } from './skew.ts';

const isPossible = isThere('a network of several machines', noNetwork) && isThere('wrong clocks', noSkew);
/** Each wrong in its own way; the target's is right, and so is that of the folder where they meet. */
const skewsMs = [0, 5, -60_000, 180_000];
/** From where a study sends some requests, where the target is on 127.0.0.0/8. */
const secondAddress = '127.0.0.2';

/** Four shards on machines of their own, one of which loses packets, send `scenario`; their run is merged into `gather`. */
async function send(
  scenario: string,
  planted: readonly string[] = [],
): Promise<{ readonly gather: string; readonly merged: Ended }> {
  const network = openNetwork(1 + skewsMs.length);
  atEnd(network.destroy);
  const [target, ...machines] = network.machines;
  if (target === undefined) throw new Error('there is a machine for the target');
  const service = await serve(
    ['--host', target.address, '--rate-limit', '60/2s', ...planted],
    target.through,
  );
  machines[0]?.alsoAt(secondAddress);
  machines[2]?.trouble({ lossPercent: 2 });
  const gather = join(temporaryFolder(), 'gathered');
  const profile = { rate_limit: '60/2s', limit_scope: 'per-key', send_lag_bound: '5s' } as const;
  const ended = await Promise.all(
    machines.map(({ through }, n) => {
      const skewMs = skewsMs[n] ?? 0;
      const env = skewMs === 0 ? {} : skewed(skewMs);
      const run = { ...service, gather, scenario, profile };
      return startShard(run, `${n + 1}/${machines.length}`, { through, env }).ended;
    }),
  );
  for (const { code, stderr, stdout } of ended) expect(code, stdout + stderr).toBe(0);
  return { gather, merged: await tryon(['merge', gather]) };
}

describe
  .runIf(isLong && isPossible)
  .concurrent('four shards on machines with addresses and clocks of their own', () => {
    const inTurn = atMost(2);

    it('are judged as one run, with every request of the plan on record once', () =>
      inTurn(async () => {
        const { gather, merged } = await send('glance');
        expect(troubles(readVerdicts(gather)), merged.stdout).toEqual([]);
        expect(merged.code).toBe(0);
      }));

    it('name the limiter that they share, with limit and window within 1 %', () =>
      inTurn(async () => {
        const { gather, merged } = await send('limits-and-load');
        const { checks, limiter } = readVerdicts(gather);
        expect(
          checks.filter(({ verdict }) => verdict === 'fail'),
          merged.stdout,
        ).toEqual([]);
        expect(limiter?.algorithm).toBe('sliding-log');
        expect(Math.abs((limiter?.limit ?? 0) / 60 - 1)).toBeLessThanOrEqual(0.01);
        expect(Math.abs((limiter?.window_ms ?? 0) / 2_000 - 1)).toBeLessThanOrEqual(0.01);
      }));

    it('tell a limit by address, from the two addresses of the first', () =>
      inTurn(async () => {
        const { gather, merged } = await send('limits-and-load', ['--defect', 'R9']);
        const scope = readVerdicts(gather).checks.find(({ id }) => id === 'rate-limit.scope');
        expect(scope?.verdict, merged.stdout).toBe('fail');
        expect(scope?.explanation).toMatch(
          /admitted from another address: each address has a separate limit/,
        );
      }));
  });
