import { quantileOf, type RequestFigures } from './figures.ts';
import type { Attributes, DataPoint, Metric, RunDetails, RunFigures } from './metrics.ts';

/** Statistics of a trend as k6's remote write names them, with what each is of a cell, seconds. */
const trends: Readonly<Record<string, (cell: RequestFigures) => number>> = {
  min: ({ leastNs }) => leastNs / 1e9,
  max: ({ mostNs }) => mostNs / 1e9,
  avg: ({ service }) => service.sumNs / 1e9 / service.buckets.reduce((sum, count) => sum + count, 0),
  med: (cell) => quantile(cell, 0.5),
  p90: (cell) => quantile(cell, 0.9),
  p95: (cell) => quantile(cell, 0.95),
  p99: (cell) => quantile(cell, 0.99),
};

/**
 * The same figures under the names that k6's Prometheus remote write gives its own, for dashboards made for it. Its
 * duration is what is service time here; like its trends, these are of the whole run so far.
 */
export function k6Metrics({ cells, inFlight }: RunFigures, facts: RunDetails): Metric[] {
  const answered = cells.flatMap((cell): DataPoint<RequestFigures>[] => {
    const { endpoint, outcome } = cell;
    if (endpoint === undefined || endpoint === 'closed-loop' || 'notSent' in outcome) return [];
    if (!cell.service.buckets.some((count) => count > 0)) return [];
    const status = 'status' in outcome ? outcome.status : 0;
    const { method, template } = facts.routes[endpoint];
    const attributes = {
      method,
      name: template,
      url: template,
      status: String(status),
      expected_response: String(isExpected(status)),
      scenario: facts.scenario,
      group: '',
      proto: 'HTTP/1.1',
      tryon_credential: cell.credential ?? '',
    };
    return [{ attributes, value: cell }];
  });
  const alias = (kind: 'counter' | 'gauge', name: string, points: readonly DataPoint<number>[]): Metric => ({
    name,
    description: 'The name of k6 for a figure of tryon',
    unit: '',
    kind,
    points,
  });
  const dropped = cells.reduce(
    (sum, { outcome, requests }) =>
      sum + ('notSent' in outcome && outcome.notSent === 'in-flight-bound' ? requests : 0),
    0,
  );
  const scenario: Attributes = { scenario: facts.scenario };
  return [
    alias(
      'counter',
      'k6_http_reqs',
      of(answered, ({ requests }) => requests),
    ),
    ...Object.entries(trends).map(([name, secondsOf]) =>
      alias('gauge', `k6_http_req_duration_${name}`, of(answered, secondsOf)),
    ),
    alias(
      'gauge',
      'k6_http_req_failed_rate',
      of(answered, (cell) => (isExpected(statusOf(cell)) ? 0 : 1)),
    ),
    alias('gauge', 'k6_vus', [{ attributes: scenario, value: inFlight }]),
    alias('counter', 'k6_dropped_iterations', [{ attributes: scenario, value: dropped }]),
  ];
}

function of(
  points: readonly DataPoint<RequestFigures>[],
  take: (cell: RequestFigures) => number,
): DataPoint<number>[] {
  return points.map(({ attributes, value }) => ({ attributes, value: take(value) }));
}

function statusOf({ outcome }: RequestFigures): number {
  return 'status' in outcome ? outcome.status : 0;
}

function isExpected(status: number): boolean {
  return status >= 200 && status < 400;
}

function quantile({ leastNs, mostNs, service }: RequestFigures, share: number): number {
  return quantileOf(service.buckets, share, { least: leastNs / 1e9, most: mostNs / 1e9 });
}
