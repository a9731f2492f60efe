import { counted, listed, milliseconds, number, percent, range, signed } from '../../amounts.ts';
import {
  chartOf,
  foreign,
  heading,
  long,
  paragraph,
  type ReportFigure,
  type TableColumn,
  table,
  whole,
} from '../figure.ts';
import { cut, utc } from '../text.ts';
import { mostMore } from './answer.ts';
import type { VerdictChange, VerdictCounts } from './changes.ts';
import { seriesChart, shiftChart } from './charts.ts';
import type { Obstacle } from './comparable.ts';
import type { Comparison, Document } from './compare.ts';
import { leastRequests, type ParameterValue } from './facts.ts';
import type { ComparedMetric } from './metrics.ts';
import type { FigureSeries, Level, Trend } from './trend.ts';

/** A comparison in words. */
export function comparisonInWords(found: Comparison): Document {
  const { a, b, metrics, obstacles, outcome, parameters, shift, verdicts } = found;
  const changed = parameters.filter(({ isChanged }) => isChanged);
  return {
    title: `${b.name} (${counted(b.runs.length, 'run')}) against ${a.name} (${counted(a.runs.length, 'run')})`,
    verdict: verdictOf[outcome],
    result: resultInWords(found),
    parts: [
      ...(obstacles.length === 0
        ? []
        : [heading('These runs cannot be compared'), list(obstacles.map(obstacleInWords))]),
      heading('Verdicts'),
      verdicts.length === 0 ? paragraph('No verdict changed.') : list(verdicts.map(verdictInWords)),
      heading('Limiter and quota'),
      changed.length === 0
        ? paragraph(`${counted(parameters.length, 'parameter')} compared: no change.`)
        : tableOf(
            'Parameters that changed',
            ['Parameter', 'A', 'B'],
            changed.map(({ after, before, name }) => [name, valuesText(before), valuesText(after)]),
          ),
      heading('Response time of the planned load, and capacity'),
      ...metricParts(metrics),
      ...(shift.length === 0 ? [] : [chartOf(shiftChart(found)), shiftTable(shift)]),
      ...notes(found).map(paragraph),
    ],
  };
}

const verdictOf = {
  incomparable: 'inconclusive',
  regression: 'fail',
  open: 'inconclusive',
  none: 'pass',
} as const;

const list = (items: readonly string[]): ReportFigure => ({ kind: 'list', items: items.map(foreign) });

/** A cell that is longer than this takes a wide column. */
const longCell = 24;

function tableOf(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isLong = false,
): ReportFigure {
  const columns = head.map(
    (label, column): TableColumn<readonly string[]> => [
      label,
      (row) => {
        const text = row[column] ?? '';
        return (text.length > longCell ? long : whole)(foreign(text));
      },
    ],
  );
  const made = table(caption, rows, columns);
  return made.kind === 'table' ? { ...made, isLong } : made;
}

function resultInWords({ metrics, outcome, verdicts }: Comparison): string {
  const decisive = metrics.filter(({ isPrimary, turn }) => isPrimary && turn === 'worse');
  const worse = (decisive.length > 0 ? decisive : metrics.filter(({ turn }) => turn === 'worse')).map(
    (metric) => `${metricName(metric)}${changeText(metric)}`,
  );
  const lost = verdicts.filter(({ kind }) => kind === 'regression').map(({ id }) => id);
  switch (outcome) {
    case 'incomparable':
      return 'Not comparable: what follows decides nothing';
    case 'regression':
      return `Regression: ${listed([...lost, ...worse])}`;
    case 'open':
      return worse.length === 0
        ? 'No regression is shown, but a difference in response time cannot be excluded'
        : `Worse in these runs, but too few to show a regression: ${listed(worse)}`;
    case 'none':
      return 'No regression is shown';
  }
}

/** ` from 15.8 to 162 ms`. */
function changeText({ after, before, of }: ComparedMetric): string {
  if (before === undefined || after === undefined) return '';
  return ` from ${milliseconds(before)} to ${milliseconds(after)}${of === 'capacity' ? '/s' : ' ms'}`;
}

/** Characters of a value: a list of phases is long. */
const mostOfValue = 60;

