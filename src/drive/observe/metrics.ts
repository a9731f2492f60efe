import type { Credential, Endpoint } from '../../vocabulary/requests.ts';
import {
  coarsened,
  conventionBounds,
  type DurationFigures,
  lagBounds,
  type MetricOutcome,
  type RequestFigures,
  responseBounds,
} from './figures.ts';

export type Attributes = Readonly<Record<string, string | number>>;

/** A histogram with explicit bounds, seconds. */
interface HistogramValue {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

export interface DataPoint<Value> {
  readonly attributes: Attributes;
  readonly value: Value;
}

/** A metric as it stands. Names are OpenTelemetry's; `unit` is in UCUM. */
export type Metric = {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
} & (
  | { readonly kind: 'counter' | 'up-down' | 'gauge'; readonly points: readonly DataPoint<number>[] }
  | { readonly kind: 'histogram'; readonly points: readonly DataPoint<HistogramValue>[] }
);

/** How a request to an endpoint looks on the wire: its method, and its path with placeholders for ids. */
export interface RouteTemplate {
  readonly method: string;
  readonly template: string;
}

/** What is known of a run before its first request. */
export interface RunDetails {
  readonly run: string;
  readonly scenario: string;
  readonly version: string;
  readonly server: { readonly address: string; readonly port: number };
  readonly routes: Readonly<Record<Endpoint, RouteTemplate>>;
  /** The promised session quota, and whose keys spend it. */
  readonly quota?: { readonly sessions: number; readonly credentials: readonly Credential[] };
}

/** What of a run's figures changes. */
export interface RunFigures {
  readonly cells: readonly RequestFigures[];
  readonly inFlight: number;
}

/** What was concluded of a run. */
export interface RunVerdicts {
  readonly checks: readonly {
    readonly id: string;
    readonly verdict: 'pass' | 'fail' | 'inconclusive';
    readonly text: string;
  }[];
  /** Bounds on response times that were measured, with the check of each. */
  readonly bounds: readonly { readonly id: string; readonly atMs: number; readonly boundMs: number }[];
}

/** Verdicts for alarms: each check has one series, of the value 1. */
export function verdictMetrics({ bounds, checks }: RunVerdicts): Metric[] {
  const gauge = (name: string, unit: string, description: string, points: DataPoint<number>[]): Metric => ({
    ...{ name, unit, description, points },
    kind: 'gauge',
  });
  const ofBounds = (of: 'atMs' | 'boundMs'): DataPoint<number>[] =>
    bounds.map((each) => ({ attributes: { id: each.id }, value: each[of] / 1e3 }));
  return [
    gauge(
      'tryon.check',
      '',
      'The verdict of each check: pass, fail or inconclusive',
      checks.map(({ id, verdict }) => ({ attributes: { id, verdict }, value: 1 })),
    ),
    gauge('tryon.slo.value', 's', 'Response time at the percentile of a bound', ofBounds('atMs')),
    gauge('tryon.slo.bound', 's', 'The bound', ofBounds('boundMs')),
  ];
}

/** Every metric of a run, once. */
export function metricsOf({ cells, inFlight }: RunFigures, facts: RunDetails): Metric[] {
  const { quota, server } = facts;
  const requests = cells.filter(({ endpoint }) => endpoint !== 'closed-loop');
  const loops = cells.filter(({ endpoint }) => endpoint === 'closed-loop');
  const target = { 'server.address': server.address, 'server.port': server.port };
  const keyed = (cell: RequestFigures): Attributes => ({
    ...endpointOf(cell),
    ...(cell.credential === undefined ? {} : { 'tryon.credential': cell.credential }),
  });
  const counter = (name: string, description: string, is: (status: number) => boolean): Metric => ({
    name,
    description,
    unit: '{request}',
    kind: 'counter',
    points: summed(
      requests.filter(({ outcome }) => 'status' in outcome && is(outcome.status)),
      keyed,
    ),
  });
  return [
    {
      name: 'http.client.request.duration',
      description: 'Service time: from sending a request until its answer is complete',
      unit: 's',
      kind: 'histogram',
      points: histograms(requests, 'service', conventionBounds, (cell) => ({
        ...routeOf(cell, facts.routes),
        ...target,
        ...outcomeAttributes(cell.outcome),
      })),
    },
    {
      name: 'http.client.active_requests',
      description: 'Requests in flight',
      unit: '{request}',
      kind: 'up-down',
      points: [{ attributes: target, value: inFlight }],
    },
    {
      name: 'tryon.response.duration',
      description: 'Response time: from the instant at which a request was due until its answer is complete',
      unit: 's',
      kind: 'histogram',
      points: histograms(requests, 'response', responseBounds, (cell) => ({
        ...endpointOf(cell),
        ...outcomeAttributes(cell.outcome),
      })),
    },
    {
      name: 'tryon.send_lag.duration',
      description: 'Send lag: how late the generator itself sent a request',
      unit: 's',
      kind: 'histogram',
      points: histograms(requests, 'lag', lagBounds, endpointOf),
    },
    counter('tryon.requests.admitted', 'Requests answered 2xx', (status) => status >= 200 && status < 300),
    counter('tryon.requests.rejected', 'Requests answered 429', (status) => status === 429),
    counter('tryon.requests.over_quota', 'Requests answered 402', (status) => status === 402),
    {
      name: 'tryon.requests.not_sent',
      description: 'Requests that were due and could not be sent, by reason',
      unit: '{request}',
      kind: 'counter',
      points: summed(
        requests.filter(({ outcome }) => 'notSent' in outcome),
        (cell) => ({
          ...endpointOf(cell),
          'tryon.reason': 'notSent' in cell.outcome ? cell.outcome.notSent : '',
        }),
      ),
    },
    {
      name: 'tryon.closed_loop.requests',
      description: 'Requests of closed loops (autocannon), which are in no other metric',
      unit: '{request}',
      kind: 'counter',
      points: summed(loops, ({ outcome }) => outcomeAttributes(outcome)),
    },
    ...(quota === undefined ? [] : [quotaLeft(requests, quota)]),
  ];
}

function quotaLeft(
  cells: readonly RequestFigures[],
  { credentials, sessions }: NonNullable<RunDetails['quota']>,
): Metric {
  const granted = cells.filter(
    ({ credential, endpoint, outcome }) =>
      endpoint === 'create-session' &&
      credential !== undefined &&
      credentials.includes(credential) &&
      'status' in outcome &&
      outcome.status >= 200 &&
      outcome.status < 300,
  );
  const spent = granted.reduce((sum, cell) => sum + cell.requests, 0);
  return {
    name: 'tryon.quota.left',
    description: 'The promised session quota without the sessions that this run has created',
    unit: '{session}',
    kind: 'gauge',
    points: [{ attributes: { 'tryon.credential': 'quota' }, value: Math.max(0, sessions - spent) }],
  };
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
  if ('status' in outcome) {
    const { status } = outcome;
    return {
      'http.response.status_code': status,
      ...(status >= 400 ? { 'error.type': String(status) } : {}),
    };
  }
  return { 'error.type': 'lost' in outcome ? outcome.lost : '_OTHER' };
}

type AttributesOf = (cell: RequestFigures) => Attributes;

/** The cells by what their attributes are. */
function grouped(
  cells: readonly RequestFigures[],
  attributesOf: AttributesOf,
): readonly (readonly [Attributes, RequestFigures[]])[] {
  const groups = new Map<string, readonly [Attributes, RequestFigures[]]>();
  for (const cell of cells) {
    const attributes = attributesOf(cell);
    const name = JSON.stringify(attributes);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [attributes, [cell]]);
    else group[1].push(cell);
  }
  return [...groups.values()];
}

