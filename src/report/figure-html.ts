import { counted, number, percent } from '../amounts.ts';
import type { Shown } from '../checks/core/verdict.ts';
import {
  type Chart,
  type ChartColour,
  type ChartSeries,
  isTexts,
  type ReportFigure,
  type TableColumn,
  type TableFigure,
  type TableRow,
  type Text,
  table,
} from './figure.ts';
import { foreign, type Html, html, prose, withWholeInstants } from './page/shell.ts';
import { compared, isList, isPlain, isRecord, plainText, type ShownDifference, shownText } from './shown.ts';
import { visible } from './text.ts';
import { verdictWords } from './words.ts';

/** Figures as markup of the page. */

export function textHtml(text: Text): Html {
  if (text === false || text === null || text === undefined) return html``;
  if (typeof text === 'string') return withWholeInstants(text);
  if (typeof text === 'number') return html`${text}`;
  if (isTexts(text)) return html`${text.map(textHtml)}`;
  switch (text.span) {
    case 'foreign':
      return foreign(text.text);
    case 'code':
      return html`<code>${foreign(text.text)}</code>`;
    case 'prose':
      return prose(text.text);
    case 'strong':
      return html`<strong>${textHtml(text.text)}</strong>`;
    case 'quiet':
      return html`<span class="none">${textHtml(text.text)}</span>`;
    case 'whole':
      return html`<span class="nowrap">${textHtml(text.text)}</span>`;
    case 'long':
    case 'name':
      return html`<div class="${text.span}">${textHtml(text.text)}</div>`;
    case 'title':
    case 'id':
      return html`<span class="${text.span}">${textHtml(text.text)}</span>`;
    case 'link':
      return html`<a href="${text.to}"${!text.to.startsWith('#') && html` rel="noreferrer"`}>${textHtml(text.text)}</a>`;
    case 'place':
      return html`<span id="${text.id}" class="record">${textHtml(text.text)}</span>`;
    case 'verdict':
      // The mark and the word say it without the colour.
      return html`<span class="badge ${text.verdict}"><span aria-hidden="true">${verdictWords[text.verdict].mark}</span> ${text.word ?? verdictWords[text.verdict].word}</span>`;
    case 'lines':
      return html`${text.parts.map((part, at) => html`${at > 0 && html`<br>`}${textHtml(part)}`)}`;
    case 'items':
      return html`<ul class="details">${text.parts.map((part) => html`<li>${textHtml(part)}</li>`)}</ul>`;
    case 'value':
      return valueHtml(text.value);
    case 'share':
      return shareHtml(text.share);
  }
}

function shareHtml(share: number): Html {
  const part = Math.min(1, share);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${percent(part)}"><rect width="100" height="8" class="fill-not-sent" opacity="0.25"/><rect width="${Math.round(1_000 * part) / 10}" height="8" class="fill-ok"/></svg> <span class="unit nowrap">${Math.floor(1_000 * part) / 10} %</span>`;
}

export function figuresHtml(figures: readonly (ReportFigure | undefined)[]): Html {
  return html`${figures.map((each) => each !== undefined && figureHtml(each))}`;
}

export function figureHtml(figure: ReportFigure): Html {
  switch (figure.kind) {
    case 'text':
      return html`<p${figure.look && html` class="${figure.look}"`}>${textHtml(figure.text)}</p>`;
    case 'heading':
      return html`<h3${figure.id && html` id="${figure.id}"`}>${figure.text}</h3>`;
    case 'list':
      return html`<ul${figure.look && html` class="${figure.look}"`}>${figure.items.map((item) => html`<li>${textHtml(item)}</li>`)}</ul>`;
    case 'facts':
      return html`<dl class="facts">${figure.entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${textHtml(value)}</dd></div>`)}</dl>`;
    case 'table':
      return tableHtml(figure);
    case 'chart':
      return chartHtml(figure.chart);
    case 'details':
      return detailsHtml(figure);
    case 'shell':
      return html`<pre><code>${figure.lines.map(visible).join('\n')}</code></pre>`;
    case 'comparison':
      return comparisonHtml(figure.expected, figure.observed);
  }
}

function detailsHtml({ body, id, isOpen, look, summary }: Extract<ReportFigure, { kind: 'details' }>): Html {
  const kind = typeof look === 'object' ? `check ${look.check}` : look;
  const title = look === 'group' ? html`<h3>${textHtml(summary)}</h3>` : textHtml(summary);
  const content = figuresHtml(body);
  return html`<details${id && html` id="${id}"`}${kind && html` class="${kind}"`}${isOpen && html` open`}><summary>${title}</summary>
${typeof look === 'object' ? html`<div class="body">${content}</div>` : content}</details>`;
}

/** A table that scrolls sideways in a box where the page is narrow. */
function tableHtml({ caption, heads, rows }: TableFigure): Html {
  const numeric = (place: number): Html | undefined =>
    heads[place]?.isNumber ? html` class="num"` : undefined;
  return html`<div class="scroll" role="group" aria-label="${visible(caption)}" tabindex="0"><table>
<caption>${foreign(caption)}</caption>
<thead><tr>${heads.map(({ label }, place) => html`<th scope="col"${numeric(place)}>${label}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr${rowAttributes(row)}>${row.cells.map((cell, place) => (place === 0 ? html`<th scope="row"${numeric(0)}>${textHtml(cell)}</th>` : html`<td${numeric(place)}>${textHtml(cell)}</td>`))}</tr>`,
  )}</tbody>
