import { z } from 'zod';
import { counted, milliseconds, number } from '../../amounts.ts';
import { type KneeFound, keptOf, kneeOf, promiseOf } from '../../checks/capacity/knee.ts';
import { type Capacity, type OpenStepSeen, readCapacity, whyOf } from '../../checks/capacity/steps.ts';
import { reasonText } from '../../checks/reasons/reason.ts';
import type { History } from '../../history/history.ts';
import {
  type Chart,
  type ChartSeries,
  chartOf,
  details,
  heading,
  long,
  nothing,
  paragraph,
  queried,
  type ReportFigure,
  type TableColumn,
  table,
} from '../figure.ts';
import { nothingIf, type Section } from '../section.ts';
import { confidence } from './results.ts';

type ClosedStep = Capacity['closed'][number];

/** The capacity of the target: the knee by rate and by concurrency, with all measurements. */
export const capacitySection: Section = {
  id: 'capacity',
  title: 'Capacity',
  about: ['capacity'],
  make: async ({ history }) => {
    const capacity = await readCapacity(history);
    const figures = [
      ...(capacity === undefined ? [] : [...openPart(capacity), ...closedPart(capacity)]),
      ...(await saturationPart(history)),
    ];
    return figures.length === 0
      ? nothingIf(
          history.run.checks.includes('capacity'),
          'The scenario has neither a study of capacity nor a closed loop, so no capacity was measured.',
        )
      : figures;
  },
};

/** Columns of the steps of both models. */
function common<Step extends OpenStepSeen | ClosedStep>(
  percentile: number,
): {
  readonly [name in 'step' | 'judged' | 'latency' | 'outcome']: readonly TableColumn<Step>[];
} {
  return {
    step: [
      ['Step', (each) => number(each.step), 'number'],
      ['Purpose', (each) => each.purpose],
    ],
    judged: [
      ['Over the bound', (each) => number(each.figures.over), 'number'],
      ['Failed', (each) => number(each.figures.failed), 'number'],
    ],
    latency: [
      ['p50 ms', (each) => milliseconds(each.latencyMs.p50), 'number'],
      [`p${percentile} ms`, (each) => milliseconds(each.latencyMs.promised), 'number'],
    ],
    outcome: [
      ['Outcome', (each) => each.judged.outcome],
      [
        'Why',
        ({ figures, judged }) =>
          long(
            `${whyOf(judged.why).map(reasonText).join(' ')}${figures.ended === 'whole' ? '' : ' (cut short)'}`,
          ),
      ],
    ],
  };
}

/** Response time by the rate at which requests arrived, and where the promise breaks. */
function openPart(capacity: Capacity): ReportFigure[] {
  const { open, plan, slo } = capacity;
  const title = heading('Open model: random arrivals');
  if (open.length === 0) return [title, nothing('No step was run.')];
  const knee = kneeOf(open, plan.rates);
  const { judged, latency, outcome, step } = common<OpenStepSeen>(slo.percentile);
  return [
    title,
    paragraph(
      `Promise: ${promiseOf(capacity, 'response time')}, from the intended instant of each request. ${kneeInWords(knee, 'requests a second')} ${counted(plan.keys, 'key')} took turns.`,
    ),
    chartOf(responseChart(capacity, knee)),
    table('Repeats near the knee, by rate', keptOf(open), [
      ['Requests/s', ({ load }) => number(load), 'number'],
      ['Kept the promise', ({ kept }) => number(kept), 'number'],
      ['Unclear', ({ unclear }) => number(unclear), 'number'],
      ['Repeats', ({ of }) => number(of), 'number'],
    ]),
    details(
      `Every step of the open model (${number(open.length)})`,
      table('Steps of the open model, in order', open, [
        ...step,
        ['Requests/s', (each) => number(each.load), 'number'],
        ['Counted', (each) => number(each.figures.judged), 'number'],
        ...judged,
        ...latency,
        ['Sent late', (each) => number(each.figures.late), 'number'],
        ['Lag p99 ms', (each) => milliseconds(each.lagP99Ms), 'number'],
        ['Longest stall ms', (each) => milliseconds(each.loopDelayMaxMs), 'number'],
        ...outcome,
      ]),
    ),
  ];
}

