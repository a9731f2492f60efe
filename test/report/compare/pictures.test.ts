import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/report/compare/compare.ts';
import { pictureHtml } from '../../../src/report/compare/picture.ts';
import { seriesPicture, shiftPicture } from '../../../src/report/compare/pictures.ts';
import { trendOf } from '../../../src/report/compare/trend.ts';
import { sampleRun } from '../../history/sample.ts';
import { factsOf, side, steadyTarget } from './simulated.ts';

describe('the picture of a shift', () => {
  const slower = compare(
    side(steadyTarget, 3, 'a', 1),
    side({ ...steadyTarget, tail: 1.5 }, 3, 'b', 1),
    0.05,
  );
  const picture = shiftPicture(slower);
  const [shift, control] = picture.lines;

  it('has each quantile once, within its band and within the range', () => {
    const ends = picture.band?.ends ?? [];
    expect(ends).toHaveLength(slower.shift.length);
    for (const [place, { least, most }] of ends.entries()) {
      const value = shift?.values[place] ?? Number.NaN;
      expect(least).toBeLessThanOrEqual(value);
      expect(most).toBeGreaterThanOrEqual(value);
      expect(value).toBeGreaterThan(picture.range.least);
      expect(value).toBeLessThan(picture.range.most);
    }
  });

  it('has the A/A control at p50, p90 and p99 alone, near no change', () => {
    const marked = picture.steps.flatMap(({ label }, place) =>
      control?.values[place] === undefined ? [] : [label],
    );
    expect(marked).toEqual(['50 %', '90 %', '99 %']);
    expect(Math.abs(control?.values[5] ?? 1)).toBeLessThan(0.05);
  });

  it('draws twice as long and half as long equally far from no change, at round percentages', () => {
    expect((picture.levels?.values[0] ?? 0) + (picture.levels?.values[1] ?? 0)).toBeCloseTo(0, 2);
    expect(picture.ticks.map(picture.valueText)).toContain('+20 %');
    expect(pictureHtml(picture).text).toContain('<polygon');
  });
});

describe('the picture of a series', () => {
  const dayMs = 86_400_000;
  const runs = Array.from({ length: 20 }, (_, day) =>
    factsOf(
      new Float64Array(400).fill(day < 12 ? 5 : 6).map((ms, k) => ms + (k % 7) / 100 + ((day * 7) % 5) / 1e3),
      {
        run: { ...sampleRun, zero_epoch_ms: day * dayMs },
      },
    ),
  );
  const [p50] = trendOf(runs).series;
  const picture = p50 === undefined ? undefined : seriesPicture(p50);

  it('has a mark for each run, and a cut where the level changes', () => {
    expect(picture?.lines[0]?.values).toHaveLength(20);
    expect(picture?.cuts).toEqual([{ before: 12, label: expect.stringMatching(/^\+\d+(\.\d)? %$/) }]);
  });

  it('draws each level as a line that ends at the cut', () => {
    const { text } = pictureHtml(picture ?? expect.fail());
    expect(text.match(/<polyline /g)).toHaveLength(2);
    expect(text.match(/<title>/g)).toHaveLength(20);
  });

  it('of runs that are all alike has a range', () => {
    const same = trendOf(runs.map((run) => ({ ...run, figures: runs[0]?.figures ?? run.figures }))).series[0];
    const { range } = seriesPicture(same ?? expect.fail());
    expect(range.most).toBeGreaterThan(range.least);
  });
});
