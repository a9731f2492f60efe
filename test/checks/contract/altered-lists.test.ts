import { describe, expect, it } from 'vitest';
import { checkContract } from '../../../src/checks/contract.ts';
import type { CheckFinding } from '../../../src/checks/core/verdict.ts';
import type { Shade } from '../../../src/wire.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';

const catalogId = 'c';
const sent: Shade = { sku: 'U1', name: 'Rosé', hex: '#101010', finish: 'matte' };

/** The finding on the catalogs, of a run that imported one shade and listed its catalog as `listed` says. */
async function catalogs(
  imported: Partial<SampleRequest>,
  lists: readonly string[],
  listed: Partial<Shade>,
): Promise<CheckFinding | undefined> {
  const requests: SampleRequest[] = [
    { endpoint: 'import-shades', stage: 'setup', catalogId, items: 1, ...imported },
    ...lists.map(
      (probe): SampleRequest => ({ endpoint: 'list-shades', stage: 'setup', catalogId, probe, count: 1 }),
    ),
  ];
  const findings = await withHistory(
    {
      requests,
      answers: lists.map((_, place) => ({
        seq: place + 2,
        endpoint: 'list-shades',
        query: { catalog_id: catalogId },
        body: [{ ...sent, ...listed }],
      })),
      catalog: [{ catalogId, productId: '', productName: '', ...sent }],
    },
    checkContract,
  );
  return findings.find(({ id }) => id === 'contract.catalog');
}

describe('lists after further imports', () => {
  it('with a value that was never sent fail by that, where no list comes before them', async () => {
    const found = await catalogs({ probe: 'update:import' }, ['kept:list'], { finish: 'satin' });
    expect(found?.verdict).toBe('fail');
    expect(found?.reasons.map(({ code }) => code)).toEqual(['list-field-changed']);
    expect(found?.causes?.map(({ cause }) => cause.code)).toEqual(['shade-field-changed']);
  });

  it.each([
    ['that were accepted, and are kept in another form', {}, 'Rosé'.normalize('NFD')],
    ['that were rejected, and of which something is left', { status: 422 }, 'Rose'],
  ])('are no business of this check for unusual values %s', async (_, answer, name) => {
    const found = await catalogs({ probe: 'names:import', ...answer }, ['names:list', 'kept:list'], { name });
    expect(found?.verdict).not.toBe('fail');
  });
});
