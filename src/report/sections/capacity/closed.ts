import { milliseconds, number } from '../../../amounts.ts';
import { uslConfidence } from '../../../capacity/trust.ts';
import { kneeOf, promiseOf } from '../../../checks/capacity/knee.ts';
import { checkScalability, scalabilityIn } from '../../../checks/capacity/scalability.ts';
import type { Capacity } from '../../../checks/capacity/steps.ts';
import { render } from '../../../checks/core/render.ts';
import { type Chart, type ChartSeries, chartFigure } from '../../chart.ts';
import { html } from '../../markup.ts';
import { disclosure, type SectionBody, table } from '../../section.ts';
import { kneeInWords, outcomeSeries, type Placed, sideBySide, stepWhy } from './steps.ts';

type ClosedStep = Capacity['closed'][number];

/** Throughput by concurrency, the law through it, and where the promise breaks. */
export function closedPart(capacity: Capacity): SectionBody {
  const { closed, plan } = capacity;
  const heading = html`<h3>Closed loop: connections</h3>`;
  if (closed.length === 0) return { body: html`${heading}<p class="none">No step was run.</p>` };
  const chart = throughputChart(capacity);
  return {
    charts: [chart],
    body: html`${heading}
<p>Promise: ${promiseOf(capacity, 'service time')}. A closed loop waits for the target, so its latencies leave out waits for a free connection. ${kneeInWords(kneeOf(closed, plan.connections), 'connections')}</p>
<p>${render(checkScalability(capacity)).explanation}</p>
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

/** A place on the horizontal axis: a step, or a point of the law. */
interface CurvePlace {
  readonly x: number;
  readonly measured?: Placed<ClosedStep>;
  readonly law?: readonly [low: number, best: number, high: number];
}

function throughputChart({ closed, plan }: Capacity): Chart {
  const fit = scalabilityIn({ closed });
  const curve =
    'why' in fit
      ? []
      : fit.curve.map(
          ({ bounds, n, perSecond }): CurvePlace => ({ x: n, law: [bounds.min, perSecond, bounds.max] }),
        );
  const steps = sideBySide(closed).map((measured): CurvePlace => ({ x: measured.x, measured }));
  const places = [...steps, ...curve].toSorted((a, b) => a.x - b.x);
  // Between the points of a curve stand steps, which have none of its values: a line goes on over them.
  const law = (index: 0 | 1 | 2): (number | null)[] => bridged(places, index);
  const sure = `${Math.round(uslConfidence * 100)} %`;
  const lines: ChartSeries[] =
    curve.length === 0
      ? []
      : [
          { label: 'the law', colour: 'line-b', draw: 'line', values: law(1) },
          { label: `${sure}, low`, colour: 'line-b', draw: 'line', dashed: true, values: law(0) },
          { label: `${sure}, high`, colour: 'line-b', draw: 'line', dashed: true, values: law(2) },
        ];
  const marks = outcomeSeries(
    places.flatMap(({ measured }) => (measured === undefined ? [] : [measured])),
    'a step',
    ({ perSecond }) => perSecond,
  ).map((series): ChartSeries => {
    let next = 0;
    return {
      ...series,
      values: places.map(({ measured }) => (measured === undefined ? null : (series.values[next++] ?? null))),
    };
  });
  const knee = kneeOf(closed, plan.connections);
  return {
    id: 'capacity-closed',
    title: 'Throughput by concurrency',
    unit:
      'why' in fit
        ? 'answers a second, by connections'
        : `answers a second, by connections; the law is drawn as far as it is valid, to ${number(fit.trustedTo)}`,
    summary: `Throughput of ${number(closed.length)} steps by their connections. ${kneeInWords(knee, 'connections')}`,
    scale: 'linear',
    along: 'connections',
    x: places.map(({ x }) => x),
    series: [...lines, ...marks],
    bands:
      knee.keeps === undefined || knee.breaks === undefined
        ? []
        : [{ name: 'knee', fromS: knee.keeps, toS: knee.breaks }],
  };
}

/** The law at every place: between two of its points in a straight line. */
export function bridged(places: readonly CurvePlace[], index: 0 | 1 | 2): (number | null)[] {
  const points = places.flatMap(({ law, x }) => (law === undefined ? [] : [{ x, y: law[index] }]));
  let after = 0;
  return places.map(({ x }) => {
    while (after < points.length && (points[after]?.x ?? 0) < x) after++;
    const next = points[after];
    const last = points[after - 1] ?? next;
    if (next === undefined || last === undefined || x < last.x) return null;
    const share = next.x === last.x ? 0 : (x - last.x) / (next.x - last.x);
    return Math.round((last.y + share * (next.y - last.y)) * 1e3) / 1e3;
  });
}
