import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/corners/catalogue.ts';
import { coveringArray } from '../../src/corners/covering-array.ts';
import { cornerSessions, eventDeliveries, invalidColours } from '../../src/corners/sessions.ts';
import { cornerGroups, pairedShades } from '../../src/corners/shades.ts';
import { taggedIdClasses } from '../../src/corners/texts.ts';
import { isPair } from '../../src/corners/value-class.ts';

const unique = 'ab12cd34';
const groups = cornerGroups(unique, ['matte', 'satin']);
const shades = groups.flatMap((group) => group.shades);

describe.each(Object.entries(catalogue))('the classes of the field %s', (_, { classes }) => {
  it('have different ids', () => {
    const ids = classes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('recognise every value that they make, or make two that differ', () => {
    for (const each of classes) {
      const values = each.make(unique);
      if (isPair(each)) expect(new Set(values).size, each.id).toBe(2);
      else
        expect(
          values.filter((value) => !each.holds(value)),
          each.id,
        ).toEqual([]);
    }
  });
});

describe('a run sends every value', () => {
  it.each([
    ['of a SKU', catalogue.sku.classes, shades.map(({ sku }) => sku)],
    ['of a name', catalogue.name.classes, shades.map(({ name }) => name)],
    ['of a colour', catalogue.hex.classes, [...shades.map(({ hex }) => hex), ...invalidColours()]],
    ['of a product id', taggedIdClasses, cornerSessions(unique).map(({ productId }) => productId)],
  ])('%s', (_, classes, sent) => {
    expect(classes.flatMap(({ make }) => make(unique)).filter((value) => !sent.includes(value))).toEqual([]);
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
