import { describe, expect, it } from 'vitest';
import { withHistory } from './sample.ts';

describe('columns of a query', () => {
  it('are as long as the query has rows, however many chunks they come in, and in its order', async () => {
    const [column] = await withHistory({ requests: [] }, (history) =>
      history.columns('SELECT CAST(range AS DOUBLE) FROM range(200_001) ORDER BY range DESC'),
    );
    expect(column?.length).toBe(200_001);
    expect(column?.every((value, row) => value === 200_000 - row)).toBe(true);
  });

  it('say NaN where there is nothing', async () => {
    const columns = await withHistory({ requests: [] }, (history) =>
      history.columns("SELECT CAST(nullif(range, 1) AS DOUBLE), CAST('NaN' AS DOUBLE) FROM range(3)"),
    );
    expect(columns.map((column) => [...column])).toEqual([
      [0, Number.NaN, 2],
      [Number.NaN, Number.NaN, Number.NaN],
    ]);
  });

  it('are there, and empty, where no row is', async () => {
    const columns = await withHistory({ requests: [] }, (history) =>
      history.columns('SELECT CAST(range AS DOUBLE), CAST(range AS DOUBLE) FROM range(0)'),
    );
    expect(columns.map(({ length }) => length)).toEqual([0, 0]);
  });

  it('are numbers and nothing else', async () => {
    const asked = withHistory({ requests: [] }, (history) => history.columns('SELECT range FROM range(3)'));
    await expect(asked).rejects.toThrow('not numbers');
  });
});
