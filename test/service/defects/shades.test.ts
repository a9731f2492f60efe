import { describe, expect, test } from 'vitest';
import { listLagMs } from '../../../src/service/defects/shades.ts';
import type { Shade } from '../../../src/wire.ts';
import { type ServiceUnderTest, selected, serviceUnderTest, shade } from '../service-under-test.ts';
import { planted, testProperties } from './property.ts';

function shades(count: number): Shade[] {
  return Array.from({ length: count }, (_, n) => shade(`S${n}`));
}

async function listed(service: ServiceUnderTest): Promise<readonly Shade[]> {
  const answer = await service.call('GET', '/shades?catalog_id=spring');
  return answer.status === 200 ? answer.json<{ shades: Shade[] }>().shades : [];
}

async function listedSkus(service: ServiceUnderTest): Promise<string[]> {
  return (await listed(service)).map(({ sku }) => sku);
}

/** Status of an import, and how many shades are listed after it. */
async function imported(service: ServiceUnderTest, batch: readonly Shade[]): Promise<[number, number]> {
  const { status } = await service.importShades('spring', batch);
  return [status, (await listed(service)).length];
}

const badHex = { ...shade('C'), hex: 'red' };

testProperties([
  {
    defect: planted('S1'),
    of: 'an import of 501',
    look: (service) => imported(service, shades(501)),
    kept: [422, 0],
    broken: [200, 501],
  },
  {
    defect: planted('S2'),
    of: 'an import of 500',
    look: (service) => imported(service, shades(500)),
    kept: [200, 500],
    broken: [422, 0],
  },
  {
    defect: planted('S3'),
    of: 'an import of 501',
    look: (service) => imported(service, shades(501)),
    kept: [422, 0],
    broken: [200, 500],
  },
  {
    defect: planted('S4'),
    of: 'the counts after an import of one SKU twice',
    async look(service) {
      const answer = await service.importShades('spring', [shade('A'), shade('B'), shade('A')]);
      const { shade_count } = await service.openSession();
      return { ...answer.json<object>(), ofSession: shade_count, listed: (await listed(service)).length };
    },
    kept: {
      catalog_id: 'spring',
      imported: 2,
      created: 2,
      updated: 0,
      shade_count: 2,
      ofSession: 2,
      listed: 2,
    },
    broken: {
      catalog_id: 'spring',
      imported: 3,
      created: 3,
      updated: 0,
      shade_count: 3,
      ofSession: 3,
      listed: 2,
    },
  },
  {
    defect: planted('S5'),
    of: 'an import whose third shade has no colour',
    look: (service) => imported(service, [shade('A'), shade('B'), badHex, shade('D')]),
    kept: [422, 0],
    broken: [422, 2],
  },
  {
    defect: planted('S5'),
    of: 'an import of 501',
    look: (service) => imported(service, shades(501)),
    kept: [422, 0],
    broken: [422, 500],
  },
  {
    defect: planted('S12'),
    of: 'a catalog whose only import was rejected',
    async look(service) {
      const [status] = await imported(service, [shade('A'), badHex]);
      return [status, (await service.call('GET', '/shades?catalog_id=spring')).status];
    },
    kept: [422, 404],
    broken: [422, 200],
  },
  {
    defect: planted('S6'),
    of: 'what is listed after importing A, B and then B, C',
    async look(service) {
      await service.importShades('spring', [shade('A'), shade('B')]);
      await service.importShades('spring', [shade('B'), shade('C')]);
      const { shade_count } = await service.openSession();
      return { skus: (await listedSkus(service)).toSorted(), shade_count };
    },
    kept: { skus: ['A', 'B', 'C'], shade_count: 3 },
    broken: { skus: ['A', 'B', 'B', 'C'], shade_count: 4 },
  },
  {
    defect: planted('S8'),
    of: 'names as listed',
    async look(service) {
      await service.importShades('spring', [
        shade('A', { name: 'Rosé' }),
        shade('B', { name: 'Plain' }),
        shade('C', { name: '紅 💄' }),
      ]);
      return (await listed(service)).map(({ name }) => name);
    },
    kept: ['Rosé', 'Plain', '紅 💄'],
    broken: ['RosÃ©', 'Plain', Buffer.from('紅 💄').toString('latin1')],
  },
  {
    defect: planted('S10'),
    of: 'what is listed at once after an import, just before the lag is over, and then',
    async look(service) {
      await service.importShades('spring', [shade('A')]);
      service.clock.pass(listLagMs);
      await service.importShades('spring', [shade('A', { name: 'again' }), shade('B')]);
      const atOnce = await listedSkus(service);
      service.clock.pass(listLagMs - 1);
      const before = await listedSkus(service);
      service.clock.pass(1);
      return [atOnce, before, await listedSkus(service)];
    },
    kept: [
      ['A', 'B'],
      ['A', 'B'],
      ['A', 'B'],
    ],
    broken: [['A'], ['A'], ['A', 'B']],
  },
  {
    defect: planted('S11'),
    of: 'a shade as listed',
    async look(service) {
      await service.importShades('spring', [shade('A', { spf: 20 })]);
      return listed(service);
    },
    kept: [{ sku: 'A', name: 'Shade A', hex: '#C0FFEE', finish: 'matte', spf: 20 }],
    broken: [{ sku: 'A', name: 'Shade A', hex: '#C0FFEE', spf: 20 }],
  },
]);

describe('what these defects leave alone', () => {
  test.each([
    ['S1: 502 shades', planted('S1'), shades(502), [422, 0]],
    ['S1: 500 shades', planted('S1'), shades(500), [200, 500]],
    ['S2: 499 shades', planted('S2'), shades(499), [200, 499]],
    ['S2: 501 shades', planted('S2'), shades(501), [422, 0]],
    ['S3: a shade without a colour', planted('S3'), [badHex], [422, 0]],
    ['S4: distinct SKUs', planted('S4'), shades(3), [200, 3]],
    ['S5: a batch that is right', planted('S5'), shades(500), [200, 500]],
    ['S5: a batch whose first shade is wrong', planted('S5'), [badHex, shade('A')], [422, 0]],
    ['S6: a first import', planted('S6'), shades(3), [200, 3]],
    ['S12: a batch that is right', planted('S12'), shades(500), [200, 500]],
  ])('%s', async (_, { alterations }, batch, expected) => {
    expect(await imported(serviceUnderTest({}, alterations), batch)).toEqual(expected);
  });

  test.each([
    ['no sku', { ...shade('A'), sku: undefined }],
    ['an empty name', { ...shade('A'), name: '' }],
    ['a numeric finish', { ...shade('A'), finish: 7 }],
    ['a colour that is none', badHex],
  ])('S5: what makes a shade wrong, such as %s', async (_, wrong) => {
    for (const alterations of [{}, planted('S5').alterations]) {
      const service = serviceUnderTest({}, alterations);
      const body = { catalog_id: 'spring', shades: [wrong] };
      expect((await service.call('POST', '/shades', { body })).status).toBe(422);
    }
  });

  test('S6, S10: shades that were imported can be selected', async () => {
    for (const { alterations } of [planted('S6'), planted('S10')]) {
      const service = serviceUnderTest({}, alterations);
      await service.importShades('spring', [shade('A')]);
      await service.importShades('spring', [shade('A')]);
      expect((await service.interact(await service.openSession(), [selected('A')])).status).toBe(202);
    }
  });

  test('S10: a catalog that does not exist', async () => {
    const service = serviceUnderTest({}, planted('S10').alterations);
    expect((await service.call('GET', '/shades?catalog_id=none')).status).toBe(404);
  });
});
