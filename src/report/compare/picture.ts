import type { ChartColour } from '../figure.ts';
import { swatch } from '../figure-html.ts';
import { type Html, html } from '../markup.ts';

/** Values in equal steps from left to right. */
export interface Picture {
  readonly title: string;
  /** The picture in a sentence, for who cannot see it. */
  readonly summary: string;
  /** A narrow page leaves out the label of a minor step. */
  readonly steps: readonly { readonly label: string; readonly isMinor: boolean }[];
  readonly lines: readonly PictureLine[];
  readonly band?: { readonly label: string; readonly ends: readonly Ends[] };
  /** Drawn all the way across. */
  readonly levels?: { readonly label: string; readonly values: readonly number[] };
  /** A line ends before each of these steps, and another begins. */
  readonly cuts?: readonly { readonly before: number; readonly label: string }[];
  /** Of the vertical axis. What is beyond is drawn at its end. */
  readonly range: Ends;
  readonly ticks: readonly number[];
  readonly valueText: (value: number) => string;
}

interface PictureLine {
  readonly label: string;
  readonly colour: ChartColour;
  readonly draw: 'line' | 'dashed' | 'mark';
  /** One for each step; undefined where there is none. */
  readonly values: readonly (number | undefined)[];
}

export interface Ends {
  readonly least: number;
  readonly most: number;
}

/** An SVG, which needs no script. Its lines fit any width; its text keeps its size. */
export function pictureHtml(picture: Picture): Html {
  const { band, levels, lines, summary, title } = picture;
  const entry = (colour: ChartColour, shape: Parameters<typeof swatch>[1], label: string): Html =>
    html`<li>${swatch(colour, shape)} <span>${label}</span></li>`;
  return html`<figure class="chart">
<figcaption><strong>${title}</strong></figcaption>
<ul class="legend">${lines.map(({ colour, draw, label }) => entry(colour, draw, label))}${band !== undefined && entry('not-sent', 'area', band.label)}${levels !== undefined && entry('limit', 'dashed', levels.label)}</ul>
<svg class="picture" role="img" aria-label="${summary}" width="100%" height="240">
${drawing(picture)}
</svg>
</figure>`;
}

type PicturePoint = readonly [x: number, y: number];

function drawing({ band, cuts = [], levels, lines, range, steps, ticks, valueText }: Picture): Html {
  const edge = (step: number): number => rounded(step / steps.length);
  const x = (step: number): number => edge(step + 0.5);
  const y = (value: number): number =>
    rounded(Math.min(1, Math.max(0, (range.most - value) / (range.most - range.least || 1))));
  const starts = [0, ...cuts.map(({ before }) => before), steps.length];
  const pieces = (values: PictureLine['values']): PicturePoint[][] =>
    starts
      .slice(1)
      .map((end, part) =>
        values
          .slice(0, end)
          .flatMap((value, step): PicturePoint[] =>
            value === undefined || step < (starts[part] ?? 0) ? [] : [[x(step), y(value)]],
          ),
      );
  const outline = band?.ends.map(({ most }, step): PicturePoint => [x(step), y(most)]) ?? [];
  const back = band?.ends.map(({ least }, step): PicturePoint => [x(step), y(least)]).toReversed() ?? [];
  return html`${ticks.map(
    (value) =>
      html`<line class="grid" x2="100%" y1="${y(value)}%" y2="${y(value)}%"/><text class="left" dx="-6" dy="0.32em" y="${y(value)}%">${valueText(value)}</text>`,
  )}
<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">${
    band !== undefined && html`<polygon class="fill-not-sent" points="${pointsText([...outline, ...back])}"/>`
  }${levels?.values.map((value) =>
    path('limit', 'dashed', [
      [0, y(value)],
      [100, y(value)],
    ]),
  )}${lines
    .filter(({ draw }) => draw !== 'mark')
    .map(({ colour, draw, values }) => pieces(values).map((each) => path(colour, draw, each)))}</svg>
${cuts.map(({ before, label }) => html`<line class="cut" x1="${edge(before)}%" x2="${edge(before)}%" y2="100%"/><text x="${edge(before)}%" dx="4" dy="0.8em">${label}</text>`)}
${lines
  .filter(({ draw }) => draw === 'mark')
  .map(({ colour, label, values }) =>
    values.map(
      (value, step) =>
        value !== undefined &&
        html`<circle class="fill-${colour}" cx="${x(step)}%" cy="${y(value)}%" r="3.5"><title>${`${label}, ${steps[step]?.label ?? ''}: ${valueText(value)}`}</title></circle>`,
    ),
  )}
${steps.map(({ isMinor, label }, step) => html`<text class="below${isMinor && ' minor'}" x="${x(step)}%" y="100%" dy="1.5em">${label}</text>`)}`;
}

function path(colour: ChartColour, draw: PictureLine['draw'], points: readonly PicturePoint[]): Html {
  return html`<polyline class="stroke-${colour}"${draw === 'dashed' && html` stroke-dasharray="6 4"`} points="${pointsText(points)}"/>`;
}

function pointsText(points: readonly PicturePoint[]): string {
  return points.map((point) => point.join(',')).join(' ');
}

/** A share as a percentage, to the thousandth. */
function rounded(share: number): number {
  return Math.round(share * 1e5) / 1e3;
}
