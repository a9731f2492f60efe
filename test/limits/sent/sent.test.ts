import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberMap, type PackedField, packed, unpacked } from '../../../src/limits/sent/packed.ts';
import { randomStream } from '../../../src/random.ts';
import { withHistory } from '../../history/sample.ts';

it('finds the first value of each key, and none of a key that is not there', () => {
  const random = randomStream(1, 'number-map');
  // Keys that share their low bits lie beside each other.
  const keys = Array.from({ length: 500 }, (_, n) => 1 + Math.floor(random() * 50) * 2 ** 40 + (n % 7));
  const map = new NumberMap(keys.length);
  const expected = new Map<number, number>();
  for (const [value, key] of keys.entries()) {
    map.setOnce(key, value);
    if (!expected.has(key)) expected.set(key, value);
  }
  expect(keys.map((key) => map.get(key))).toEqual(keys.map((key) => expected.get(key)));
  expect([map.get(0), map.get(2 ** 45 + 9), new NumberMap(0).get(5)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

/** Fields with the values of their rows, which their SQL gives. */
const written = (bounds: readonly number[], rows: readonly (readonly number[])[]): PackedField[] =>
  bounds.map((below, n) => ({
    below,
    sql: `[${rows.map((row) => `${row[n]}::BIGINT`).join(', ')}][row + 1]`,
  }));

async function throughDatabase(fields: readonly PackedField[], rows: number): Promise<number[][]> {
  const columns = await withHistory({ requests: [] }, (history) =>
    history.columns(`SELECT ${packed(fields).join(', ')} FROM range(${rows}) AS r(row) ORDER BY row`),
  );
  return unpacked(fields, columns).map((values) => [...values]);
}

describe('several whole numbers of a row in one', () => {
  it('come out of the database as they went in', async () => {
    const table = fc
      .array(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 6 })
      .chain((bounds) =>
        fc.record({
          bounds: fc.constant(bounds),
          rows: fc.array(fc.tuple(...bounds.map((below) => fc.nat({ max: below - 1 }))), {
            minLength: 1,
            maxLength: 4,
          }),
        }),
      );
    await fc.assert(
      fc.asyncProperty(table, async ({ bounds, rows }) => {
        const fields = written(bounds, rows);
        expect(await throughDatabase(fields, rows.length)).toEqual(
          bounds.map((_, n) => rows.map((row) => row[n])),
        );
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['three small ones take one column', [1_000, 10, 500], 1],
    ['those of which a double does not hold all take more', [1_000, 2 ** 31, 2 ** 31], 2],
    ['with one value, none takes room', [1, 1, 1], 1],
  ])('%s', (_, bounds, columns) => {
    expect(packed(bounds.map((below) => ({ below, sql: 'x' })))).toHaveLength(columns);
  });
});
