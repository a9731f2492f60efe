import { describe, expect, test } from 'vitest';
import { defectGroups, defects } from '../../../src/service/defects/catalogue.ts';
import { variants } from '../../../src/service/variants.ts';
import { serviceUnderTest, shade } from '../service-under-test.ts';

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

  test.each([...defects])('$id leaves a service that starts and takes an import', async ({ alterations }) => {
    const service = serviceUnderTest({}, alterations);
    expect((await service.importShades('spring', [shade('A')])).status).toBe(200);
  });
});
