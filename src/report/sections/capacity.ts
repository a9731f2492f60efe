import { counted, milliseconds, number } from '../../amounts.ts';
import { type KneeFound, keptOf, kneeOf, promiseOf } from '../../checks/capacity/knee.ts';
import {
  type Capacity,
  type CapacitySearch,
  type CapacityStepSeen,
  readCapacity,
  whyOf,
} from '../../checks/capacity/steps.ts';
import { reasonText } from '../../checks/reasons/reason.ts';
import {
  type Chart,
  type ChartSeries,
  chartOf,
  details,
  heading,
  long,
  nothing,
  paragraph,
  type ReportFigure,
  type TableColumn,
  table,
} from '../figure.ts';
import { nothingIf, type Section } from '../section.ts';
import { confidence } from './results.ts';

/** The capacity of the target: the knee by rate and by concurrency, with all measurements. */
export const capacitySection: Section = {
  id: 'capacity',
  title: 'Capacity',
  about: ['capacity'],
  make: async ({ history }) => {
    const capacity = await readCapacity(history);
    return capacity === undefined
      ? nothingIf(
          history.run.checks.includes('capacity'),
          'The scenario has no study of capacity, so no capacity was measured.',
        )
      : [capacity.rate, capacity.connections].flatMap((search) => searchPart(capacity, search));
  },
};

type StepColumn = TableColumn<CapacityStepSeen>;

/** What the two searches are called, and what only one of them has. */
const models: Readonly<
  Record<
    CapacitySearch['unit'],
    {
      readonly title: string;
      readonly name: string;
      readonly load: string;
      /** As in `The knee lies between 36 and 40 requests a second`. */
      readonly unit: string;
      readonly about: (plan: Capacity['plan']) => string;
      readonly own: readonly StepColumn[];
    }
  >
> = {
  rate: {
    title: 'Open model: random arrivals',
    name: 'the open model',
    load: 'Requests/s',
    unit: 'requests a second',
    about: ({ keys }) =>
      `It counts from the intended instant of each request. ${counted(keys, 'key')} took turns.`,
    own: [
      ['Sent late', (each) => number(each.figures.late), 'number'],
      ['Lag p99 ms', (each) => milliseconds(each.lagP99Ms ?? 0), 'number'],
      ['Longest stall ms', (each) => milliseconds(each.loopDelayMaxMs), 'number'],
    ],
  },
  connections: {
    title: 'Closed loop: connections',
    name: 'the closed loop',
    load: 'Connections',
    unit: 'connections',
    about: () =>
      'A closed loop waits for the target, so its latencies leave out waits for a free connection.',
    own: [
      ['Requests/s', (each) => number(Math.round((each.perSecond ?? 0) * 10) / 10), 'number'],
      ['Generator busy', (each) => `${Math.round((each.busyShare ?? 0) * 100)} %`, 'number'],
    ],
  },
};

const columnsOf = ({ unit }: CapacitySearch, percentile: number): readonly StepColumn[] => [
  ['Step', (each) => number(each.step), 'number'],
  ['Purpose', (each) => each.purpose],
  [models[unit].load, (each) => number(each.load), 'number'],
  ['Counted', (each) => number(each.figures.judged), 'number'],
  ['Over the bound', (each) => number(each.figures.over), 'number'],
  ['Failed', (each) => number(each.figures.failed), 'number'],
  ['p50 ms', (each) => milliseconds(each.latencyMs.p50), 'number'],
  [`p${percentile} ms`, (each) => milliseconds(each.latencyMs.promised), 'number'],
  ...models[unit].own,
  ['Outcome', (each) => each.judged.outcome],
  [
    'Why',
    ({ figures, judged }) =>
      long(
        `${whyOf(judged.why).map(reasonText).join(' ')}${figures.ended === 'whole' ? '' : ' (cut short)'}`,
      ),
  ],
];

/** What a search found: where the promise breaks, and every step. */
function searchPart(capacity: Capacity, search: CapacitySearch): ReportFigure[] {
  const { plan, slo } = capacity;
  const { steps, unit } = search;
  const model = models[unit];
  const title = heading(model.title);
  if (steps.length === 0) return [title, nothing('No step was run.')];
  const knee = kneeOf(search);
  return [
    title,
    paragraph(`Promise: ${promiseOf(slo, search)}. ${model.about(plan)} ${kneeInWords(knee, model.unit)}`),
    chartOf(unit === 'rate' ? responseChart(capacity, knee) : throughputChart(search, knee)),
    table(`Repeats near the knee of ${model.name}`, keptOf(steps), [
      [model.load, ({ load }) => number(load), 'number'],
      ['Kept the promise', ({ kept }) => number(kept), 'number'],
      ['Unclear', ({ unclear }) => number(unclear), 'number'],
      ['Repeats', ({ of }) => number(of), 'number'],
    ]),
    details(
      `Every step of ${model.name} (${number(steps.length)})`,
      table(`Steps of ${model.name}, in order`, steps, columnsOf(search, slo.percentile)),
    ),
  ];
}