/** `workers: 1 (reports/a), 4 (reports/b)`. */
function obstacleInWords({ field, values }: Obstacle): string {
  return `${field}: ${values.map(({ run, value }) => `${cut(value, mostOfValue)} (${run})`).join(', ')}`;
}

/** For a line: the first with its values, the others by name. */
export function obstaclesInWords([first, ...others]: readonly Obstacle[]): string {
  const more = others.length === 0 ? '' : `; also: ${listed(others.map(({ field }) => field))}`;
  return first === undefined ? '' : `${obstacleInWords(first)}${more}`;
}

function verdictInWords({ after, before, id, kind, title }: VerdictChange): string {
  const word = { regression: 'Regression', improvement: 'Improvement', other: 'Change' }[kind];
  return `${word}: ${id}: ${countsText(before)} → ${countsText(after)}: ${title}`;
}

function countsText(counts: VerdictCounts): string {
  const seen = (['pass', 'fail', 'inconclusive'] as const).filter((verdict) => counts[verdict] > 0);
  const [only] = seen;
  if (only === undefined) return 'absent';
  if (seen.length === 1) return only;
  return seen.map((verdict) => `${number(counts[verdict])} ${verdict}`).join(', ');
}

function valuesText(values: readonly ParameterValue[]): string {
  const texts = values.map((value) => (typeof value === 'string' ? value : range(value)));
  return listed([...new Set(texts)]);
}

function metricParts(metrics: readonly ComparedMetric[]): ReportFigure[] {
  if (metrics.length === 0) return [paragraph('No planned load got a 2xx answer.')];
  const general = metrics.filter(({ of }) => of === 'capacity' || of.endpoint === '*');
  const ofEndpoints = metrics.filter((metric) => !general.includes(metric));
  const turned = ofEndpoints.filter(({ turn }) => turn !== undefined);
  const same = ofEndpoints.filter(({ change }) => change.answer.kind === 'same').length;
  return [
    metricTable('Medians of the runs: milliseconds, capacity in requests per second', general),
    paragraph(
      `By endpoint: ${counted(ofEndpoints.length, 'figure')}, ${number(same)} the same, ${number(turned.length)} ${turned.length === 1 ? 'differs' : 'differ'}${
        turned.length === 0
          ? ''
          : `: ${turned.map((each) => `${metricName(each)} ${answerInWords(each)}`).join(', ')}`
      }.`,
    ),
    metricTable('By endpoint: medians of the runs, milliseconds', ofEndpoints, true),
    paragraph(
      `A/A control (second half of A against its first): ${metrics
        .filter(({ isPrimary }) => isPrimary)
        .map(controlInWords)
        .join(', ')}.`,
    ),
  ];
}

function metricTable(caption: string, metrics: readonly ComparedMetric[], isLong = false): ReportFigure {
  const rows = metrics.map((metric) => [
    metricName(metric),
    metric.before === undefined ? '' : milliseconds(metric.before),
    metric.after === undefined ? '' : milliseconds(metric.after),
    metric.change.estimate === undefined ? '' : signed(metric.change.estimate),
    answerInWords(metric),
  ]);
  return tableOf(caption, ['', 'A', 'B', 'Change', 'Answer'], rows, isLong);
}

function controlInWords({ control, of }: ComparedMetric): string {
  const name = of === 'capacity' ? of : `p${of.percentile}`;
  if (control.estimate === undefined) return `${name} not measured`;
  return `${name} ${signed(control.estimate)}${control.answer.kind === 'differs' ? ' (differs: A is not steady)' : ''}`;
}

function shiftTable(shift: Comparison['shift']): ReportFigure {
  return tableOf(
    'Shift of response time, quantile by quantile. The bands hold together with 95 %. They leave out how much runs differ by themselves',
    ['Quantile', 'A, ms', 'B, ms', 'Change', 'At least', 'At most'],
    shift.map(({ afterMs, beforeMs, change, least, most, share }) => [
      percent(share),
      milliseconds(beforeMs),
      milliseconds(afterMs),
      signed(change),
      least === undefined ? 'not known' : signed(least),
      most === undefined ? 'not known' : signed(most),
    ]),
    true,
  );
}

