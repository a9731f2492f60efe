import { describe, expect, it } from 'vitest';
import { seriesChart, shiftChart } from '../../../src/report/compare/charts.ts';
import { compare } from '../../../src/report/compare/compare.ts';
import { trendOf } from '../../../src/report/compare/trend.ts';
import { sampleRun } from '../../history/sample.ts';
import { factsOf, side, steadyTarget } from './simulated.ts';

describe('the chart of a shift', () => {
  const slower = compare(
    side(steadyTarget, 3, 'a', 1),
    side({ ...steadyTarget, tail: 1.5 }, 3, 'b', 1),
    0.05,
  );
  const { labels, limits, series } = shiftChart(slower);
  const [shift, control, least, most] = series.map(({ values }) => values);

  it('has each quantile once, between the ends of its band', () => {
    expect(shift).toHaveLength(slower.shift.length);
    for (const [place, value] of (shift ?? []).entries()) {
      expect(least?.[place] ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(value ?? Number.NaN);
      expect(most?.[place] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(value ?? Number.NaN);
    }
  });

  it('has the A/A control at p50, p90 and p99 alone, near no change, and the margin at both sides', () => {
    expect(labels?.filter((_, place) => control?.[place] !== null)).toEqual(['50 %', '90 %', '99 %']);
    expect(Math.abs(control?.[5] ?? 100)).toBeLessThan(5);
    expect(limits?.map(({ value }) => value)).toEqual([5, -5]);
  });
});

it('the chart of a trend has a mark for each run, and a band for each level with its change', () => {
  const runs = Array.from({ length: 20 }, (_, day) =>
    factsOf(
      new Float64Array(400).fill(day < 12 ? 5 : 6).map((ms, k) => ms + (k % 7) / 100 + ((day * 7) % 5) / 1e3),
      { run: { ...sampleRun, zero_epoch_ms: day * 86_400_000 } },
    ),
  );
  const { bands, series } = seriesChart(trendOf(runs).series[0] ?? expect.fail());
  expect(series.map(({ values }) => values.length)).toEqual([20, 20]);
  expect(bands).toEqual([
    { name: '', fromS: 0, toS: 12 },
    { name: expect.stringMatching(/^\+\d+(\.\d)? %$/), fromS: 12, toS: 20 },
  ]);
  expect(series[1]?.values[12]).toBeCloseTo(20, 0);
});
