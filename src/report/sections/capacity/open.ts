import { counted, milliseconds, number } from '../../../amounts.ts';
import { keptOf, kneeOf, promiseOf } from '../../../checks/capacity/knee.ts';
import type { Capacity, OpenStepSeen } from '../../../checks/capacity/steps.ts';
import { type Chart, type ChartSeries, chartFigure } from '../../chart.ts';
import { html } from '../../markup.ts';
import { disclosure, type SectionBody, table } from '../../section.ts';
import { kneeInWords, outcomeSeries, sideBySide, stepWhy } from './steps.ts';

/** Response time by the rate at which requests arrived, and where the promise breaks. */
export function openPart(capacity: Capacity): SectionBody {
  const { open, plan } = capacity;
  const heading = html`<h3>Open model: random arrivals</h3>`;
  if (open.length === 0) return { body: html`${heading}<p class="none">No step was run.</p>` };
  const knee = kneeOf(open, plan.rates);
  const chart = responseChart(capacity);
  return {
    charts: [chart],
    body: html`${heading}
<p>Promise: ${promiseOf(capacity, 'response time')}, from the intended instant of each request. ${kneeInWords(knee, 'requests a second')} ${counted(plan.keys, 'key')} took turns.</p>
${chartFigure(chart)}
${table(
  'Repeats near the knee, by rate',
  [
    { label: 'Requests/s', numeric: true },
    { label: 'Kept the promise', numeric: true },
    { label: 'Unclear', numeric: true },
    { label: 'Repeats', numeric: true },
  ],
  keptOf(open).map(({ kept, load, of, unclear }) => [
    number(load),
    number(kept),
    number(unclear),
    number(of),
  ]),
)}
${disclosure(`Every step of the open model (${number(open.length)})`, stepsTable(capacity))}`,
  };
}

function stepsTable({ open, slo }: Capacity) {
  return table(
    'Steps of the open model, in order',
    [
      { label: 'Step', numeric: true },
      { label: 'Purpose' },
      { label: 'Requests/s', numeric: true },
      { label: 'Counted', numeric: true },
      { label: 'Over the bound', numeric: true },
      { label: 'Failed', numeric: true },
      { label: 'p50 ms', numeric: true },
      { label: `p${slo.percentile} ms`, numeric: true },
      { label: 'Sent late', numeric: true },
      { label: 'Lag p99 ms', numeric: true },
      { label: 'Longest stall ms', numeric: true },
      { label: 'Outcome' },
      { label: 'Why' },
    ],
    open.map((step) => [
      number(step.step),
      step.purpose,
      number(step.load),
      number(step.figures.judged),
      number(step.figures.over),
      number(step.figures.failed),
      milliseconds(step.latencyMs.p50),
      milliseconds(step.latencyMs.promised),
      number(step.figures.late),
      milliseconds(step.lagP99Ms),
      milliseconds(step.loopDelayMaxMs),
      step.judged.outcome,
      html`<div class="long">${stepWhy(step)}${step.figures.ended === 'whole' ? '' : ' (cut short)'}</div>`,
    ]),
  );
}

function responseChart({ open, plan, slo }: Capacity): Chart {
  const points = sideBySide(open);
  // A logarithmic axis has no zero; a microsecond stands for it. A step that counted no answer has no latency.
  const drawn = ({ figures }: OpenStepSeen, ms: number): number | null =>
    figures.judged === 0 ? null : Math.max(0.001, ms);
  const knee = kneeOf(open, plan.rates);
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
    limit: { value: slo.maxMs, label: `promised, ${milliseconds(slo.maxMs)} ms` },
    bands:
      knee.keeps === undefined || knee.breaks === undefined
        ? []
        : [{ name: 'knee', fromS: knee.keeps, toS: knee.breaks }],
  };
}
