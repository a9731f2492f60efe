import { describe, expect, it } from 'vitest';
import { isLong, rowsOf, times } from '../effort.ts';
import { type Configuration, honestConfigurations } from './configurations.ts';
import { type ForeignRun, runAgainst } from './foreign-run.ts';
import { isDue, pairwiseConfigurations } from './pairwise.ts';
import { failedGroups, leaks, overBudget, patient, scaledLaunch, troubles } from './program.ts';

type Launch = Pick<Configuration, 'choices' | 'profile' | 'roles'> & { readonly seed?: number };

/** A launch whose harness was kept from sending in time says so; in `npm run test:long` it is made again, twice at most. */
async function launchAgainst({ choices, profile, roles, seed = 1 }: Launch): Promise<ForeignRun> {
  for (let tries = 1; ; tries++) {
    const launched = await runAgainst(choices, {
      run: [scaledLaunch, '--seed', String(seed)],
      // In a window of 2 s, a harness that is later than this may leave the limiter in doubt.
      profile: { ...patient, send_lag_bound: '100ms', ...profile },
      roles: roles ?? ['load', 'quota', 'bystander'],
    });
    if (tries === times(1, 3) || !launched.verdicts().run.generator_bound) return launched;
  }
}

describe.concurrent('an honest foreign service passes launch when it', () => {
  it.each(rowsOf(honestConfigurations, ({ isShort }) => isShort === true))('$sentence', async (row) => {
    const { ended, out, service, verdicts: read } = await launchAgainst(row);
    const verdicts = read();
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
        const { ended, verdicts: read } = await launchAgainst(row);
        const verdicts = read();
        const amiss = verdicts.run.generator_bound
          ? failedGroups(verdicts)
          : troubles(verdicts).filter((text) => !(text.includes(': inconclusive ') && isDue(row, text)));
        expect(amiss, ended.stdout + ended.stderr).toEqual([]);
      });
    },
  );
