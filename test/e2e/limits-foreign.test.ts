import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isLong, rowsOf } from '../effort.ts';
import type { Fixture } from '../limits/foreign/fixture.ts';
import { startHaproxy } from '../limits/foreign/haproxy.ts';
import { startExpress, startFastify } from '../limits/foreign/middleware.ts';
import { startNginx } from '../limits/foreign/nginx.ts';
import { isInstalled, type Program } from '../limits/foreign/programs.ts';
import { atMost, profileArguments, readVerdicts, temporaryFolder, tryon } from './program.ts';

const limit = 30;
const windowMs = 1_000;
const inTurn = atMost(2);
const limiterAlone = join(import.meta.dirname, '../../src/commands/selftest/scenarios/limiter.ts');

const stops: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** `tryon run limits` against third-party limiters, in front of the reference service. */
describe('tryon run limits, before a limiter from elsewhere', () => {
  const limiters: readonly {
    readonly sentence: string;
    readonly needs?: Program;
    readonly start: () => Promise<Fixture>;
    readonly names: readonly string[];
    /** Its kinds over HTTP, without the program: test/limits/foreign. */
    readonly isShort?: true;
  }[] = [
    {
      sentence: 'nginx limit_req',
      needs: 'nginx',
      start: () =>
        startNginx({ perSecond: limit / (windowMs / 1e3), burst: limit - 1, nodelay: true, status: 429 }),
      names: ['token-bucket'],
    },
    {
      sentence: 'limit_req that delays before it rejects',
      needs: 'nginx',
      start: () =>
        startNginx({ perSecond: limit / (windowMs / 1e3), burst: limit - 1, nodelay: false, status: 429 }),
      names: ['queueing'],
    },
    {
      sentence: 'a HAProxy stick-table',
      needs: 'haproxy',
      start: () => startHaproxy({ limit, windowMs, rejectsCount: false }),
      names: ['sliding-counter-first-request'],
    },
    {
      sentence: 'express-rate-limit',
      start: () => startExpress({ limit, windowMs }),
      names: ['fixed-window', 'fixed-window-first-request', 'token-bucket-window-lumps'],
      isShort: true,
    },
    {
      sentence: '@fastify/rate-limit',
      start: () => startFastify({ limit, windowMs, continueExceeding: false }),
      names: ['fixed-window', 'fixed-window-first-request', 'token-bucket-window-lumps'],
    },
  ];
  for (const { names, needs, sentence, start } of rowsOf(limiters, ({ isShort }) => isShort === true))
    it.skipIf(!isInstalled(needs)).concurrent(`finds out ${sentence}, and accuses it of nothing`, () =>
      inTurn(async () => {
        const { baseUrl, keys, stop } = await start();
        stops.push(stop);
        const out = join(temporaryFolder(), 'run');
        const ended = await tryon(
          [
            ...['run', limiterAlone, '--target', baseUrl, '--out', out, '--budget', isLong ? '60s' : '10s'],
            ...['--key', 'load=LOAD_KEY', '--key', 'bystander=BYSTANDER_KEY'],
            ...profileArguments({
              rate_limit: `${limit}/${windowMs}ms`,
              limit_scope: 'per-key',
              limit_endpoints: 'together',
              data_scope: 'shared',
              analytics: { freshness: '1s' },
            }),
          ],
          { env: { LOAD_KEY: keys[0], BYSTANDER_KEY: keys[1] } },
        );
        const { checks, limiter } = readVerdicts(out);
        const accused = checks.filter(
          ({ id, verdict }) => verdict === 'fail' && id.startsWith('rate-limit.'),
        );
        expect(
          accused.map(({ id, explanation }) => `${id}: ${explanation}`),
          ended.stdout,
        ).toEqual([]);
        if ((limiter?.confidence ?? 0) >= 0.95) expect(names).toContain(limiter?.algorithm);
        // On a busy machine a window may end in the middle of a volley, which then tells nothing.
        expect(limiter?.scope.per_key).not.toBe(false);
      }),
    );
});