function summed(cells: readonly RequestFigures[], attributesOf: AttributesOf): DataPoint<number>[] {
  return grouped(cells, attributesOf).map(([attributes, group]) => ({
    attributes,
    value: group.reduce((sum, { requests }) => sum + requests, 0),
  }));
}

function histograms(
  cells: readonly RequestFigures[],
  of: 'service' | 'response' | 'lag',
  bounds: readonly number[],
  attributesOf: AttributesOf,
): DataPoint<HistogramValue>[] {
  const measured = cells.filter((cell) => cell[of].buckets.some((count) => count > 0));
  return grouped(measured, attributesOf).map(([attributes, group]) => ({
    attributes,
    value: histogramOf(
      group.map((cell) => cell[of]),
      bounds,
    ),
  }));
}

function histogramOf(durations: readonly DurationFigures[], bounds: readonly number[]): HistogramValue {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sumNs = 0;
  for (const { buckets, sumNs: addedNs } of durations) {
    sumNs += addedNs;
    coarsened(buckets, bounds).forEach((count, at) => {
      counts[at] = (counts[at] ?? 0) + count;
    });
  }
  // The count is that of the buckets, so that a figure added meanwhile does not contradict them.
  return { bounds, counts, count: counts.reduce((sum, count) => sum + count, 0), sum: sumNs / 1e9 };
}
