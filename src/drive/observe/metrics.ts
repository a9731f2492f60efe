import { ValueType } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { RunDetails, RunVerdicts } from './exporting.ts';
import {
  coarsened,
  conventionBounds,
  type DurationFigures,
  lagBounds,
  type MetricOutcome,
  type RequestFigures,
  responseBounds,
} from './figures.ts';

/** What of a run's figures changes. */
interface RunFigures {
  readonly cells: readonly RequestFigures[];
  readonly inFlight: number;
  readonly verdicts: RunVerdicts | undefined;
}

type Attributes = Readonly<Record<string, string | number>>;
type AttributesOf = (cell: RequestFigures) => Attributes;
type Point<Value> = readonly [Attributes, Value];

/** A metric as it stands. Names are OpenTelemetry's; `unit` is in UCUM. */
type Metric = { readonly name: string; readonly unit: string; readonly description: string } & (
  | { readonly kind: 'counter' | 'up-down' | 'gauge'; readonly points: readonly Point<number>[] }
  | { readonly kind: 'histogram'; readonly points: readonly Point<Histogram>[] }
);

/**
 * Hands a run's metrics to the readers of the OpenTelemetry SDK. Its instruments cost 2 µs a measurement, so the figures
 * are counted by the senders and only shown here.
 */
export class RunMetrics implements MetricProducer {
  readonly #details: RunDetails;
  readonly #startTime: [number, number];
  readonly #read: () => RunFigures;
  readonly #isForPrometheus: boolean;

  /** `reader`: Prometheus has a unit that is a quantity at the end of a name. */
  constructor(
    details: RunDetails,
    startMs: number,
    read: () => RunFigures,
    reader: 'collector' | 'prometheus',
  ) {
    this.#details = details;
    this.#startTime = hrTime(startMs);
    this.#read = read;
    this.#isForPrometheus = reader === 'prometheus';
  }

