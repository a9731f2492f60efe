import { z } from 'zod';
import { milliseconds, number, span } from '../../amounts.ts';
import { type LatencyRow, latencyTable, percentiles } from '../../checks/latency/table.ts';
import type { History } from '../../history/history.ts';
import { traceId } from '../../vocabulary/trace-id.ts';
import {
  type Chart,
  chartOf,
  code,
  heading,
  link,
  nothing,
  paragraph,
  queried,
  type ReportFigure,
  strong,
  type TableColumn,
  type Text,
  t,
  table,
  whole,
} from '../figure.ts';
import { type Buckets, bucketStarts, type Section, type SectionInput } from '../section.ts';
import { visible } from '../text.ts';

/** Both latencies over time and by endpoint and status. */
export const latencySection: Section = {
  id: 'latency',
  title: 'Latency',
  about: ['latency'],
  make: async (input) => {
    const { history } = input;
    const chart = await latencyChart(input);
    const rows = await latencyTable(history);
    return [
      paragraph(
        t`${strong('Service time')} starts when a request was sent. ${strong('Response time')} starts when the request was due, as a shopper would feel it. Their difference is the delay in the generator and in the queue before the target.`,
      ),
      chart === undefined
        ? nothing(
            history.run.planned_requests === 0
              ? 'There was no planned load, so there is no chart over time.'
              : 'The load got no 2xx answer, so there is no chart over time.',
          )
        : chartOf(chart),
      rows.length === 0 ? nothing('No request was answered.') : percentileTable(rows),
      ...(await serverTiming(history)),
      ...(await slowest(history)),
    ];
  },
};

const pointRow = z.object({
  bucket: z.number(),
  response_p50: z.number(),
  response_p99: z.number(),
  service_p50: z.number(),
  service_p99: z.number(),
});
type LatencyPoint = z.output<typeof pointRow>;

/** Percentiles hold all values of a query in memory, so a query covers about this many answers. */
const answersAtATime = 2e6;

/** Percentiles in milliseconds of the load's 2xx answers, by the bucket they were meant to be sent in. */
export async function latencyOverTime(
  history: History,
  buckets: Buckets,
  atATime = answersAtATime,
): Promise<LatencyPoint[]> {
  const widthNs = buckets.widthMs * 1e6;
  const ofLoad = "stage = 'load' AND status BETWEEN 200 AND 299";
  const [all] = await history.rows(
    z.object({ n: z.number() }),
    `SELECT count(*) AS n FROM requests WHERE ${ofLoad}`,
  );
  const parts = Math.max(1, Math.ceil((all?.n ?? 0) / atATime));
  const startOf = (part: number): number => Math.round((part * buckets.count) / parts) * widthNs;
  const points: LatencyPoint[] = [];
  for (let part = 0; part < parts; part++)
    points.push(
      ...(await history.rows(
        pointRow,
        `WITH percentiles AS (
           SELECT CAST(intended_ns // ${widthNs} AS BIGINT) AS bucket,
             quantile_disc(answered_ns - intended_ns, [0.5, 0.99]) AS response,
             quantile_disc(answered_ns - sent_ns, [0.5, 0.99]) AS service
           FROM requests
           WHERE ${ofLoad} AND intended_ns >= ${startOf(part)}
             ${part === parts - 1 ? '' : `AND intended_ns < ${startOf(part + 1)}`}
           GROUP BY bucket
         )
         SELECT bucket, response[1] / 1e6 AS response_p50, response[2] / 1e6 AS response_p99,
           service[1] / 1e6 AS service_p50, service[2] / 1e6 AS service_p99
         FROM percentiles ORDER BY bucket`,
      )),
    );
  return points;
}

async function latencyChart({ buckets, history, phases }: SectionInput): Promise<Chart | undefined> {
  const points = await latencyOverTime(history, buckets);
  if (points.length === 0) return undefined;
  const byBucket = new Map(points.map((point) => [point.bucket, point]));
  const values = (name: Exclude<keyof LatencyPoint, 'bucket'>): (number | null)[] =>
    Array.from({ length: buckets.count }, (_, bucket) => {
      const point = byBucket.get(bucket);
      // A logarithmic axis has no zero; a microsecond stands for it.
      return point === undefined ? null : Math.max(0.001, Math.round(point[name] * 1_000) / 1_000);
    });
  const worst = points.reduce((most, point) => Math.max(most, point.response_p99), 0);
  return {
    id: 'latency',
    title: 'Latency of the load’s 2xx answers',
    unit: `milliseconds, in steps of ${span(buckets.widthMs)}, logarithmic`,
    summary: `Median and 99th percentile of service and response time over the run; the worst step has a response p99 of ${milliseconds(worst)} ms.`,
    scale: 'log',
    x: bucketStarts(buckets),
    series: [
      { label: 'response p99', colour: 'line-b', draw: 'line', values: values('response_p99') },
      { label: 'service p99', colour: 'line-b', draw: 'line', dashed: true, values: values('service_p99') },
      { label: 'response p50', colour: 'line-a', draw: 'line', values: values('response_p50') },
      { label: 'service p50', colour: 'line-a', draw: 'line', dashed: true, values: values('service_p50') },
    ],
    limits: history.run.slo.map((slo) => {
      const band = phases.find(({ name }) => name === slo.phase);
      return {
        value: slo.max_ms,
        label: `promised: ${slo.endpoint === '*' ? 'all endpoints' : slo.endpoint}, response p${slo.percentile} at most ${span(slo.max_ms)}${slo.phase === undefined ? '' : ` in “${visible(slo.phase)}”`}`,
        ...(band !== undefined && { from: band.fromS, to: band.toS }),
      };
    }),
    bands: phases,
  };
}

