import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { areNumbersUnique, differentValues } from '../../../src/checks/accounting/planned.ts';
import { withHistory } from '../../history/sample.ts';

const row = z.object({ bits: z.number(), table: z.number() });

describe('different values', () => {
  it('are as many by bits as in a table', async () => {
    await withHistory({ requests: [] }, (history) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.option(fc.integer({ min: -40, max: 90 })), { maxLength: 60 }),
          fc.integer({ min: -20, max: 20 }),
          fc.integer({ min: -1, max: 70 }),
          async (values, least, range) => {
            const most = least + range;
            const where = `x BETWEEN ${least} AND ${most}`;
            const list = values.map((value) => value ?? 'NULL').join(', ');
            const [found] = await history.rows(
              row,
              `SELECT ${differentValues('x', least, most, where)} AS bits, count(DISTINCT x) FILTER (${where}) AS table
               FROM (SELECT unnest(CAST([${list}] AS BIGINT[])) AS x)`,
            );
            expect(found?.bits).toBe(found?.table);
          },
        ),
        { numRuns: 60 },
      ),
    );
  });

  it.each([
    ['each request has a number of its own', [1, 2, 3], true],
    ['two have the same', [1, 2, 2], false],
    ['there is a gap', [1, 5, 3], true],
    ['there is none', [], undefined],
    ['they are too far apart to tell easily', [1, 5_000_000_000], undefined],
  ] as const)('tell whether numbers are their own: %s', async (_, seqs, expected) => {
    const requests = seqs.map((seq) => ({ seq, endpoint: 'list-shades', sentNs: seq }) as const);
    expect(await withHistory({ requests }, areNumbersUnique)).toBe(expected);
  });
});