  collect(): Promise<CollectionResult> {
    const endTime = hrTime(Date.now());
    const metrics = metricsOf(this.#read(), this.#details)
      .filter(({ points }) => points.length > 0)
      .map((metric) => this.#data(metric, endTime));
    const scope = { name: 'tryon', version: this.#details.version };
    const resource = resourceFromAttributes({});
    return Promise.resolve({ resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] });
  }

  #data(metric: Metric, endTime: [number, number]): MetricData {
    const { description, unit } = metric;
    const name = this.#isForPrometheus && unit === 's' ? `${metric.name}_seconds` : metric.name;
    const common = {
      descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const startTime = this.#startTime;
    const placed = <Value>([attributes, value]: Point<Value>): DataPoint<Value> => ({
      ...{ startTime, endTime, attributes, value },
    });
    if (metric.kind === 'histogram')
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: metric.points.map(placed) };
    const dataPoints = metric.points.map(placed);
    return metric.kind === 'gauge'
      ? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
      : { ...common, dataPointType: DataPointType.SUM, isMonotonic: metric.kind === 'counter', dataPoints };
  }
}

function hrTime(epochMs: number): [number, number] {
  return [Math.floor(epochMs / 1e3), Math.round((epochMs % 1e3) * 1e6)];
}

/** Every metric of a run, once. */
function metricsOf({ cells, inFlight, verdicts }: RunFigures, details: RunDetails): Metric[] {
  const { quota, routes, server } = details;
  const requests = cells.filter(({ endpoint }) => endpoint !== 'closed-loop');
  const loops = cells.filter(({ endpoint }) => endpoint === 'closed-loop');
  const target = { 'server.address': server.address, 'server.port': server.port };
  const counter = (name: string, description: string, points: readonly Point<number>[]): Metric => ({
    ...{ name, description, points, unit: '{request}', kind: 'counter' },
  });
  const answered = (isMeant: (status: number) => boolean): readonly Point<number>[] =>
    summed(
      requests.filter(({ outcome }) => 'status' in outcome && isMeant(outcome.status)),
      (cell) => ({
        ...endpointOf(cell),
        ...(cell.credential === undefined ? {} : { 'tryon.credential': cell.credential }),
      }),
    );
  const duration = (
    name: string,
    description: string,
    of: 'service' | 'response' | 'lag',
    bounds: readonly number[],
    attributesOf: AttributesOf,
  ): Metric => ({
    ...{ name, description, unit: 's', kind: 'histogram' },
    points: grouped(
      requests.filter((cell) => cell[of].buckets.some((count) => count > 0)),
      attributesOf,
    ).map(([attributes, group]) => [
      attributes,
      histogramOf(
        group.map((cell) => cell[of]),
        bounds,
      ),
    ]),
  });
  return [
    duration(
      'http.client.request.duration',
      'Service time: from sending a request until its answer is complete',
      'service',
      conventionBounds,
      (cell) => ({ ...routeOf(cell, routes), ...target, ...outcomeAttributes(cell.outcome) }),
    ),
    {
      name: 'http.client.active_requests',
      description: 'Requests in flight',
      unit: '{request}',
      kind: 'up-down',
      points: [[target, inFlight]],
    },
    duration(
      'tryon.response.duration',
      'Response time: from the instant at which a request was due until its answer is complete',
      'response',
      responseBounds,
      (cell) => ({ ...endpointOf(cell), ...outcomeAttributes(cell.outcome) }),
    ),
    duration(
      'tryon.send_lag.duration',
      'Send lag: how late the generator itself sent a request',
      'lag',
      lagBounds,
      endpointOf,
    ),
    counter('tryon.requests.admitted', 'Requests answered 2xx', answered(isSuccess)),
    counter(
      'tryon.requests.rejected',
      'Requests answered 429',
      answered((status) => status === 429),
    ),
    counter(
      'tryon.requests.over_quota',
      'Requests answered 402',
      answered((status) => status === 402),
    ),
    counter(
      'tryon.requests.not_sent',
      'Requests that were due and could not be sent, by reason',
      summed(
        requests.filter(({ outcome }) => 'notSent' in outcome),
        (cell) => ({
          ...endpointOf(cell),
          'tryon.reason': 'notSent' in cell.outcome ? cell.outcome.notSent : '',
        }),
      ),
    ),
    counter(
      'tryon.closed_loop.requests',
      'Requests of closed loops (autocannon), which are in no other metric',
      summed(loops, ({ outcome }) => outcomeAttributes(outcome)),
    ),
    ...(quota === undefined ? [] : [quotaLeft(requests, quota)]),
    ...(verdicts === undefined ? [] : verdictMetrics(verdicts)),
  ];
}

/** Verdicts for alarms: each check has one series, of the value 1. */
function verdictMetrics({ bounds, checks }: RunVerdicts): Metric[] {
  const gauge = (name: string, unit: string, description: string, points: Point<number>[]): Metric => ({
    ...{ name, unit, description, points, kind: 'gauge' },
  });
  const ofBounds = (of: 'atMs' | 'boundMs'): Point<number>[] =>
    bounds.map((each) => [{ id: each.id }, each[of] / 1e3]);
  return [
    gauge(
      'tryon.check',
      '',
      'The verdict of each check: pass, fail or inconclusive',
      checks.map(({ id, verdict }) => [{ id, verdict }, 1]),
    ),
    gauge('tryon.slo.value', 's', 'Response time at the percentile of a bound', ofBounds('atMs')),
    gauge('tryon.slo.bound', 's', 'The bound', ofBounds('boundMs')),
  ];
}

function quotaLeft(
  cells: readonly RequestFigures[],
  { credentials, sessions }: NonNullable<RunDetails['quota']>,
): Metric {
  const spent = cells.reduce(
    (sum, { credential, endpoint, outcome, requests }) =>
      endpoint === 'create-session' &&
      credential !== undefined &&
      credentials.includes(credential) &&
      'status' in outcome &&
      isSuccess(outcome.status)
        ? sum + requests
        : sum,
    0,
  );
  return {
    name: 'tryon.quota.left',
    description: 'The promised session quota without the sessions that this run has created',
    unit: '{session}',
    kind: 'gauge',
    points: [[{ 'tryon.credential': 'quota' }, Math.max(0, sessions - spent)]],
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function endpointOf({ endpoint }: RequestFigures): Attributes {
  return endpoint === undefined ? { 'otel.metric.overflow': 'true' } : { 'tryon.endpoint': endpoint };
}

function routeOf({ endpoint }: RequestFigures, routes: RunDetails['routes']): Attributes {
  if (endpoint === undefined || endpoint === 'closed-loop') return { 'otel.metric.overflow': 'true' };
  const { method, template } = routes[endpoint];
  return { 'http.request.method': method, 'url.template': template };
}

/** By the conventions of HTTP clients, an answer from 400 on is an error, of its status. */
function outcomeAttributes(outcome: MetricOutcome): Attributes {
  if (!('status' in outcome)) return { 'error.type': 'lost' in outcome ? outcome.lost : '_OTHER' };
  const { status } = outcome;
  return {
    'http.response.status_code': status,
    ...(status >= 400 ? { 'error.type': String(status) } : {}),
  };
}

/** The cells by what their attributes are. */
function grouped(cells: readonly RequestFigures[], attributesOf: AttributesOf): Point<RequestFigures[]>[] {
  const groups = new Map<string, Point<RequestFigures[]>>();
  for (const cell of cells) {
    const attributes = attributesOf(cell);
    const name = JSON.stringify(attributes);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [attributes, [cell]]);
    else group[1].push(cell);
  }
  return [...groups.values()];
}

function summed(cells: readonly RequestFigures[], attributesOf: AttributesOf): Point<number>[] {
  return grouped(cells, attributesOf).map(([attributes, group]) => [
    attributes,
    group.reduce((sum, { requests }) => sum + requests, 0),
  ]);
}

function histogramOf(durations: readonly DurationFigures[], bounds: readonly number[]): Histogram {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sumNs = 0;
  for (const { buckets, sumNs: addedNs } of durations) {
    sumNs += addedNs;
    coarsened(buckets, bounds).forEach((count, at) => {
      counts[at] = (counts[at] ?? 0) + count;
    });
  }
  // The count is that of the buckets, so that a figure added meanwhile does not contradict them.
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { buckets: { boundaries: [...bounds], counts }, count, sum: sumNs / 1e9 };
}
