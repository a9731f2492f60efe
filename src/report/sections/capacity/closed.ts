import { milliseconds, number } from '../../../amounts.ts';
import { kneeOf, promiseOf } from '../../../checks/capacity/knee.ts';
import type { Capacity } from '../../../checks/capacity/steps.ts';
import { type Chart, chartFigure } from '../../chart.ts';
import { html } from '../../markup.ts';
import { disclosure, type SectionBody, table } from '../../section.ts';
import { kneeInWords, outcomeSeries, sideBySide, stepWhy } from './steps.ts';

/** Throughput by concurrency, and where the promise breaks. */
export function closedPart(capacity: Capacity): SectionBody {
  const { closed, plan } = capacity;
  const heading = html`<h3>Closed loop: connections</h3>`;
  if (closed.length === 0) return { body: html`${heading}<p class="none">No step was run.</p>` };
  const chart = throughputChart(capacity);
  return {
    charts: [chart],
    body: html`${heading}
<p>Promise: ${promiseOf(capacity, 'service time')}. A closed loop waits for the target, so its latencies leave out waits for a free connection. ${kneeInWords(kneeOf(closed, plan.connections), 'connections')}</p>
${chartFigure(chart)}
${disclosure(`Every step of the closed loop (${number(closed.length)})`, stepsTable(capacity))}`,
  };
}

function stepsTable({ closed, slo }: Capacity) {
  return table('Steps of the closed loop, in order', closed, [
    ['Step', (step) => number(step.step), 'number'],
    ['Purpose', (step) => step.purpose],
    ['Connections', (step) => number(step.load), 'number'],
    ['Requests/s', (step) => number(Math.round(step.perSecond * 10) / 10), 'number'],
    ['Over the bound', (step) => number(step.figures.over), 'number'],
    ['Failed', (step) => number(step.figures.failed), 'number'],
    ['p50 ms', (step) => milliseconds(step.latencyMs.p50), 'number'],
    [`p${slo.percentile} ms`, (step) => milliseconds(step.latencyMs.promised), 'number'],
    ['Generator busy', (step) => `${Math.round(step.busyShare * 100)} %`, 'number'],
    ['Outcome', (step) => step.judged.outcome],
    ['Why', (step) => html`<div class="long">${stepWhy(step)}</div>`],
  ]);
}

function throughputChart({ closed, plan }: Capacity): Chart {
  const steps = sideBySide(closed);
  const knee = kneeOf(closed, plan.connections);
  return {
    id: 'capacity-closed',
    title: 'Throughput by concurrency',
    unit: 'answers a second, by connections',
    summary: `Throughput of ${number(closed.length)} steps by their connections. ${kneeInWords(knee, 'connections')}`,
    scale: 'linear',
    along: 'connections',
    x: steps.map(({ x }) => x),
    series: outcomeSeries(steps, 'a step', ({ perSecond }) => perSecond),
    bands:
      knee.keeps === undefined || knee.breaks === undefined
        ? []
        : [{ name: 'knee', fromS: knee.keeps, toS: knee.breaks }],
  };
}