</table></div>`;
}

function rowAttributes({ look, time }: TableRow): Html {
  const [from, to] = [time?.fromNs, time?.toNs].map((ns) => String((ns ?? 0) / 1e9));
  return html`${look && html` class="${look}"`}${time && html` data-from="${from}" data-to="${to}"`}`;
}

/** The place of a chart on the page. The script draws it there from the page's data. */
function chartHtml({ id, limits = [], series, summary, title, unit }: Chart): Html {
  return html`<figure class="chart">
<figcaption><strong>${title}</strong> <span class="unit">${unit}</span></figcaption>
<ul class="legend" id="legend-${id}">${series.map(legendEntry)}${limits.map(({ label }) => html`<li>${swatch('limit', 'dashed')} <span>${label}</span></li>`)}</ul>
<div class="plot" id="plot-${id}" role="img" aria-label="${summary}"><p class="none">${summary} The chart itself needs JavaScript, which did not run here.</p></div>
</figure>`;
}

function legendEntry({ colour, dashed, draw, label, summary = '' }: ChartSeries, index: number): Html {
  const shape = draw === 'stack' ? 'area' : draw === 'marks' ? 'mark' : dashed ? 'dashed' : 'line';
  return html`<li>${swatch(colour, shape)} <span>${label}</span> <output data-series="${index}" data-summary="${summary}">${summary}</output></li>`;
}

/** The sign of a series, in legends and in the text about them. */
function swatch(colour: ChartColour, shape: 'area' | 'line' | 'dashed' | 'mark'): Html {
  const inner = {
    area: html`<rect x="1" y="1" width="14" height="10" rx="2" class="fill-${colour}"/>`,
    line: html`<path d="M0 6H16" class="stroke-${colour}"/>`,
    dashed: html`<path d="M0 6H16" stroke-dasharray="4 2" class="stroke-${colour}"/>`,
    mark: html`<circle cx="8" cy="6" r="3.5" class="fill-${colour}"/>`,
  }[shape];
  return html`<svg class="key" viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">${inner}</svg>`;
}

/** Parts of a value that the page shows, and of a comparison; verdicts.json holds the rest. */
const mostParts = 40;
const mostCompared = 10;

function comparisonHtml(expected: Shown, observed: Shown): Html {
  const { agree, differ } = compared(expected, observed);
  const parts = [...differ, ...agree];
  if (parts.length < 2)
    return html`<dl class="sides">${side('Expected', expected)}${side('Observed', observed)}</dl>`;
  // What was observed and nothing was expected of.
  const rest = isRecord(observed)
    ? Object.entries(observed).filter(([name]) => !isRecord(expected) || !(name in expected))
    : [];
  return html`${differ.length > 0 && differenceTable('What differs', differ)}${
    agree.length > 0 &&
    html`<details><summary>${counted(agree.length, 'value')} as expected</summary>${differenceTable('As expected', agree)}</details>`
  }${rest.length > 0 && html`<dl class="sides">${side('Also observed', Object.fromEntries(rest))}</dl>`}`;
}

function differenceTable(caption: string, parts: readonly ShownDifference[]): Html {
  const columns: readonly TableColumn<ShownDifference>[] = [
    ['Of', ({ at }) => ({ span: 'foreign', text: at })],
    ['Expected', (each) => ({ span: 'value', value: each.expected })],
    ['Observed', (each) => ({ span: 'value', value: each.observed })],
  ];
  return html`${figureHtml(table(caption, parts.slice(0, mostCompared), columns))}${omitted(parts.length, mostCompared)}`;
}

/** What may be wider than its box scrolls in it, also with the keyboard. */
function side(name: string, value: Shown): Html {
  const parts = isPlain(value) ? 0 : Object.keys(value).length;
  const shown =
    parts > mostCompared
      ? html`<details><summary>${counted(parts, 'value')}</summary>${valueHtml(value)}</details>`
      : valueHtml(value);
  return html`<div><dt>${name}</dt><dd${!isPlain(value) && html` tabindex="0"`}>${shown}</dd></div>`;
}

/** A value as the page shows it: intervals as `a – b`, records as tables, lists one below the other. */
function valueHtml(value: Shown): Html {
  if (isPlain(value)) return html`<span class="value">${foreign(plainText(value))}</span>`;
  if (!isRecord(value) || Object.values(value).every(isPlain)) {
    if (!isList(value) || value.every(isPlain))
      return html`<span class="value">${foreign(shownText(value, mostParts))}</span>`;
    return html`<ul class="values">${value.slice(0, mostParts).map((entry) => html`<li>${valueHtml(entry)}</li>`)}</ul>${omitted(value.length)}`;
  }
  const entries = Object.entries(value);
  return html`<table class="plain"><tbody>${entries
    .slice(0, mostParts)
    .map(
      ([name, part]) => html`<tr><th scope="row">${foreign(name)}</th><td>${valueHtml(part)}</td></tr>`,
    )}</tbody></table>${omitted(entries.length)}`;
}

function omitted(length: number, most = mostParts): Html | false {
  return length > most && html`<p class="none">and ${number(length - most)} more, in verdicts.json.</p>`;
}
