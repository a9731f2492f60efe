import { counted, milliseconds, number, percent, signed } from '../../amounts.ts';
import { utc } from '../text.ts';
import type { Comparison } from './compare.ts';
import type { Ends, Picture } from './picture.ts';
import type { FigureSeries } from './trend.ts';

/**
 * The shift of each quantile with its band, the margin, and how much A differs from itself. On a logarithmic axis, twice
 * as long and half as long are equally far from no change.
 */
export function shiftPicture({ margin, metrics, shift }: Comparison): Picture {
  const controls = metrics.flatMap(({ control, of }) =>
    of === 'capacity' || of.endpoint !== '*' || control.estimate === undefined
      ? []
      : [{ share: of.percentile / 100, estimate: control.estimate }],
  );
  const range = rangeOf([
    ...shift.map(({ change }) => change),
    ...controls.map(({ estimate }) => estimate),
    margin,
  ]);
  const end = (share: number | undefined, otherwise: number): number =>
    share === undefined ? otherwise : Math.log1p(share);
  const line = (changes: readonly (number | undefined)[]): (number | undefined)[] =>
    changes.map((change) => (change === undefined ? undefined : Math.log1p(change)));
  return {
    title: 'Shift of response time, quantile by quantile',
    summary: `Change of each quantile of response time from A to B: ${shift.map(({ change, share }) => `${percent(share)} ${signed(change)}`).join(', ')}.`,
    steps: shift.map(({ share }, place) => ({ label: percent(share), isMinor: place % 2 === 1 })),
    lines: [
      {
        label: 'B against A',
        colour: 'line-a',
        draw: 'line',
        values: line(shift.map(({ change }) => change)),
      },
      {
        label: 'A/A control: second half of A against its first',
        colour: 'line-b',
        draw: 'mark',
        values: line(shift.map(({ share }) => controls.find((each) => each.share === share)?.estimate)),
      },
    ],
    band: {
      label: 'band of all quantiles together (95 %)',
      ends: shift.map(({ least, most }) => ({ least: end(least, range.least), most: end(most, range.most) })),
    },
    levels: { label: `margin: ${percent(margin)}`, values: [Math.log1p(margin), Math.log1p(-margin)] },
    range,
    ticks: ticksFor(range),
    valueText: (value) => signed(Math.expm1(value)),
  };
}

/** Bands may be many times as wide as the changes, so they do not count: as much room again on each side has to do. */
function rangeOf(changes: readonly number[]): Ends {
  const logs = [0, ...changes].map(Math.log1p);
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  return { least: least - (most - least), most: 2 * most - least };
}

/** From no change outwards: round percentages that are not too close to each other. */
function ticksFor({ least, most }: Ends): number[] {
  const apart = (most - least) / 7;
  const sizes = [-3, -2, -1, 0, 1, 2].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
  const ticks = [0];
  for (const sign of [1, -1]) {
    let last = 0;
    for (const size of sizes) {
      const at = Math.log1p(sign * size);
      if (!(at >= least && at <= most) || Math.abs(at - last) < apart) continue;
      ticks.push(at);
      last = at;
    }
  }
  return ticks;
}

/** Labels of runs on the axis, at most. */
const mostLabels = 6;

/** A figure of all runs in order of time, with the level between change points. */
export function seriesPicture({ levels, of, runs }: FigureSeries): Picture {
  const what = of === 'capacity' ? 'Capacity, requests per second' : `Response time p${of}, milliseconds`;
  const values = runs.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const pad = most > least ? 0.1 * (most - least) : 0.1 * most;
  const cuts = levels.slice(1).map((level, place) => {
    const before = levels.slice(0, place + 1).reduce((sum, { runs: n }) => sum + n, 0);
    return { before, label: signed(level.median / (levels[place]?.median ?? level.median) - 1) };
  });
  const every = Math.ceil(runs.length / mostLabels);
  return {
    title: what,
    summary: `${what}, of ${counted(runs.length, 'run')}: ${counted(cuts.length, 'change point')}${cuts.map(({ before, label }) => `, ${label} from run ${number(before + 1)} on`).join('')}.`,
    steps: runs.map(({ run }, place) => ({
      label: place % every === 0 ? utc(run.run.zero_epoch_ms).slice(5, 16) : '',
      isMinor: place % (3 * every) !== 0,
    })),
    lines: [
      { label: 'run', colour: 'line-a', draw: 'mark', values },
      {
        label: 'median of a level',
        colour: 'line-b',
        draw: 'line',
        values: levels.flatMap(({ median, runs: n }) => Array.from({ length: n }, () => median)),
      },
    ],
    cuts,
    range: { least: least - pad, most: most + pad },
    ticks: roundIn({ least: least - pad, most: most + pad }),
    valueText: milliseconds,
  };
}

/** Round values within the range: at most 6. */
function roundIn({ least, most }: Ends): number[] {
  const rough = (most - least) / 5;
  if (!(rough > 0)) return [least];
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(least / size);
  return Array.from({ length: Math.floor(most / size) - first + 1 }, (_, k) => (first + k) * size);
}