function percentileTable(rows: readonly LatencyRow[]): ReportFigure {
  return table<LatencyRow>(
    'Service time, then response time, in milliseconds, by endpoint and exact status, without probes',
    rows,
    [
      ['Endpoint', ({ endpoint }) => whole(endpoint)],
      ['Status', ({ status }) => code(String(status))],
      ['n', ({ answers }) => number(answers), 'number'],
      ...(['service', 'response'] as const).flatMap((which) =>
        percentiles.map(
          (name): TableColumn<LatencyRow> => [
            `${which} ${name}`,
            (row) => milliseconds(row[which][name]),
            'number',
          ],
        ),
      ),
    ],
  );
}

/** The part of the service time that the target says it took, by endpoint; nothing where it says nothing. */
export async function serverTiming(history: History): Promise<ReportFigure[]> {
  const found = await queried(
    history,
    'Durations from Server-Timing in milliseconds, by endpoint, without probes',
    [
      ['Endpoint', 'endpoint', 'text'],
      ['Duration', 'metric', 'code'],
      ['n', 'count(*)', 'count'],
      ['p50', 'quantile_disc(ms, 0.5)', 'ms'],
      ['p99', 'quantile_disc(ms, 0.99)', 'ms'],
      ['max', 'max(ms)', 'ms'],
      ['Share of service time', 'sum(ms) * 1e6 / nullif(sum(service_ns), 0)', 'share'],
    ],
    {
      from: `(SELECT endpoint, service_ns, split_part(entry, '=', 1) AS metric, try_cast(split_part(entry, '=', 2) AS DOUBLE) AS ms
        FROM (SELECT endpoint, answered_ns - sent_ns AS service_ns, unnest(string_split(server_timing, ' ')) AS entry FROM requests
          WHERE server_timing IS NOT NULL AND probe IS NULL AND status IS NOT NULL AND sent_ns IS NOT NULL)) WHERE ms IS NOT NULL`,
      // A target may name as many as it likes.
      after: 'GROUP BY endpoint, metric ORDER BY count(*) DESC, endpoint, metric LIMIT 40',
    },
  );
  if (found === undefined) return [];
  return [
    heading('The target’s own part', 'server-timing'),
    paragraph(
      t`Durations that the target gave in ${code('Server-Timing')}. The rest of the service time is network, queues and what the target does not time. Durations of one answer may overlap.`,
    ),
    found,
  ];
}

/** The slowest requests with their traces, for a look at them in the reader's backend; nothing without traces. */
export async function slowest(history: History): Promise<ReportFigure[]> {
  if (history.run.trace_run === undefined) return [];
  const found = await queried(
    history,
    'Requests with the longest service time, without probes',
    [
      ['seq', 'seq', 'seq'],
      ['Sent', 'sent_ns', 'instant'],
      ['Request', 'endpoint', 'text'],
      ['Outcome', "coalesce(CAST(status AS VARCHAR), 'lost: ' || lost)", 'text'],
      ['Service time, ms', '(answered_ns - sent_ns) / 1e6', 'ms'],
      ['Response time, ms', '(answered_ns - intended_ns) / 1e6', 'ms'],
      ['Trace', 'seq', (seq) => traceOf(history, Number(seq))],
    ],
    {
      from: 'requests WHERE sent_ns IS NOT NULL AND answered_ns IS NOT NULL AND probe IS NULL',
      time: ['sent_ns', 'sent_ns'],
      after: 'ORDER BY answered_ns - sent_ns DESC, seq LIMIT 20',
    },
  );
  return found === undefined ? [] : [heading('Slowest requests and their traces', 'slowest'), found];
}

/** The trace id of a request that was sent, as a link where the profile says to where; undefined without traces. */
export function traceOf({ profile, run }: Pick<History, 'run' | 'profile'>, seq: number): Text {
  if (run.trace_run === undefined) return undefined;
  const id = traceId(run.trace_run, seq);
  const address = profile.traces.link;
  return address === undefined ? code(id) : link(address.replaceAll('{trace_id}', id), code(id));
}