function responseChart({ rate: { steps }, slo }: Capacity, knee: KneeFound): Chart {
  const points = sideBySide(steps);
  // A logarithmic axis has no zero; a microsecond stands for it. A step that counted no answer has no latency.
  const drawn = ({ figures }: CapacityStepSeen, ms: number): number | null =>
    figures.judged === 0 ? null : Math.max(0.001, ms);
  const p50: ChartSeries = {
    label: 'p50',
    colour: 'not-sent',
    draw: 'marks',
    values: points.map(({ step }) => drawn(step, step.latencyMs.p50)),
  };
  return {
    id: 'capacity-open',
    title: 'Response time by offered rate',
    unit: `p${slo.percentile} in milliseconds, logarithmic, by requests a second; one mark a step, repeats side by side`,
    summary: `Response time of ${number(steps.length)} steps by their rate. ${kneeInWords(knee, models.rate.unit)}`,
    scale: 'log',
    along: 'requests per second',
    x: points.map(({ x }) => x),
    series: [
      p50,
      ...outcomeSeries(points, `p${slo.percentile}`, (step) => drawn(step, step.latencyMs.promised)),
    ],
    limits: [{ value: slo.maxMs, label: `promised, ${milliseconds(slo.maxMs)} ms` }],
    bands: kneeBand(knee),
  };
}

function throughputChart({ steps }: CapacitySearch, knee: KneeFound): Chart {
  const points = sideBySide(steps);
  return {
    id: 'capacity-closed',
    title: 'Throughput by concurrency',
    unit: 'answers a second, by connections',
    summary: `Throughput of ${number(steps.length)} steps by their connections. ${kneeInWords(knee, models.connections.unit)}`,
    along: 'connections',
    x: points.map(({ x }) => x),
    series: outcomeSeries(points, 'a step', ({ perSecond = null }) => perSecond),
    bands: kneeBand(knee),
  };
}

function kneeBand({ breaks, keeps }: KneeFound): NonNullable<Chart['bands']> {
  return keeps === undefined || breaks === undefined ? [] : [{ name: 'knee', fromS: keeps, toS: breaks }];
}

interface PlacedStep {
  readonly step: CapacityStepSeen;
  readonly x: number;
}

/** Steps of one load stand this part of it beside each other. */
const apart = 0.004;

/** Steps by their load, those of one load side by side. */
function sideBySide(steps: readonly CapacityStepSeen[]): PlacedStep[] {
  const seen = new Map<number, number>();
  return steps
    .toSorted((a, b) => a.load - b.load)
    .map((step) => {
      const before = seen.get(step.load) ?? 0;
      seen.set(step.load, before + 1);
      return { step, x: step.load * (1 + apart * before) };
    });
}

/** The steps in three series, by outcome; an empty one is left out. */
function outcomeSeries(
  points: readonly PlacedStep[],
  label: string,
  heightOf: (step: CapacityStepSeen) => number | null,
): ChartSeries[] {
  const kinds = [
    { outcome: 'good', name: 'kept', colour: 'ok' },
    { outcome: 'bad', name: 'broken', colour: 'server-error' },
    { outcome: 'unclear', name: 'unclear', colour: 'limited' },
  ] as const;
  return kinds
    .filter(({ outcome }) => points.some(({ step }) => step.judged.outcome === outcome))
    .map(({ colour, name, outcome }) => ({
      label: `${label}, ${name}`,
      colour,
      draw: 'marks',
      values: points.map(({ step }) => (step.judged.outcome === outcome ? heightOf(step) : null)),
    }));
}

/** Where the knee lies, in a sentence. */
function kneeInWords({ breaks, keeps }: KneeFound, unit: string): string {
  if (keeps !== undefined && breaks !== undefined)
    return `The knee lies between ${number(keeps)} and ${number(breaks)} ${unit}, with ${confidence} confidence.`;
  if (keeps !== undefined)
    return `${number(keeps)} ${unit} keep the promise; the load that breaks it is not certain.`;
  if (breaks !== undefined)
    return `${number(breaks)} ${unit} break the promise; the load that keeps it is not certain.`;
  return 'The knee is not certain.';
}
