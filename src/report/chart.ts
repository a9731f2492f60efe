import { number } from '../amounts.ts';
import { type Html, html } from './markup.ts';

/** Colours a series may take: names of custom properties of the page's style, so that charts follow dark mode. */
export type ChartColour =
  | 'ok'
  | 'limited'
  | 'over-quota'
  | 'client-error'
  | 'server-error'
  | 'lost'
  | 'not-sent'
  | 'other'
  | 'limit'
  | 'line-a'
  | 'line-b';

export interface ChartSeries {
  readonly label: string;
  readonly colour: ChartColour;
  /** One value for each x; null where there was nothing to measure. */
  readonly values: readonly (number | null)[];
  /** `stack`: steps piled on each other. `marks`: points without a line. */
  readonly draw: 'stack' | 'line' | 'steps' | 'marks';
  readonly dashed?: boolean;
  /** Shown in the legend while the pointer is elsewhere: the total of the series, for one. */
  readonly summary?: string;
}

/** A span of time that the chart marks with its name. */
export interface Band {
  readonly name: string;
  readonly fromS: number;
  readonly toS: number;
}

/** A limit or a promise, drawn as a level, kept or broken; all the way across unless it says otherwise. */
export interface ChartLimit {
  readonly value: number;
  readonly label: string;
  readonly from?: number;
  readonly to?: number;
}

/** A chart over the time of the run, unless it says otherwise. Serialises as it stands into the page's data. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** What the vertical axis counts: `requests per second`. */
  readonly unit: string;
  /** The chart in a sentence, for who cannot see it. */
  readonly summary: string;
  readonly scale: 'linear' | 'log';
  /** Seconds since the run's zero, or what `along` says. */
  readonly x: readonly number[];
  /** What else the horizontal axis counts. */
  readonly along?: 'attempts' | 'requests per second' | 'connections' | 'percentile';
  /** Along percentiles: the place of its counts in the page's data, from which the page computes x and values. */
  readonly latencies?: number;
  readonly series: readonly ChartSeries[];
  readonly limits?: readonly ChartLimit[];
  readonly bands: readonly Band[];
  /** One of many side by side: low, and its legend is said once for all. */
  readonly isSmall?: boolean;
}

/** The place of a chart on the page. The script draws it there from the page's data. */
export function chartFigure(chart: Chart): Html {
  return html`<figure class="chart${chart.isSmall && ' small'}">
<figcaption><strong>${chart.title}</strong> <span class="unit">${chart.unit}</span></figcaption>
<ul class="legend" id="legend-${chart.id}">${chart.series.map((series, index) => legendEntry(series, index))}${chart.limits?.map(
    ({ label }) => html`<li>${swatch('limit', 'dashed')} <span>${label}</span></li>`,
  )}</ul>
<div class="plot" id="plot-${chart.id}" role="img" aria-label="${chart.summary}"><p class="none">${chart.summary} The chart itself needs JavaScript, which did not run here.</p></div>
</figure>`;
}

function legendEntry(series: ChartSeries, index: number): Html {
  const shape =
    series.draw === 'stack' ? 'area' : series.draw === 'marks' ? 'mark' : series.dashed ? 'dashed' : 'line';
  return html`<li>${swatch(series.colour, shape)} <span>${series.label}</span> <output data-series="${index}" data-summary="${series.summary ?? ''}">${series.summary ?? ''}</output></li>`;
}

/** The sign of a series, in legends and in the text about them. */
export function swatch(colour: ChartColour, shape: 'area' | 'line' | 'dashed' | 'mark'): Html {
  const inner = {
    area: html`<rect x="1" y="1" width="14" height="10" rx="2" class="fill-${colour}"/>`,
    line: html`<path d="M0 6H16" class="stroke-${colour}"/>`,
    dashed: html`<path d="M0 6H16" stroke-dasharray="4 2" class="stroke-${colour}"/>`,
    mark: html`<circle cx="8" cy="6" r="3.5" class="fill-${colour}"/>`,
  }[shape];
  return html`<svg class="key" viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">${inner}</svg>`;
}

/** The sum of a series' values, for its legend. */
export function total(values: readonly (number | null)[]): string {
  return number(values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
}
