import { counted, milliseconds, span } from '../../../amounts.ts';
import type { LatencyRow } from '../../../checks/latency/table.ts';
import type { Slo } from '../../../history/run.ts';
import { type Chart, chartFigure } from '../../chart.ts';
import type { LatencyBins } from '../../latency-bins.ts';
import { html } from '../../markup.ts';
import type { SectionBody } from '../../section.ts';
import { visible } from '../../text.ts';

/** Fewer answers make no curve. */
const fewestAnswers = 20;
const mostCurves = 12;

/** Service and response time by percentile, a chart for each endpoint and exact status, those with most answers. */
export function curvesPart(
  bins: readonly LatencyBins[],
  rows: readonly LatencyRow[],
  slos: readonly Slo[],
): SectionBody {
  const charts = bins
    .map((each, index) => ({ ...each, index, row: rows.find((row) => isOf(row, each)) }))
    .filter(({ answers }) => answers >= fewestAnswers)
    .toSorted((a, b) => b.answers - a.answers)
    .slice(0, mostCurves)
    .map(({ answers, endpoint, index, row, status }): Chart => {
      const isPromised = status >= 200 && status < 300;
      return {
        id: `curve-${endpoint}-${status}`,
        title: `${endpoint}, ${status}`,
        unit: 'ms by percentile',
        summary: `Service and response time of ${counted(answers, 'answer')} by percentile${row === undefined ? '' : `: service p50 ${milliseconds(row.service.p50Ms)} ms and p99 ${milliseconds(row.service.p99Ms)} ms, response p50 ${milliseconds(row.response.p50Ms)} ms and p99 ${milliseconds(row.response.p99Ms)} ms`}.`,
        scale: 'log',
        x: [],
        along: 'percentile',
        latencies: index,
        series: [
          { label: 'response', colour: 'line-b', draw: 'line', values: [] },
          { label: 'service', colour: 'line-a', draw: 'line', dashed: true, values: [] },
        ],
        limits: isPromised
          ? slos
              .filter((slo) => slo.endpoint === endpoint)
              .map((slo) => ({
                value: slo.max_ms,
                label: `promised: p${slo.percentile} at most ${span(slo.max_ms)}${slo.phase === undefined ? '' : ` in “${visible(slo.phase)}”`}`,
                from: 0,
                // How far right a percentile is on an axis where each nine takes the same room.
                ...(slo.percentile < 100 && { to: -Math.log10(1 - slo.percentile / 100) }),
              }))
          : [],
        bands: [],
      };
    });
  return {
    charts,
    body: html`${
      charts.length > 0 &&
      html`<details open><summary>Percentile curves of service and response time</summary>
<p>Each nine of the percentile takes the same width. The response curve of a promise that is kept passes below the right end of its line; the check judges the requests of the load alone.</p>
<div class="multiples">${charts.map(chartFigure)}</div></details>`
    }`,
  };
}

function isOf(row: LatencyRow, { endpoint, status }: LatencyBins): boolean {
  return row.endpoint === endpoint && row.status === status;
}
