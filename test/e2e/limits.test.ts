import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong } from '../effort.ts';
import { atMost, profileArguments, readVerdicts, serve, temporaryFolder, tryon } from './program.ts';

/** Two at a time: there are two cores, and a study is bounded by its budget, not by its pace. */
const inTurn = atMost(2);

/**
 * `tryon run limits` against each limiter of the reference service, over HTTP, in windows of two seconds. The machine may be
 * busy: what a study did not find out is no failure of these tests, what it found out wrongly is.
 */
// `npm test` runs the study against nginx.
describe.runIf(isLong)('tryon run limits', () => {
  const limiters: readonly [limiter: string, names: readonly string[]][] = [
    ['sliding-log', ['sliding-log']],
    ['fixed-window', ['fixed-window', 'fixed-window-first-request', 'token-bucket-window-lumps']],
    ['sliding-counter', ['sliding-counter']],
    // A service that stands still on a busy machine refills in lumps, as seen from outside.
    ['token-bucket', ['token-bucket', 'token-bucket-lumps']],
  ];
  it.concurrent.each(limiters)('finds out a %s, and accuses it of nothing', (limiter, names) =>
    inTurn(async () => {
      const { baseUrl, keys } = await serve([
        '--limiter',
        limiter,
        '--rate-limit',
        '60/2s',
        '--plan',
        'quota=15',
      ]);
      const out = join(temporaryFolder(), 'run');
      const roles = ['load', 'quota', 'twin', 'bystander'];
      const ended = await tryon(
        [
          ...['run', 'limits', '--target', baseUrl, '--out', out, '--budget', '105s'],
          ...roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}_KEY`]),
          ...profileArguments({
            rate_limit: '60/2s',
            limit_scope: 'per-key',
            limit_endpoints: 'together',
            quota: { sessions: 15, fresh: true, twin: 'other-account' },
            analytics: { freshness: '1s' },
          }),
        ],
        { env: Object.fromEntries(roles.map((role) => [`${role.toUpperCase()}_KEY`, keys[role] ?? ''])) },
      );
      const { checks, limiter: found } = readVerdicts(out);
      expect(
        checks
          .filter(({ verdict }) => verdict === 'fail')
          .map(({ id, explanation }) => `${id}: ${explanation}`),
        ended.stdout,
      ).toEqual([]);
      if ((found?.confidence ?? 0) >= 0.95) expect(names).toContain(found?.algorithm);
      // On a busy machine a window may end in the middle of a volley, which then tells nothing.
      const scope = { per_key: true, per_address: false, per_endpoint: false };
      for (const [name, value] of Object.entries(scope))
        expect(found?.scope, name).not.toHaveProperty(name, !value);
      const verified = await tryon(['verify', out]);
      expect(verified.stdout).toMatch(/All \d+ verdicts are those of/);
    }),
  );
});
