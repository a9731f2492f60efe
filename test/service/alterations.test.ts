import { describe, expect, test } from 'vitest';
import { type Alterations, compose } from '../../src/service/alterations.ts';
import { defectGroups, defects } from '../../src/service/defects/catalogue.ts';
import { variants } from '../../src/service/variants.ts';
import { selected, serviceUnderTest, shade } from './service-under-test.ts';
import { planted, varied } from './transcripts.ts';

/** The letter that the ids of each group begin with. */
const letters = {
  auth: 'A',
  shades: 'S',
  sessions: 'N',
  'rate-limit': 'R',
  quota: 'Q',
  analytics: 'Y',
  latency: 'P',
};

describe('the catalogue of defects', () => {
  test('has ids of a letter for their group, a number, and what tells two forms apart', () => {
    expect(Object.keys(defectGroups)).toEqual(Object.keys(letters));
    const letterOf = new Map(Object.entries(letters));
    for (const [group, { length }] of Object.entries(defectGroups)) expect(length, group).toBeGreaterThan(0);
    const odd = Object.entries(defectGroups).flatMap(([group, of]) =>
      of.filter(({ id }) => !new RegExp(`^${letterOf.get(group)}\\d+(-[a-z]*)?$`).test(id)),
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  test('gives no id, no name and no title twice', () => {
    const names = [...defects.map(({ id }) => id), ...variants.map(({ name }) => name)];
    const titles = [...defects, ...variants].map(({ title }) => title);
    expect(names).toEqual([...new Set(names)]);
    expect(titles).toEqual([...new Set(titles)]);
  });

  test('has names that can stand in a list with commas, and titles that fit on a line', () => {
    for (const name of [...defects.map(({ id }) => id), ...variants.map(({ name }) => name)]) {
      expect(name).toMatch(/^[A-Za-z0-9-]+$/);
    }
    for (const { title } of [...defects, ...variants]) expect(title.length).toBeLessThan(100);
  });
});

describe('alterations together', () => {
  test('of nothing are the service as it is', async () => {
    const service = serviceUnderTest({}, compose([]));
    expect((await service.importShades('spring', [shade('A'), shade('A')])).json()).toMatchObject({
      imported: 1,
    });
  });

  test('of the same part all take effect', async () => {
    const together = [planted('S4'), planted('S11'), planted('N12'), planted('S1')];
    const service = serviceUnderTest({}, compose(together.map(({ alterations }) => alterations)));
    const batch = [shade('A'), shade('B'), shade('A')];
    expect((await service.importShades('spring', batch)).json()).toMatchObject({ imported: 3 });
    expect((await service.openSession()).shade_count).toBe(2);
    const listed = await service.call('GET', '/shades?catalog_id=spring');
    expect(listed.json<{ shades: object[] }>().shades.map((each) => 'finish' in each)).toEqual([
      false,
      false,
    ]);
    const many = Array.from({ length: 501 }, (_, n) => shade(`S${n}`));
    expect((await service.importShades('autumn', many)).status).toBe(200);
  });

  test('of settings all take effect', async () => {
    const settings = compose([varied('ties-descending').alterations, varied('short-top-shades').alterations]);
    const service = serviceUnderTest({}, settings);
    const skus = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    await service.importShades(
      'spring',
      skus.map((sku) => shade(sku)),
    );
    await service.interact(
      await service.openSession(),
      skus.map((sku) => selected(sku)),
    );
    const path = '/analytics/sessions?start_date=2026-03-10&end_date=2026-03-10';
    const { top_shades } = (await service.call('GET', path)).json<{ top_shades: { sku: string }[] }>();
    expect(top_shades.map(({ sku }) => sku)).toEqual(['G', 'F', 'E', 'D', 'C']);
  });

  test('each get what those before them have left', () => {
    const order: string[] = [];
    const named = (name: string): Alterations => ({
      options: (options) => ({ ...options, sessionLifetimeMs: options.sessionLifetimeMs * 2 }),
      parts: (parts, _database, options) => {
        order.push(`parts of ${name}, sessions of ${options.sessionLifetimeMs} ms`);
        return parts;
      },
      server: () => order.push(`server of ${name}`),
    });
    serviceUnderTest({ sessionLifetimeMs: 10 }, compose([named('one'), named('other')]));
    expect(order).toEqual([
      'parts of one, sessions of 40 ms',
      'parts of other, sessions of 40 ms',
      'server of one',
      'server of other',
    ]);
  });
});
