import { describe } from 'vitest';
import { listLagMs } from '../../../src/service/defects/shades.ts';
import type { Shade } from '../../../src/wire.ts';
import { type ServiceUnderTest, selected, shade } from '../service-under-test.ts';
import { inGroup, type Looks, same, testLooks } from './looks.ts';

const shades = (count: number): Shade[] => Array.from({ length: count }, (_, n) => shade(`S${n}`));
const badHex = { ...shade('C'), hex: 'red' };

async function listed(service: ServiceUnderTest): Promise<readonly Shade[]> {
  const answer = await service.call('GET', '/shades?catalog_id=spring');
  return answer.status === 200 ? answer.json<{ shades: Shade[] }>().shades : [];
}

const skus = async (service: ServiceUnderTest) => (await listed(service)).map(({ sku }) => sku);

/** The status of an import, and how many shades are listed once they have to be. */
const imported = (batch: readonly object[]) => async (service: ServiceUnderTest) => {
  const body = { catalog_id: 'spring', shades: batch };
  const { status } = await service.call('POST', '/shades', { body });
  service.clock.pass(listLagMs);
  return [status, (await listed(service)).length];
};

const looks = {
  'an import of 499': [imported(shades(499)), [200, 499]],
  'an import of 500': [imported(shades(500)), [200, 500]],
  'an import of 501': [imported(shades(501)), [422, 0]],
  'an import of 502': [imported(shades(502)), [422, 0]],
  'an import whose third shade is wrong': [imported([shade('A'), shade('B'), badHex, shade('D')]), [422, 0]],
  'a colour that is none': [imported([badHex]), [422, 0]],
  'no sku': [imported([{ ...shade('A'), sku: undefined }]), [422, 0]],
  'an empty name': [imported([{ ...shade('A'), name: '' }]), [422, 0]],
  'a numeric finish': [imported([{ ...shade('A'), finish: 7 }]), [422, 0]],
  'a catalog whose only import was rejected': [
    async (service) => {
      const [status] = await imported([shade('A'), badHex])(service);
      return [status, (await service.call('GET', '/shades?catalog_id=spring')).status];
    },
    [422, 404],
  ],
  'a catalog that does not exist': [
    async (service) => (await service.call('GET', '/shades?catalog_id=none')).status,
    404,
  ],
  'an import of one SKU twice': [
    async (service) => {
      const answer = await service.importShades('spring', [shade('A'), shade('B'), shade('A')]);
      const { shade_count } = await service.openSession();
      service.clock.pass(listLagMs);
      const counts = answer.json<{ imported: number; created: number; shade_count: number }>();
      return [
        counts.imported,
        counts.created,
        counts.shade_count,
        shade_count,
        (await listed(service)).length,
      ];
    },
    [2, 2, 2, 2, 2],
  ],
  'A, B and then B, C': [
    async (service) => {
      await service.importShades('spring', [shade('A'), shade('B')]);
      await service.importShades('spring', [shade('B'), shade('C')]);
      service.clock.pass(listLagMs);
      const { shade_count } = await service.openSession();
      return [(await skus(service)).toSorted().join(''), shade_count];
    },
    ['ABC', 3],
  ],
  'names as listed': [
    async (service) => {
      await service.importShades('spring', [
        shade('A', { name: 'Rosé' }),
        shade('B', { name: 'Plain' }),
        shade('C', { name: '紅 💄' }),
      ]);
      service.clock.pass(listLagMs);
      return (await listed(service)).map(({ name }) => name);
    },
    ['Rosé', 'Plain', '紅 💄'],
  ],
  'what is listed at once after an import, just before the lag is over, and then': [
    async (service) => {
      await service.importShades('spring', [shade('A')]);
      service.clock.pass(listLagMs);
      await service.importShades('spring', [shade('A', { name: 'again' }), shade('B')]);
      const seen = [await skus(service)];
      for (const ms of [listLagMs - 1, 1]) {
        service.clock.pass(ms);
        seen.push(await skus(service));
      }
      return seen.map((each) => each.join(''));
    },
    ['AB', 'AB', 'AB'],
  ],
  'the fields of a shade as listed': [
    async (service) => {
      await service.importShades('spring', [shade('A', { spf: 20 })]);
      service.clock.pass(listLagMs);
      return listed(service);
    },
    [{ sku: 'A', name: 'Shade A', hex: '#C0FFEE', finish: 'matte', spf: 20 }],
  ],
  'selecting a shade that was imported twice': [
    async (service) => {
      for (const _ of [1, 2]) await service.importShades('spring', [shade('A')]);
      return (await service.interact(await service.openSession(), [selected('A')])).status;
    },
    202,
  ],
} satisfies Looks<string>;

describe('the shades of a service', () => {
  testLooks(inGroup('shades'), looks, {
    S1: { 'an import of 501': [200, 501], 'an import of 500': same, 'an import of 502': same },
    S2: { 'an import of 500': [422, 0], 'an import of 499': same, 'an import of 501': same },
    S3: { 'an import of 501': [200, 500], 'a colour that is none': same },
    S4: { 'an import of one SKU twice': [3, 3, 3, 3, 2], 'an import of 499': same },
    S5: {
      'an import of 501': [422, 500],
      'an import whose third shade is wrong': [422, 2],
      'an import of 500': same,
      'a colour that is none': same,
      'no sku': same,
      'an empty name': same,
      'a numeric finish': same,
    },
    S12: { 'a catalog whose only import was rejected': [422, 200], 'an import of 500': same },
    S6: {
      'A, B and then B, C': ['ABBC', 4],
      'an import of 499': same,
      'selecting a shade that was imported twice': same,
    },
    S8: { 'names as listed': ['RosÃ©', 'Plain', Buffer.from('紅 💄').toString('latin1')] },
    S10: {
      'what is listed at once after an import, just before the lag is over, and then': ['A', 'A', 'AB'],
      'a catalog that does not exist': same,
      'selecting a shade that was imported twice': same,
    },
    S11: { 'the fields of a shade as listed': [{ sku: 'A', name: 'Shade A', hex: '#C0FFEE', spf: 20 }] },
  });
});
