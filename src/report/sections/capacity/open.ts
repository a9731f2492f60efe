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
${table('Repeats near the knee, by rate', keptOf(open), [
  ['Requests/s', ({ load }) => number(load), 'number'],
  ['Kept the promise', ({ kept }) => number(kept), 'number'],
  ['Unclear', ({ unclear }) => number(unclear), 'number'],
  ['Repeats', ({ of }) => number(of), 'number'],
])}
${disclosure(`Every step of the open model (${number(open.length)})`, stepsTable(capacity))}`,
  };
}

function stepsTable({ open, slo }: Capacity) {
  return table('Steps of the open model, in order', open, [
    ['Step', (step) => number(step.step), 'number'],
    ['Purpose', (step) => step.purpose],
    ['Requests/s', (step) => number(step.load), 'number'],
    ['Counted', (step) => number(step.figures.judged), 'number'],
    ['Over the bound', (step) => number(step.figures.over), 'number'],
    ['Failed', (step) => number(step.figures.failed), 'number'],
    ['p50 ms', (step) => milliseconds(step.latencyMs.p50), 'number'],
    [`p${slo.percentile} ms`, (step) => milliseconds(step.latencyMs.promised), 'number'],
    ['Sent late', (step) => number(step.figures.late), 'number'],
    ['Lag p99 ms', (step) => milliseconds(step.lagP99Ms), 'number'],
    ['Longest stall ms', (step) => milliseconds(step.loopDelayMaxMs), 'number'],
    ['Outcome', (step) => step.judged.outcome],
    [
      'Why',
      (step) =>
        html`<div class="long">${stepWhy(step)}${step.figures.ended === 'whole' ? '' : ' (cut short)'}</div>`,
    ],
  ]);
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
    limits: [{ value: slo.maxMs, label: `promised, ${milliseconds(slo.maxMs)} ms` }],
    bands:
      knee.keeps === undefined || knee.breaks === undefined
        ? []
        : [{ name: 'knee', fromS: knee.keeps, toS: knee.breaks }],
  };
}
