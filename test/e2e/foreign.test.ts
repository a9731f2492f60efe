import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong, rowsOf } from '../effort.ts';
import { type Configuration, honestConfigurations } from './configurations.ts';
import { type ForeignService, startForeignService } from './foreign-service.ts';
import { isDue, pairwiseConfigurations } from './pairwise.ts';
import {
  atEnd,
  atMost,
  type Ended,
  failedGroups,
  leaks,
  overBudget,
  patient,
  profileArguments,
  readVerdicts,
  scaledLaunch,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

const gate = atMost(3);

interface Launched {
  readonly out: string;
  readonly ended: Ended;
  readonly service: ForeignService;
}

/** A launch whose harness was kept from sending in time says so, and is made again, twice at most. */
async function launchAgainst(
  configuration: Pick<Configuration, 'choices' | 'profile' | 'roles'> & { readonly seed?: number },
): Promise<Launched> {
  for (let tries = 1; ; tries++) {
    const launched = await launchOnce(configuration);
    if (tries === 3 || !readVerdicts(launched.out).run.generator_bound) return launched;
  }
}

async function launchOnce({
  choices,
  profile = {},
  roles = ['load', 'quota', 'bystander'],
  seed = 1,
}: Parameters<typeof launchAgainst>[0]): Promise<Launched> {
  const service = await startForeignService(choices);
  atEnd(() => service.close());
  const out = join(temporaryFolder(), 'run');
  const ended = await gate(() =>
    tryon(
      [
        ...['run', scaledLaunch, '--target', service.baseUrl, '--out', out, '--seed', String(seed)],
        // In a window of 2 s, a harness that is later than this may leave the limiter in doubt.
        ...profileArguments({ ...patient, send_lag_bound: '100ms', ...profile }),
        ...roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}`]),
      ],
      {
        env: Object.fromEntries(Object.entries(service.keys).map(([role, key]) => [role.toUpperCase(), key])),
      },
    ),
  );
  return { out, ended, service };
}

describe.concurrent('an honest foreign service passes launch when it', () => {
  it.each(rowsOf(honestConfigurations, ({ isShort }) => isShort === true))('$sentence', async (row) => {
    const { ended, out, service } = await launchAgainst(row);
    const verdicts = readVerdicts(out);
    const { generator_bound: isHindered } = verdicts.run;
    // Requests not sent in time may leave doubt, but accuse no target.
    const amiss = isHindered ? failedGroups(verdicts) : troubles(verdicts);
    expect(amiss, ended.stdout + ended.stderr).toEqual([]);
    expect(ended.code).toBe(isHindered ? 3 : 0);
    expect(leaks(out, ended, service.secrets())).toEqual([]);
    expect(await overBudget(out)).toEqual([]);
  });
});

/** All ways to differ, in pairs: see `pairwise.ts`. */
const crossed = pairwiseConfigurations.flatMap((configuration, place) =>
  Array.from({ length: 3 }, (_, n) => ({ ...configuration, place, seed: n + 1 })),
);

describe
  .runIf(isLong)
  .concurrent(
    'an honest foreign service is not accused by launch, nor doubted without a reason, with',
    () => {
      it.each(crossed)('row $place, seed $seed: $sentence', async (row) => {
        const { ended, out } = await launchAgainst(row);
        const verdicts = readVerdicts(out);
        const amiss = verdicts.run.generator_bound
          ? failedGroups(verdicts)
          : troubles(verdicts).filter((text) => !(text.includes(': inconclusive ') && isDue(row, text)));
        expect(amiss, ended.stdout + ended.stderr).toEqual([]);
      });
    },
  );

describe.concurrent('where there is nothing to go by', () => {
  it('with the load key alone nothing fails, and what needs another key is inconclusive and says so', async () => {
    const { ended, out } = await launchAgainst({ choices: {}, roles: ['load'] });
    const { checks, run } = readVerdicts(out);
    const notPassed = checks.filter(({ verdict }) => verdict !== 'pass');
    expect(notPassed.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    if (run.generator_bound) return;
    const wanting = notPassed.filter(({ id }) => !id.startsWith('quota.') && id !== 'rate-limit.isolation');
    expect(wanting, ended.stdout).toEqual([]);
    expect(notPassed.map(({ id }) => id)).toContain('rate-limit.isolation');
    for (const { explanation, id } of notPassed)
      expect(explanation, id).toMatch(
        id.startsWith('quota.') ? /\bquota\b.*\bkey\b|\bkey\b.*\bquota\b/ : /bystander/,
      );
    expect(ended.code).toBe(3);
  });

  it.runIf(isLong)(
    'without an interaction channel nothing fails, and only what shoppers do is inconclusive',
    async () => {
      const { ended, out, service } = await launchAgainst({ choices: { channel: false } });
      const { checks, run } = readVerdicts(out);
      const notPassed = checks.filter(({ verdict }) => verdict !== 'pass');
      expect(notPassed.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      if (run.generator_bound) return;
      expect([...new Set(notPassed.map(({ id }) => id.split('.')[0]))], ended.stdout).toEqual(['analytics']);
      expect(notPassed.map(({ explanation }) => explanation).join(' ')).toMatch(/channel/);
      expect(ended.code).toBe(3);
      expect(leaks(out, ended, service.secrets())).toEqual([]);
      expect(await overBudget(out)).toEqual([]);
    },
  );
});
