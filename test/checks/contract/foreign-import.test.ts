import { expect, it } from 'vitest';
import { checkTenancy } from '../../../src/checks/contract/auth/tenancy.ts';
import { readProbes } from '../../../src/checks/core/probes.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { foreignShadeName } from '../../../src/vocabulary/probes.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

/** What the bystander's key got for a session and the catalog of the load key; then what that lists of a catalog of its own. */
function requests(session: number, catalog: number): SampleRequest[] {
  const bystander = { stage: 'setup', credential: 'bystander' } as const;
  return [
    { ...bystander, endpoint: 'read-session', probe: 'tenancy:read-session', status: session },
    { ...bystander, endpoint: 'list-shades', probe: 'tenancy:list-shades', status: catalog },
    { stage: 'setup', endpoint: 'list-shades', probe: 'tenancy:own-list', catalogId: 'both', status: 200 },
  ];
}

it.each<[string, session: number, catalog: number, listed: string, Verdict, ...causes: string[]]>([
  ['leaves the catalog of another account as it is', 404, 404, 'Velvet', 'pass'],
  ['changes a catalog that it cannot read', 404, 404, foreignShadeName, 'fail', 'foreign-import-stored'],
  ['changes a catalog that all accounts can read, which may be theirs', 404, 200, foreignShadeName, 'pass'],
  ['of the same account changes its catalog', 200, 200, foreignShadeName, 'pass'],
  [
    'without the right to read changes a catalog',
    403,
    403,
    foreignShadeName,
    'inconclusive',
    'foreign-session-refused-otherwise',
  ],
])('another key %s', async (_, session, catalog, name, verdict, ...causes) => {
  const shade = { sku: 'T1', name, hex: '#102030', finish: 'matte' };
  const answers = [{ seq: 3, endpoint: 'list-shades' as const, query: {}, body: [shade] }];
  const [finding] = await withHistory({ requests: requests(session, catalog), answers }, async (history) =>
    checkTenancy(await readProbes(history), 'discover'),
  );
  expect(finding?.verdict).toBe(verdict);
  expect(finding?.causes?.map(({ cause }) => cause.code) ?? []).toEqual(causes);
});
