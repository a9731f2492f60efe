import { describe, expect, test } from 'vitest';
import { defectGroups, defects } from '../../../src/service/defects/catalogue.ts';
import { variants } from '../../../src/service/variants/catalogue.ts';
import { serviceUnderTest, shade } from '../service-under-test.ts';

/** The letter that the ids of a group begin with, and the grade of each number. */
const listed: Readonly<Record<string, { readonly letter: string; readonly grades: Record<number, number> }>> =
  {
    auth: { letter: 'A', grades: { 1: 1, 2: 1, 4: 2, 5: 3, 7: 4 } },
    shades: { letter: 'S', grades: { 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 2, 8: 2, 10: 3, 11: 2 } },
    sessions: {
      letter: 'N',
      grades: { 1: 1, 2: 2, 3: 2, 5: 2, 6: 3, 9: 4, 10: 4, 11: 2, 12: 2, 13: 2, 14: 3, 15: 4 },
    },
    'rate-limit': {
      letter: 'R',
      grades: {
        1: 1,
        2: 2,
        3: 3,
        5: 3,
        6: 3,
        7: 4,
        9: 2,
        10: 2,
        11: 2,
        12: 2,
        13: 2,
        15: 2,
        17: 3,
        18: 2,
        20: 4,
        21: 4,
        23: 3,
      },
    },
    quota: { letter: 'Q', grades: { 1: 1, 2: 2, 3: 4, 5: 2, 7: 2, 8: 3, 9: 3 } },
    analytics: {
      letter: 'Y',
      grades: { 1: 2, 2: 3, 4: 2, 6: 3, 7: 3, 9: 2, 10: 3, 12: 3, 14: 3, 16: 4, 17: 2, 18: 3, 19: 3 },
    },
    latency: { letter: 'P', grades: { 1: 2, 2: 3, 4: 4, 5: 4, 6: 4, 7: 4 } },
  };

describe('the catalogue of defects', () => {
  test.each(Object.entries(listed))('has every defect of %s with its grade', (group, { letter, grades }) => {
    // Some come in two forms; the second has something behind its number.
    const planted = new Set(
      defectGroups[group]?.map(({ id, grade }) => `${/^[A-Z]\d+/.exec(id)?.[0] ?? id} of grade ${grade}`),
    );
    const wanted = Object.entries(grades).map(([number, grade]) => `${letter}${number} of grade ${grade}`);
    expect([...planted].toSorted()).toEqual(wanted.toSorted());
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
