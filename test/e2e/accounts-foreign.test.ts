import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Reason, reason } from '../../src/checks/reasons/reason.ts';
import type { VerdictsJson } from '../../src/checks/verdicts.ts';
import type { CheckId } from '../../src/vocabulary/check-ids.ts';
import { isLong } from '../effort.ts';
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

const reasonsOf = ({ checks }: VerdictsJson, id: CheckId): readonly Reason[] =>
  checks.find((check) => check.id === id)?.data.reasons ?? [];

describe('a smoke run with a second key, against a service of another author', () => {
  it('whose analytics pool accounts that cannot read each other’s sessions finds the leak', async () => {
    const verdicts = await smoke({ pooledAnalytics: true });
    expect(reasonsOf(verdicts, 'analytics.conventions')).toEqual(
      expect.arrayContaining([
        reason('known-by-read', { canRead: false, status: 404 }),
        reason('account-leak', { isPromised: false }),
      ]),
    );
  });

  it.runIf(isLong)(
    'whose two keys share an account, and whose histories stand newest first, passes',
    async () => {
      const verdicts = await smoke({ accounts: { bystander: 'load' }, historyOrder: 'at-descending' });
      expect(troubles(verdicts).filter((text) => !text.startsWith('latency'))).toEqual([]);
      expect(reasonsOf(verdicts, 'analytics.conventions')).toEqual(
        expect.arrayContaining([
          reason('accounts-agree'),
          reason('known-by-read', { canRead: true, status: 200 }),
        ]),
      );
      expect(reasonsOf(verdicts, 'analytics.sessions')).toContainEqual({
        code: 'sessions-order',
        params: { orders: expect.arrayContaining(['at-descending']) },
      });
    },
  );
});