/** Throughput by concurrency, and where the promise breaks. */
function closedPart(capacity: Capacity): ReportFigure[] {
  const { closed, plan, slo } = capacity;
  const title = heading('Closed loop: connections');
  if (closed.length === 0) return [title, nothing('No step was run.')];
  const knee = kneeOf(closed, plan.connections);
  const { judged, latency, outcome, step } = common<ClosedStep>(slo.percentile);
  return [
    title,
    paragraph(
      `Promise: ${promiseOf(capacity, 'service time')}. A closed loop waits for the target, so its latencies leave out waits for a free connection. ${kneeInWords(knee, 'connections')}`,
    ),
    chartOf(throughputChart(closed, knee)),
    details(
      `Every step of the closed loop (${number(closed.length)})`,
      table('Steps of the closed loop, in order', closed, [
        ...step,
        ['Connections', (each) => number(each.load), 'number'],
        ['Requests/s', (each) => number(Math.round(each.perSecond * 10) / 10), 'number'],
        ...judged,
        ...latency,
        ['Generator busy', (each) => `${Math.round(each.busyShare * 100)} %`, 'number'],
        ...outcome,
      ]),
    ),
  ];
}

function responseChart({ open, slo }: Capacity, knee: KneeFound): Chart {
  const points = sideBySide(open);
  // A logarithmic axis has no zero; a microsecond stands for it. A step that counted no answer has no latency.
  const drawn = ({ figures }: OpenStepSeen, ms: number): number | null =>
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
    summary: `Response time of ${number(open.length)} steps by their rate. ${kneeInWords(knee, 'requests a second')}`,
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

function throughputChart(closed: readonly ClosedStep[], knee: KneeFound): Chart {
  const points = sideBySide(closed);
  return {
    id: 'capacity-closed',
    title: 'Throughput by concurrency',
    unit: 'answers a second, by connections',
    summary: `Throughput of ${number(closed.length)} steps by their connections. ${kneeInWords(knee, 'connections')}`,
    along: 'connections',
    x: points.map(({ x }) => x),
    series: outcomeSeries(points, 'a step', ({ perSecond }) => perSecond),
    bands: kneeBand(knee),
  };
}

function kneeBand({ breaks, keeps }: KneeFound): NonNullable<Chart['bands']> {
  return keeps === undefined || breaks === undefined ? [] : [{ name: 'knee', fromS: keeps, toS: breaks }];
}

interface Placed<Step> {
  readonly step: Step;
  readonly x: number;
}

/** Steps of one load stand this part of it beside each other. */
const apart = 0.004;

/** Steps by their load, those of one load side by side. */
function sideBySide<Step extends Pick<OpenStepSeen, 'load'>>(steps: readonly Step[]): Placed<Step>[] {
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
function outcomeSeries<Step extends Pick<OpenStepSeen, 'judged'>>(
  points: readonly Placed<Step>[],
  label: string,
  heightOf: (step: Step) => number | null,
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

const statusCounts = z.record(z.string(), z.number());

async function saturationPart(history: History): Promise<ReportFigure[]> {
  const figure = (path: string): string => `CAST(json_extract(event, '$.${path}') AS DOUBLE)`;
  const steps = await queried(
    history,
    'Steps of the closed loop',
    [
      ['Phase', "json_extract_string(event, '$.phase')", 'foreign'],
      ['Connections', figure('connections'), 'count'],
      ['Requests/s', `round(${figure('requestsPerSecond')}, 1)`, 'count'],
      ['p50 ms', figure('latencyMs.p50'), 'ms'],
      ['p90 ms', figure('latencyMs.p90'), 'ms'],
      ['p99 ms', figure('latencyMs.p99'), 'ms'],
      ['max ms', figure('latencyMs.max'), 'ms'],
      [
        'Answers by status',
        "CAST(json_extract(event, '$.statuses') AS VARCHAR)",
        (json) =>
          Object.entries(statusCounts.parse(JSON.parse(String(json))))
            .map(([status, n]) => `${status}: ${number(n)}`)
            .join(', '),
      ],
      ['Errors', figure('errors'), 'count'],
      ['Time-outs', figure('timeouts'), 'count'],
    ],
    {
      from: "events WHERE kind = 'saturation'",
      after: "ORDER BY CAST(json_extract(event, '$.startNs') AS BIGINT) LIMIT 200",
    },
  );
  return steps === undefined
    ? []
    : [
        paragraph(
          'In a closed loop, each connection sends its next request after an answer. These latencies leave out waits for a free connection.',
        ),
        steps,
      ];
}
