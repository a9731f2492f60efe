import { milliseconds, number, span } from '../../amounts.ts';
import { type LatencyRow, latencyTable, type Percentiles } from '../../checks/latency/table.ts';
import type { Slo } from '../../history/run.ts';
import { type Chart, type ChartLimit, type ChartSeries, chartFigure } from '../chart.ts';
import { latencyBins } from '../latency-bins.ts';
import { type Html, html } from '../markup.ts';
import type { Section, SectionBody, SectionInput } from '../section.ts';
import { latencyOverTime, timeGrid } from '../series.ts';
import { visible } from '../text.ts';
import { curvesPart } from './latency/curves.ts';
import { serverTimingPart } from './latency/server-timing.ts';
import { slowestPart } from './latency/slowest.ts';
import { bucketStarts } from './traffic.ts';

const percentiles = ['p50Ms', 'p90Ms', 'p99Ms', 'p999Ms', 'maxMs'] as const;
const percentileLabels = { p50Ms: 'p50', p90Ms: 'p90', p99Ms: 'p99', p999Ms: 'p99.9', maxMs: 'max' } as const;

/** Both latencies over time and by endpoint and status. */
export const latencySection: Section = { id: 'latency', title: 'Latency', make };

async function make(input: SectionInput): Promise<SectionBody> {
  const chart = await latencyChart(input);
  const rows = await latencyTable(input.history);
  const { history, buckets } = input;
  const bins = await latencyBins(history, timeGrid(buckets));
  const curves = curvesPart(bins, rows, history.run.slo);
  return {
    latencies: bins,
    charts: [...(chart === undefined ? [] : [chart]), ...(curves.charts ?? [])],
    body: html`<p><strong>Service time</strong> starts when a request was sent. <strong>Response time</strong> starts when the request was due, as a shopper would feel it. Their difference is the delay in the generator and in the queue before the target.</p>
${chart === undefined ? html`<p class="none">${input.history.run.planned_requests === 0 ? 'There was no planned load, so there is no chart over time.' : 'The load got no 2xx answer, so there is no chart over time.'}</p>` : chartFigure(chart)}
${rows.length === 0 ? html`<p class="none">No request was answered.</p>` : html`${percentilesField}${latencyTableHtml(rows)}`}
${curves.body}${await serverTimingPart(history)}${await slowestPart(history)}`,
  };
}

/** Other percentiles than those of the table. The page's script shows the field, since it needs it. */
const percentilesField = html`<p hidden><label>Percentiles <input id="latency-percentiles" value="50 90 99 99.9 100" autocomplete="off"></label> <output id="latency-note" class="none"></output></p>`;

/** A separate table, since its columns come in two labelled groups. */
function latencyTableHtml(rows: readonly LatencyRow[]): Html {
  const caption = 'Both latencies in milliseconds, by endpoint and exact status, without probes';
  const heads = percentiles.map(
    (p, index) =>
      html`<th scope="col" class="num${index === 0 && ' group-start'}">${percentileLabels[p]}</th>`,
  );
  const cells = (values: Percentiles): Html[] =>
    percentiles.map(
      (p, index) => html`<td class="num${index === 0 && ' group-start'}">${milliseconds(values[p])}</td>`,
    );
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table id="latency-table">
<caption>${caption}</caption>
<thead>
<tr><th scope="col" rowspan="2">Endpoint</th><th scope="col" rowspan="2">Status</th><th scope="col" rowspan="2" class="num">n</th><th scope="colgroup" colspan="5" class="group-start">Service time</th><th scope="colgroup" colspan="5" class="group-start">Response time</th></tr>
<tr>${heads}${heads}</tr>
</thead>
<tbody>${rows.map(
    (row) =>
      html`<tr><th scope="row" class="nowrap">${row.endpoint}</th><td>${String(row.status)}</td><td class="num">${number(row.answers)}</td>${cells(row.service)}${cells(row.response)}</tr>`,
  )}</tbody>
</table></div>`;
}

/** What the scenario promises of response time: a level over the time that it is about. */
function promiseOf({ endpoint, max_ms, percentile, phase }: Slo, { phases }: SectionInput): ChartLimit {
  const band = phases.find(({ name }) => name === phase);
  return {
    value: max_ms,
    label: `promised: ${endpoint === '*' ? 'all endpoints' : endpoint}, response p${percentile} at most ${span(max_ms)}${phase === undefined ? '' : ` in “${visible(phase)}”`}`,
    ...(band !== undefined && { from: band.fromS, to: band.toS }),
  };
}

async function latencyChart(input: SectionInput): Promise<Chart | undefined> {
  const { history, buckets, phases } = input;
  const points = await latencyOverTime(history, buckets);
  if (points.length === 0) return undefined;
  const byBucket = new Map(points.map((point) => [point.bucket, point]));
  type Name = Exclude<keyof (typeof points)[number], 'bucket'>;
  const values = (name: Name): (number | null)[] =>
    Array.from({ length: buckets.count }, (_, bucket) => {
      const point = byBucket.get(bucket);
      // A logarithmic axis has no zero; a microsecond stands for it.
      return point === undefined ? null : Math.max(0.001, Math.round(point[name] * 1_000) / 1_000);
    });
  const series: ChartSeries[] = [
    { label: 'response p99', colour: 'line-b', draw: 'line', values: values('response_p99') },
    { label: 'service p99', colour: 'line-b', draw: 'line', dashed: true, values: values('service_p99') },
    { label: 'response p50', colour: 'line-a', draw: 'line', values: values('response_p50') },
    { label: 'service p50', colour: 'line-a', draw: 'line', dashed: true, values: values('service_p50') },
  ];
  const worst = points.reduce((most, point) => Math.max(most, point.response_p99), 0);
  return {
    id: 'latency',
    title: 'Latency of the load’s 2xx answers',
    unit: `milliseconds, in steps of ${span(buckets.widthMs)}, logarithmic`,
    summary: `Median and 99th percentile of service and response time over the run; the worst step has a response p99 of ${milliseconds(worst)} ms.`,
    scale: 'log',
    x: bucketStarts(buckets),
    series,
    limits: history.run.slo.map((slo) => promiseOf(slo, input)),
    bands: phases,
  };
}
