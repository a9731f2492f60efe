import { describe, expect, it } from 'vitest';
import { catalogue, type FieldName, fieldNames } from '../../src/corners/catalogue.ts';
import { coveringArray } from '../../src/corners/covering-array.ts';
import {
  cornerCatalogIds,
  cornerSessions,
  eventDeliveries,
  invalidColours,
} from '../../src/corners/sessions.ts';
import { cornerGroups, pairedShades } from '../../src/corners/shades.ts';
import { type Field, isPair, type TextClass, type ValueClass } from '../../src/corners/value-class.ts';
import { nearKeys } from '../../src/vocabulary/probes.ts';

function classesOf(field: FieldName): readonly (TextClass | ValueClass<number>)[] {
  return (catalogue[field] as Field).classes;
}

const unique = 'ab12cd34';
const groups = cornerGroups(unique, ['matte', 'satin']);
const shades = groups.flatMap((group) => group.shades);

describe('the catalogue of value classes', () => {
  it.each(fieldNames)('%s has classes with ids of their own', (field) => {
    const ids = classesOf(field).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(fieldNames)('%s recognises every value that it makes', (field) => {
    for (const each of classesOf(field)) {
      const values: readonly (string | number)[] = each.make?.(unique) ?? [];
      if (isPair(each)) {
        const texts = values.map(String);
        const [one = '', other = ''] = texts;
        expect(new Set(texts).size).toBe(2);
        expect(
          each.alike(one).some((key) => each.alike(other).includes(key)),
          each.id,
        ).toBe(true);
      } else {
        const holds = each.holds as (value: string | number) => boolean;
        expect(
          values.filter((value) => !holds(value)),
          each.id,
        ).toEqual([]);
      }
    }
  });

  it('leaves to the longest run only what takes a long history or a large catalog', () => {
    const late = fieldNames.flatMap((field) =>
      classesOf(field).flatMap(({ from, id }) => (from === 'long' ? [`${field} ${id}`] : [])),
    );
    expect(late).toEqual(['catalog over-500', 'catalog over-999', 'history over-1000', 'history over-1024']);
  });

  it('has a class for every key that only resembles a real one', () => {
    const ids = classesOf('key').map(({ id }) => id);
    expect(nearKeys.filter((kind) => !ids.includes(kind))).toEqual([]);
  });

  it('makes a value of every class that a run sends on purpose', () => {
    const sent: readonly [FieldName, readonly string[]][] = [
      ['sku', shades.map(({ sku }) => sku)],
      ['name', shades.map(({ name }) => name)],
      ['hex', [...shades.map(({ hex }) => hex), 'no colour', ...invalidColours()]],
      ['product_id', ['x', 'X', ...cornerSessions(unique).map(({ productId }) => productId)]],
      ['catalog_id', ['x', 'X', ...cornerCatalogIds(unique)]],
      ['locale', ['en-GB', 'zh-Hans-CN', ...cornerSessions(unique).map(({ locale }) => locale)]],
    ];
    const missed = sent.flatMap(([field, values]) =>
      classesOf(field).flatMap((each) => {
        const text = each as TextClass;
        const isSent = isPair(text)
          ? values.some((one) =>
              values.some(
                (other) => one !== other && text.alike(one).some((key) => text.alike(other).includes(key)),
              ),
            )
          : values.some(text.holds);
        return isSent || text.from === 'none' ? [] : [`${field}.${text.id}`];
      }),
    );
    expect(missed).toEqual([]);
  });
});

describe('the shades of a run', () => {
  it('have SKUs of their own, and fit in a batch', () => {
    expect(new Set(shades.map(({ sku }) => sku)).size).toBe(shades.length);
    expect(shades.length).toBeLessThan(500);
  });

  it.each([1, 2, 8, 40])(
    'in pairs, let the values of any two fields meet, in one batch, with %i finishes',
    (finishCount) => {
      const finishes = Array.from({ length: finishCount }, (_, place) => `finish ${place}`);
      const paired = pairedShades(
        unique,
        finishes,
        groups.map(({ name }) => name),
      );
      expect(new Set(paired.map(({ sku }) => sku)).size).toBe(paired.length);
      expect(paired.length).toBeLessThanOrEqual(500);
      const names = new Set(paired.map(({ name }) => name));
      const colours = new Set(paired.map(({ hex }) => hex));
      const met = new Set(paired.map(({ name, hex }) => `${name}\n${hex}`));
      expect(met.size).toBe(names.size * colours.size);
      const finished = new Set(paired.map(({ name, finish }) => `${name}\n${finish}`));
      expect(finished.size).toBe(names.size * Math.min(8, finishCount));
    },
  );

  it('in pairs, leave out the values of groups that were rejected', () => {
    const paired = pairedShades(unique, ['matte', 'satin'], ['skus', 'names', 'colours']);
    expect(paired.filter(({ name, sku }) => name.length > 200 || sku.length > 200)).toEqual([]);
  });
});

describe('a covering array', () => {
  it.each([[[2, 2, 2, 2]], [[3, 4, 5]], [[1, 6]], [[7]], [[0, 3]]])(
    'of columns of %j values has each pair',
    (sizes) => {
      const rows = coveringArray(sizes);
      for (const [a, size] of sizes.entries())
        for (const [b, other] of sizes.entries())
          if (a < b) expect(new Set(rows.map((row) => `${row[a]} ${row[b]}`)).size).toBe(size * other);
    },
  );

  it('is far smaller than all combinations', () => {
    expect(coveringArray([3, 3, 3, 3, 3, 3]).length).toBeLessThan(25);
  });
});

describe('the deliveries of a long session', () => {
  it.each([
    ['any number', undefined, [129, 513, 1025]],
    ['100 events', 100, [129, 513, 1025]],
    ['8 events', 8, [129, 513, 1025]],
    ['one event', 1, [129]],
  ])(
    'hold as many events, where a request carries %s, unless that takes too many requests',
    (_, most, totals) => {
      const all = eventDeliveries('long', most);
      expect(all.map((sizes) => sizes.reduce((sum, size) => sum + size, 0))).toEqual(totals);
      for (const size of all.flat()) expect(size).toBeLessThanOrEqual(most ?? size);
    },
  );
});
