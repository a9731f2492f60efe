import type { Judgement } from '../checks/diagnosis/judgement.ts';
import type { History } from '../history/history.ts';
import type { Chart } from './chart.ts';
import type { LatencyBins } from './latency-bins.ts';
import { type Content, type Html, html } from './markup.ts';
import type { Buckets, drivenPhases } from './series.ts';

/** The input of a section of the page. */
export interface SectionInput {
  readonly history: History;
  readonly judgement: Judgement;
  readonly buckets: Buckets;
  readonly phases: Awaited<ReturnType<typeof drivenPhases>>;
}

/** What stands under the heading of a section. */
export interface SectionBody {
  readonly body: Html;
  /** Charts whose places are in `body`. */
  readonly charts?: readonly Chart[];
  readonly latencies?: readonly LatencyBins[];
}

/**
 * A part of the page with a heading. With nothing to show, it says so in a sentence; undefined leaves it out of runs
 * that do not concern it.
 */
export interface Section {
  readonly id: string;
  readonly title: string;
  make(input: SectionInput): Promise<SectionBody | undefined>;
}

/** The body of a section that has no data, and why. */
export function nothing(sentence: string): SectionBody {
  return { body: html`<p class="none">${sentence}</p>` };
}

/** The same for an optional section: a run that it does not concern leaves it out. */
export function nothingIf(isAboutIt: boolean, sentence: string): SectionBody | undefined {
  return isAboutIt ? nothing(sentence) : undefined;
}

/** A column of a table: its heading, and the cell of a row. */
export type TableColumn<Row> = readonly [
  label: string,
  cell: (row: Row, index: number) => Content,
  type?: 'number',
];

/** The time of what a row is about, in ns of the run; undefined for a row that stays whatever part of the run is shown. */
type TimeOf<Row> = (row: Row) => { readonly fromNs: number; readonly toNs: number } | undefined;

/**
 * A table that scrolls sideways in a box where the page is narrow. The first cell of a row is its header. Empty
 * columns are left out, and without rows a text replaces the table.
 */
export function table<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  timeOf: TimeOf<Row> = () => undefined,
): Html {
  if (rows.length === 0) return html`<p class="none">${caption}: none.</p>`;
  const shown = columns
    .map(([label, cell, type]) => ({ label, cells: rows.map(cell), numeric: type && html` class="num"` }))
    .filter(({ cells }, index) => index === 0 || !cells.every(isEmpty));
  const row = (at: number): Html[] =>
    shown.map(({ cells, numeric }, index) =>
      index === 0 ? html`<th scope="row"${numeric}>${cells[at]}</th>` : html`<td${numeric}>${cells[at]}</td>`,
    );
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${shown.map(({ label, numeric }) => html`<th scope="col"${numeric}>${label}</th>`)}</tr></thead>
<tbody>${rows.map((each, at) => html`<tr${timeAttributes(timeOf(each))}>${row(at)}</tr>`)}</tbody>
</table></div>`;
}

/** Attributes that leave a row, or a group of rows, out while another part of the run is shown. */
export function timeAttributes(time: ReturnType<TimeOf<never>>): Html | false {
  return (
    time !== undefined && html` data-from="${String(time.fromNs / 1e9)}" data-to="${String(time.toNs / 1e9)}"`
  );
}

/** The time of a request: when it was sent. */
export function atNs(ns: number | null | undefined): ReturnType<TimeOf<never>> {
  return ns == null ? undefined : { fromNs: ns, toNs: ns };
}

function isEmpty(content: Content): boolean {
  return html`${content}`.text.trim() === '';
}

/** Named facts, one below the other. */
export function facts(entries: readonly (readonly [string, Content])[]): Html {
  return html`<dl class="facts">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A long table or list behind a line with its summary. */
export function disclosure(summary: Content, body: Html): Html {
  return html`<details><summary>${summary}</summary>${body}</details>`;
}
