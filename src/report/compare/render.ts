import pc from 'picocolors';
import type { Verdict } from '../../checks/core/verdict.ts';
import { plain, type ReportFigure, type TableFigure, type Text } from '../figure.ts';
import { figureHtml } from '../figure-html.ts';
import { table as markdownTable, prose } from '../markdown.ts';
import { foreign, html } from '../markup.ts';
import { page } from '../page/shell.ts';
import { visible, wrap } from '../text.ts';
import { verdictWords } from '../words.ts';
import { type Picture, pictureHtml } from './picture.ts';

/** A text for people before it has a form: for the terminal, as Markdown and as HTML. */
export interface Document {
  readonly title: string;
  /** Sets the mark and the colour. */
  readonly verdict: Verdict;
  readonly result: string;
  readonly parts: readonly DocumentPart[];
}

/** A picture is for a page alone. */
type DocumentPart = ReportFigure | { readonly kind: 'picture'; readonly picture: Picture };

/** For a terminal with a number of columns. Colours default to what picocolors finds: a terminal, and no NO_COLOR. */
export function toTerminal(document: Document, columns: number, colour = pc.isColorSupported): string {
  const { parts, result, title, verdict } = document;
  const { bold, green, red, yellow } = pc.createColors(colour);
  const paint = { pass: green, fail: red, inconclusive: yellow }[verdict];
  const width = Math.max(60, columns);
  return [
    ...wrap(visible(title), width),
    '',
    ...wrap(`${verdictWords[verdict].mark} ${visible(result)}`, width).map((line) => paint(bold(line))),
    ...parts.flatMap((part) => partLines(part, width)),
  ].join('\n');
}

function partLines(part: DocumentPart, width: number): string[] {
  switch (part.kind) {
    case 'heading':
      return ['', visible(part.text)];
    case 'text':
      return wrap(plain(part.text), width - 2).map((line) => `  ${line}`);
    case 'list':
      return part.items.flatMap((item) =>
        wrap(plain(item), width - 4).map((line, place) => `  ${place === 0 ? '-' : ' '} ${line}`),
      );
    case 'table':
      return part.isLong === true ? [] : tableLines(part, width);
    default:
      return [];
  }
}

/** A wide cell takes several lines, so that a row fits. */
function tableLines({ heads, rows }: TableFigure, width: number): string[] {
  const cells = [heads.map(({ label }) => label), ...rows.map((row) => row.cells.map(plain))];
  const widths = columnWidths(
    heads.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))),
    width - 2 * heads.length,
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
  const text = (each: Text): string => prose(plain(each));
  switch (part.kind) {
    case 'heading':
      return `### ${text(part.text)}`;
    case 'text':
      return text(part.text);
    case 'list':
      return part.items.map((item) => `- ${text(item)}`).join('\n');
    case 'table':
      return `${text(part.caption)}:\n\n${markdownTable(
        part.heads.map(({ label }) => label),
        part.rows.map(({ cells }) => cells.map(text)),
      )}`;
    default:
      return [];
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
${parts.map((part) => (part.kind === 'picture' ? pictureHtml(part.picture) : figureHtml(part)))}</section>`,
    )}</main>`,
  );
}
