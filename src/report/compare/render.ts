import pc from 'picocolors';
import { foreign as foreignText, long, type ReportFigure, table } from '../figure.ts';
import { figureHtml } from '../figure-html.ts';
import { table as markdownTable, prose } from '../markdown.ts';
import { foreign, type Html, html } from '../markup.ts';
import { page } from '../page/shell.ts';
import { visible, wrap } from '../text.ts';
import { verdictWords } from '../words.ts';
import type { Document, DocumentPart } from './document.ts';
import { pictureHtml } from './picture.ts';

/** For a terminal with a number of columns. */
export function toTerminal({ parts, result, title, verdict }: Document, columns: number): string {
  const colours = pc.createColors(pc.isColorSupported);
  const paint = { pass: colours.green, fail: colours.red, inconclusive: colours.yellow }[verdict];
  const width = Math.max(60, columns);
  return [
    ...wrap(visible(title), width),
    '',
    ...wrap(`${verdictWords[verdict].mark} ${visible(result)}`, width).map((line) =>
      paint(colours.bold(line)),
    ),
    ...parts.flatMap((part) => partLines(part, width)),
  ].join('\n');
}

function partLines(part: DocumentPart, width: number): string[] {
  switch (part.kind) {
    case 'heading':
      return ['', visible(part.text)];
    case 'text':
      return wrap(visible(part.text), width - 2).map((line) => `  ${line}`);
    case 'list':
      return part.items.flatMap((item) => itemLines(item, width));
    case 'picture':
      return [];
    case 'table':
      return part.isLong === true ? [] : tableLines(part, width);
  }
}

function itemLines(item: string, width: number): string[] {
  return wrap(visible(item), width - 4).map((line, place) => `  ${place === 0 ? '-' : ' '} ${line}`);
}

/** A wide cell takes several lines, so that a row fits. */
function tableLines({ head, rows }: Extract<DocumentPart, { kind: 'table' }>, width: number): string[] {
  const cells = [head, ...rows].map((row) => row.map(visible));
  const widths = columnWidths(
    head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))),
    width - 2 * head.length,
  );
  return cells.flatMap((row) => {
    const wrapped = widths.map((each, column) => wrap(row[column] ?? '', each));
    const lines = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: lines }, (_, line) =>
      wrapped
        .map((cell, column) => `  ${(cell[line] ?? '').padEnd(widths[column] ?? 0)}`)
        .join('')
        .trimEnd(),
    );
  });
}

/** The widest columns give way until all have room. */
function columnWidths(wanted: readonly number[], room: number): number[] {
  for (let most = Math.max(...wanted); ; most--) {
    const widths = wanted.map((each) => Math.min(each, most));
    if (most <= 1 || widths.reduce((sum, each) => sum + each, 0) <= room) return widths;
  }
}

/** For a pull request. */
export function toMarkdown({ parts, result, title, verdict }: Document): string {
  return `${[`## ${verdictWords[verdict].mark} ${prose(result)}`, prose(title), ...parts.flatMap(partMarkdown)].join('\n\n')}\n`;
}

function partMarkdown(part: DocumentPart): string | [] {
  switch (part.kind) {
    case 'heading':
      return `### ${prose(part.text)}`;
    case 'text':
      return prose(part.text);
    case 'list':
      return part.items.map((item) => `- ${prose(item)}`).join('\n');
    case 'picture':
      return [];
    case 'table':
      return `${prose(part.caption)}:\n\n${markdownTable(
        part.head,
        part.rows.map((row) => row.map(prose)),
      )}`;
  }
}

/** One page that needs nothing else. */
export function toHtml(documents: readonly Document[]): Promise<string> {
  return page(
    `${documents.map(({ result }) => visible(result)).join('; ')}, tryon`,
    { charts: [] },
    html`<main>${documents.map(
      ({ parts, result, title, verdict }) =>
        html`<section><h1>${foreign(title)}</h1>
<div class="verdict ${verdict}"><span class="mark" aria-hidden="true">${verdictWords[verdict].mark}</span><div><strong>${foreign(result)}</strong></div></div>
${parts.map(partHtml)}</section>`,
    )}</main>`,
  );
}

function partHtml(part: DocumentPart): Html {
  switch (part.kind) {
    case 'heading':
      return html`<h2>${foreign(part.text)}</h2>`;
    case 'text':
      return html`<p>${foreign(part.text)}</p>`;
    case 'list':
      return html`<ul>${part.items.map((item) => html`<li>${foreign(item)}</li>`)}</ul>`;
    case 'picture':
      return pictureHtml(part.picture);
    case 'table':
      return figureHtml(tableFigure(part));
  }
}

/** A cell that is longer than this takes a wide column. */
const longCell = 24;

function tableFigure({ caption, head, rows }: Extract<DocumentPart, { kind: 'table' }>): ReportFigure {
  return table(
    caption,
    rows,
    head.map((label, column) => [
      label,
      (row) => {
        const text = row[column] ?? '';
        // A number keeps its unit on its line.
        const whole = foreignText(text.replaceAll(' %', '\u00a0%'));
        return text.length > longCell ? long(whole) : whole;
      },
    ]),
  );
}
