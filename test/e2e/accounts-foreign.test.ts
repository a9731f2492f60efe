import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VerdictsJson } from '../../src/checks/verdicts.ts';
import { type ForeignChoices, startForeignService } from './foreign-service.ts';
import { atEnd, profileArguments, readVerdicts, temporaryFolder, troubles, tryon } from './program.ts';

async function smoke(choices: ForeignChoices): Promise<VerdictsJson> {
  const service = await startForeignService(choices);
  atEnd(() => service.close());
  const out = join(temporaryFolder(), 'run');
  await tryon(
    [
      ...['run', 'smoke', '--target', service.baseUrl, '--out', out],
      ...['--key', 'load=LOAD', '--key', 'bystander=BYSTANDER'],
      // Others may use the accounts, and the machine may be busy.
      ...profileArguments({ send_lag_bound: '5s', analytics: { freshness: '1s' } }),
    ],
    { env: { LOAD: service.keys.load, BYSTANDER: service.keys.bystander } },
  );
  return readVerdicts(out);
}

const explanationOf = ({ checks }: VerdictsJson, id: string): string | undefined =>
  checks.find((check) => check.id === id)?.explanation;

describe('a smoke run with a second key, against a service of another author', () => {
  it('whose analytics pool accounts that cannot read each other’s sessions finds the leak', async () => {
    const verdicts = await smoke({ pooledAnalytics: true });
    expect(explanationOf(verdicts, 'analytics.conventions')).toMatch(
      /while contract\.tenancy shows that the bystander key cannot read a session of the load key \(404\): data of one account shows in the analytics of another/,
    );
  });

  it('whose two keys share an account, and whose histories stand newest first, passes', async () => {
    const verdicts = await smoke({ accounts: { bystander: 'load' }, historyOrder: 'at-descending' });
    expect(troubles(verdicts).filter((text) => !text.startsWith('latency'))).toEqual([]);
    expect(explanationOf(verdicts, 'analytics.conventions')).toMatch(
      /agrees with what else is known: contract\.tenancy shows that the bystander key can read/,
    );
    expect(explanationOf(verdicts, 'analytics.sessions')).toMatch(/Histories stand newest first/);
  });
});