function metricName({ of }: Pick<ComparedMetric, 'of'>): string {
  if (of === 'capacity') return 'capacity';
  return `${of.endpoint === '*' ? 'all endpoints' : of.endpoint} p${of.percentile}`;
}

/** One of the three answers. */
function answerInWords({ change: { answer }, of, turn }: ComparedMetric): string {
  if (answer.kind === 'same') return `same within ${percent(answer.within)}`;
  if (answer.kind === 'differs')
    return `${turn} by at least ${percent(Math.abs(answer.atLeast))}${byInWords(answer)}`;
  const { why } = answer;
  switch (why.code) {
    case 'runs':
      return `cannot tell (needs ${why.more < mostMore ? 'about' : 'at least'} ${counted(why.more, 'more run')} each)`;
    case 'requests':
      return of === 'capacity'
        ? 'cannot tell (not measured)'
        : `cannot tell (a run needs ${number(leastRequests(of.percentile))} requests)`;
    case 'unsteady':
      return 'cannot tell (the halves of A differ as well)';
  }
}

function byInWords(answer: Extract<ComparedMetric['change']['answer'], { kind: 'differs' }>): string {
  switch (answer.by) {
    case 'runs':
      return '';
    case 'blocks':
      return ' (by blocks of the runs)';
    case 'requests':
      return ` within these runs (how much runs vary is unknown; about ${counted(answer.more, 'more run')} each would tell)`;
  }
}

function notes({ a, b, isOneAfterOther, metrics }: Comparison): string[] {
  const areFew = Math.min(a.runs.length, b.runs.length) < 5 && metrics.length > 0;
  return [
    ...(areFew
      ? [
          'The test of p50 and p99 of all endpoints needs 5 runs each. With fewer, a difference is shown only where all parts of the runs are separate by more than the margin. How much runs of the same target differ is then not known.',
        ]
      : []),
    ...(isOneAfterOther
      ? [
          'All runs of one side came before all of the other, so a change of the machine looks like a difference. The order A B B A avoids this.',
        ]
      : []),
  ];
}

/** A trend in words. `unreadable`: a line for each run that could not be read. */
export function trendInWords(
  { leftOut, runs, series, verdicts }: Trend,
  dir: string,
  unreadable: readonly string[],
): Document {
  const measured = series.filter(({ levels }) => levels.length > 0);
  const points = measured.reduce((sum, { levels }) => sum + levels.length - 1, 0);
  const changed = verdicts.flatMap(({ changes, run }) =>
    changes.map((change) => `${utc(run.run.zero_epoch_ms)}, ${run.name}: ${verdictInWords(change)}`),
  );
  return {
    title: `Trend of ${counted(runs.length, 'run')} in ${dir}`,
    verdict: points === 0 && verdicts.length === 0 ? 'pass' : 'inconclusive',
    result: `${counted(points, 'change point')}, and changed verdicts in ${counted(verdicts.length, 'run')}`,
    parts: [
      heading('Levels between change points'),
      measured.length === 0
        ? paragraph('No run has a response time or a capacity.')
        : tableOf(
            'Medians of the runs of a level: milliseconds, capacity in requests per second',
            ['Figure', 'Level', 'Change', 'Runs', 'From'],
            measured.flatMap((each) => each.levels.map((level, place) => levelRow(each, level, place))),
          ),
      ...measured.map((each) => chartOf(seriesChart(each))),
      heading('Changed verdicts'),
      changed.length === 0 ? paragraph('No verdict changed from one run to the next.') : list(changed),
      ...(leftOut.length === 0
        ? []
        : [
            heading('Left out: not comparable with the latest run'),
            list(leftOut.map(({ run, why }) => `${run.name}: ${obstacleInWords(why)}`)),
          ]),
      ...(unreadable.length === 0 ? [] : [heading('Left out: not readable'), list(unreadable)]),
    ],
  };
}

function levelRow({ levels, of }: FigureSeries, level: Level, place: number): string[] {
  const before = levels[place - 1];
  return [
    of === 'capacity' ? of : `response p${of}`,
    milliseconds(level.median),
    before === undefined ? '' : signed(level.median / before.median - 1),
    number(level.runs),
    `${utc(level.first.run.zero_epoch_ms)} (${level.first.name})`,
  ];
}
