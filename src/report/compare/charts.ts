import { counted, percent, signed } from '../../amounts.ts';
import type { Chart } from '../figure.ts';
import { utc } from '../text.ts';
import type { Comparison } from './compare.ts';
import type { FigureSeries } from './trend.ts';

/** The shift of each quantile with its band, the margin, and how much A differs from itself. */
export function shiftChart({ margin, metrics, shift }: Comparison): Chart {
  const controls = new Map(
    metrics.flatMap(({ control, of }) =>
      of === 'capacity' || of.endpoint !== '*' ? [] : [[of.percentile / 100, control.estimate] as const],
    ),
  );
  const most = 3 * Math.max(margin, ...shift.map(({ change }) => Math.abs(change)));
  // A band may be many times as wide as the changes, which then could not be told apart.
  const near = (change: number | undefined): number | undefined =>
    change === undefined ? undefined : Math.min(most, Math.max(-most, change));
  return {
    id: 'compare-shift',
    title: 'Shift of response time, quantile by quantile',
    unit: 'change in percent, by quantile',
    summary: `Change of each quantile of response time from A to B: ${shift.map(({ change, share }) => `${percent(share)} ${signed(change)}`).join(', ')}.`,
    x: shift.map((_, place) => place),
    labels: shift.map(({ share }) => percent(share)),
    series: [
      {
        label: 'B against A',
        colour: 'line-a',
        draw: 'line',
        values: inPercent(shift.map(({ change }) => change)),
      },
      {
        label: 'A/A control: second half of A against its first',
        colour: 'line-b',
        draw: 'marks',
        values: inPercent(shift.map(({ share }) => near(controls.get(share)))),
      },
      ...(['least', 'most'] as const).map((end) => ({
        label: `at ${end} (95 %, all quantiles together)`,
        colour: 'not-sent' as const,
        draw: 'line' as const,
        dashed: true,
        values: inPercent(shift.map((each) => near(each[end]))),
      })),
    ],
    limits: [margin, -margin].map((value) => ({ value: 100 * value, label: `margin: ${signed(value)}` })),
  };
}

function inPercent(shares: readonly (number | undefined)[]): (number | null)[] {
  return shares.map((share) => (share === undefined ? null : Math.round(1e4 * share) / 100));
}

/** A figure of all runs in order of time, with the level between change points, as changes against the first level. */
export function seriesChart({ levels, of, runs }: FigureSeries): Chart {
  const what = of === 'capacity' ? 'Capacity' : `Response time p${of}`;
  const first = levels[0]?.median ?? Number.NaN;
  const starts = levels.map((_, place) => levels.slice(0, place).reduce((sum, level) => sum + level.runs, 0));
  const bands = levels.map(({ median }, place) => ({
    name: place === 0 ? '' : signed(median / (levels[place - 1]?.median ?? median) - 1),
    fromS: starts[place] ?? 0,
    toS: starts[place + 1] ?? runs.length,
  }));
  const changes = bands.slice(1).map(({ fromS, name }) => `, ${name} from run ${fromS + 1} on`);
  return {
    id: `compare-trend-${of}`,
    title: what,
    unit: 'change against the first level in percent, by run',
    summary: `${what}, of ${counted(runs.length, 'run')}: ${counted(changes.length, 'change point')}${changes.join('')}.`,
    x: runs.map((_, place) => place),
    labels: runs.map(({ run }) => utc(run.run.zero_epoch_ms).slice(5, 10)),
    series: [
      {
        label: 'run',
        colour: 'line-a',
        draw: 'marks',
        values: inPercent(runs.map(({ value }) => value / first - 1)),
      },
      {
        label: 'median of a level',
        colour: 'line-b',
        draw: 'steps',
        values: inPercent(
          levels.flatMap(({ median, runs: n }) => Array.from({ length: n }, () => median / first - 1)),
        ),
      },
    ],
    bands,
  };
}
