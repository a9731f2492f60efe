import pc from 'picocolors';
import type { Verdict } from '../../checks/core/verdict.ts';
import { chartsIn, plain, type ReportFigure, type Text } from '../figure.ts';
import { figuresHtml } from '../figure-html.ts';
import { figureLines } from '../figure-terminal.ts';
import { table as markdownTable, prose } from '../markdown.ts';
import { foreign, html } from '../markup.ts';
import { page } from '../page/shell.ts';
import { visible, wrap } from '../text.ts';
import { verdictWords } from '../words.ts';

/** A text for people before it has a form: for the terminal, as Markdown and as HTML. */
export interface Document {
  readonly title: string;
  /** Sets the mark and the colour. */
  readonly verdict: Verdict;
  readonly result: string;
  readonly parts: readonly ReportFigure[];
}

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
    ...figureLines(parts, width),
  ].join('\n');
}

/** For a pull request. */
export function toMarkdown({ parts, result, title, verdict }: Document): string {
  return `${[`## ${verdictWords[verdict].mark} ${prose(result)}`, prose(title), ...parts.flatMap(partMarkdown)].join('\n\n')}\n`;
}

function partMarkdown(part: ReportFigure): string | [] {
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
  // Each document has charts of the same names.
  const numbered = documents.map((document, at) => ({
    ...document,
    parts: document.parts.map((part) =>
      part.kind === 'chart' ? { ...part, chart: { ...part.chart, id: `${part.chart.id}-${at + 1}` } } : part,
    ),
  }));
  return page(
    `${documents.map(({ result }) => visible(result)).join('; ')}, tryon`,
    { charts: chartsIn(numbered.flatMap(({ parts }) => parts)) },
    html`<main>${numbered.map(
      ({ parts, result, title, verdict }) =>
        html`<section><h1>${foreign(title)}</h1>
<div class="verdict ${verdict}"><span class="mark" aria-hidden="true">${verdictWords[verdict].mark}</span><div><strong>${foreign(result)}</strong></div></div>
${figuresHtml(parts)}</section>`,
    )}</main>`,
  );
}
