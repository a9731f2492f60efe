import { z } from 'zod';
import { milliseconds, number, percent } from '../amounts.ts';
import type { Shown, Verdict } from '../checks/core/verdict.ts';
import type { History } from '../history/history.ts';
import { instant, visible } from './text.ts';

/**
 * A report is a tree of figures. Sections return them; a printer gives them a form. No section knows a printer.
 */
export type ReportFigure =
  | { readonly kind: 'text'; readonly text: Text; readonly look?: 'none' | 'lead' }
  | { readonly kind: 'heading'; readonly text: string; readonly id?: string }
  | { readonly kind: 'list'; readonly items: readonly Text[]; readonly look?: 'equations' | 'evidence' }
  | { readonly kind: 'facts'; readonly entries: readonly (readonly [name: string, value: Text])[] }
  | TableFigure
  | { readonly kind: 'chart'; readonly chart: Chart }
  /** `look`: `story` is a shopper's; `check` is one of a `group`. */
  | {
      readonly kind: 'details';
      readonly summary: Text;
      readonly body: readonly ReportFigure[];
      readonly isOpen?: boolean;
      readonly id?: string;
      readonly look?: 'story' | 'group' | 'passed' | { readonly check: Verdict };
    }
  | { readonly kind: 'shell'; readonly lines: readonly string[] }
  /** What differs between both, and what agrees behind it. */
  | { readonly kind: 'comparison'; readonly expected: Shown; readonly observed: Shown };

/** Words before they have a form. Plain strings are the program's own; `false` and `undefined` are nothing. */
export type Text = string | number | false | null | undefined | TextPart | readonly Text[];

/** A part of a text that a printer may set apart. */
type TextPart =
  /** What a target or a scenario chose: a name, an id or value, a sentence with ids in backticks. */
  | { readonly span: 'foreign' | 'code' | 'prose'; readonly text: string }
  /** `whole` is not broken into lines; `long` and `name` need a wide column; `title` and `id` are of a check. */
  | { readonly span: 'strong' | 'quiet' | 'whole' | 'long' | 'name' | 'title' | 'id'; readonly text: Text }
  /** `to`: a place on the page, or an address. */
  | { readonly span: 'link'; readonly to: string; readonly text: Text }
  | { readonly span: 'place'; readonly id: string; readonly text: Text }
  | { readonly span: 'verdict'; readonly verdict: Verdict; readonly word?: string }
  | { readonly span: 'lines' | 'items'; readonly parts: readonly Text[] }
  | { readonly span: 'value'; readonly value: Shown }
  | { readonly span: 'share'; readonly share: number };

/** `t\`Sent ${count} times\``. */
export function t(strings: TemplateStringsArray, ...values: readonly Text[]): Text {
  return strings.flatMap((each, at) => [each, values[at]]);
}

export const foreign = (text: string): Text => ({ span: 'foreign', text });
export const code = (text: string): Text => ({ span: 'code', text });
export const prose = (text: string): Text => ({ span: 'prose', text });
export const strong = (text: Text): Text => ({ span: 'strong', text });
export const quiet = (text: Text): Text => ({ span: 'quiet', text });
export const whole = (text: Text): Text => ({ span: 'whole', text });
export const long = (text: Text): Text => ({ span: 'long', text });
export const link = (to: string, text: Text): Text => ({ span: 'link', to, text });
export const badge = (verdict: Verdict): Text => ({ span: 'verdict', verdict });
export const lines = (...parts: readonly Text[]): Text => ({ span: 'lines', parts });

/** Texts with something between each two. */
export function joined(texts: readonly Text[], between = ', '): Text {
  return texts.flatMap((each, at) => (at === 0 ? [each] : [between, each]));
}

export const paragraph = (text: Text): ReportFigure => ({ kind: 'text', text });
/** A sentence where there is nothing to show. */
export const nothing = (text: Text): ReportFigure => ({ kind: 'text', look: 'none', text });
export const heading = (text: string, id?: string): ReportFigure => ({
  kind: 'heading',
  text,
  ...(id === undefined ? {} : { id }),
});
export const chartOf = (chart: Chart): ReportFigure => ({ kind: 'chart', chart });
export const details = (summary: Text, ...body: readonly ReportFigure[]): ReportFigure => ({
  kind: 'details',
  summary,
  body,
});

/** The charts in figures, also those that are folded in others. */
export function chartsIn(figures: readonly ReportFigure[]): readonly Chart[] {
  return figures.flatMap((each) => {
    switch (each.kind) {
      case 'chart':
        return [each.chart];
      case 'details':
        return chartsIn(each.body);
      default:
        return [];
    }
  });
}

/** A part of the run, in ns since its zero. */
export interface Time {
  readonly fromNs: number;
  readonly toNs: number;
}

/** The time of a request: when it was sent. */
export function atNs(ns: number | null | undefined): Time | undefined {
  return ns == null ? undefined : { fromNs: ns, toNs: ns };
}

export interface TableRow {
  readonly cells: readonly Text[];
  /** A row with a time is left out while another part of the run is shown. */
  readonly time?: Time | undefined;
  readonly look?: 'differs' | 'unsure' | undefined;
}

/** The first cell of a row is its header; an undefined one belongs to the row above. */
export interface TableFigure {
  readonly kind: 'table';
  readonly caption: string;
  readonly heads: readonly { readonly label: string; readonly isNumber: boolean }[];
  readonly rows: readonly TableRow[];
  /** Not for a terminal. */
  readonly isLong?: boolean;
}

/** A column of a table: its heading, and the cell of a row. */
export type TableColumn<Row> = readonly [
  label: string,
  cell: (row: Row, index: number) => Text,
  type?: 'number' | undefined,
];

/** A table of what each column says of each row. Empty columns are left out, and without rows a sentence replaces it. */
export function table<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  more: (row: Row) => Omit<TableRow, 'cells'> = () => ({}),
): ReportFigure {
  if (rows.length === 0) return nothing(`${caption}: none.`);
  const shown = columns
    .map(([label, cell, type]) => ({ label, isNumber: type === 'number', cells: rows.map(cell) }))
    .filter(({ cells }, place) => place === 0 || cells.some((each) => plain(each).trim() !== ''));
  return {
    kind: 'table',
    caption,
    heads: shown.map(({ isNumber, label }) => ({ label, isNumber })),
    rows: rows.map((row, at) => ({ ...more(row), cells: shown.map(({ cells }) => cells[at]) })),
  };
}

type Value = string | number | null;

const formats = {
  text: (value: Value): Text => value,
  foreign: (value: Value): Text => value !== null && foreign(String(value)),
  code: (value: Value): Text => value !== null && code(String(value)),
  seq: (value: Value): Text => value !== null && String(value),
  count: (value: Value): Text => value !== null && number(Number(value)),
  ms: (value: Value): Text => value !== null && milliseconds(Number(value)),
  share: (value: Value): Text => value !== null && percent(Number(value)),
  instant: (value: Value): Text => value !== null && instant(Number(value)),
};

/** A column of a queried table: its heading, its SQL, and how its values read. */
export type QueriedColumn = readonly [
  label: string,
  sql: string,
  format: keyof typeof formats | ((value: Value) => Text),
];

/** SQL: when the first and the last request of a row were sent. */
type QueriedTime = readonly [fromNs: string, toNs: string];

/** A table of a query: each column is told once. Undefined without rows. `from`: all that follows the columns. */
export async function queried(
  history: History,
  caption: string,
  columns: readonly QueriedColumn[],
  { from, time, after = '' }: { from: string; time?: QueriedTime; after?: string },
): Promise<ReportFigure | undefined> {
  const all = [...columns.map(([, sql]) => sql), ...(time ?? [])];
  const rows = await history.rows(
    z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
    `SELECT ${all.map((sql, at) => `${sql} AS c${at}`).join(', ')} FROM ${from} ${after}`,
  );
  if (rows.length === 0) return undefined;
  return table(
    caption,
    rows,
    columns.map(([label, , format], at): TableColumn<(typeof rows)[number]> => {
      const isNumber = typeof format === 'string' && !['text', 'foreign', 'code'].includes(format);
      const cell = typeof format === 'string' ? formats[format] : format;
      return [label, (row) => cell(row[`c${at}`] ?? null), isNumber ? 'number' : undefined];
    }),
    (row) => ({
      time: time && {
        fromNs: Number(row[`c${columns.length}`]),
        toNs: Number(row[`c${columns.length + 1}`]),
      },
    }),
  );
}

/** A text without its form. */
export function plain(text: Text): string {
  if (text === false || text === null || text === undefined) return '';
  if (typeof text === 'string' || typeof text === 'number') return String(text);
  if (isTexts(text)) return text.map(plain).join('');
  switch (text.span) {
    case 'foreign':
    case 'code':
    case 'prose':
      return visible(text.text);
    case 'lines':
    case 'items':
      return text.parts.map(plain).join(' ');
    case 'verdict':
      return text.word ?? text.verdict;
    case 'share':
      return percent(text.share);
    case 'value':
      return JSON.stringify(text.value);
    default:
      return plain(text.text);
  }
}

export function isTexts(text: Text): text is readonly Text[] {
  return Array.isArray(text);
}

/** Colours a series may take: names of custom properties of the page's style, so that charts follow dark mode. */
export const chartColours = [
  'ok',
  'limited',
  'over-quota',
  'client-error',
  'server-error',
  'lost',
  'not-sent',
  'other',
  'limit',
  'line-a',
  'line-b',
] as const;
export type ChartColour = (typeof chartColours)[number];

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

/** A span of time, in seconds, or of another axis, that the chart marks with its name. */
export interface Band {
  readonly name: string;
  readonly fromS: number;
  readonly toS: number;
}

/** A chart over the time of the run, unless it says otherwise. Serialises as it stands into the page's data. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** What the vertical axis counts: `requests per second`. */
  readonly unit: string;
  /** The chart in a sentence, for who cannot see it. */
  readonly summary: string;
  /** Linear unless it says otherwise. */
  readonly scale?: 'log';
  /** Seconds since the run's zero, or what `along` says. */
  readonly x: readonly number[];
  /** What else the horizontal axis counts. */
  readonly along?: 'requests per second' | 'connections';
  /** Of an axis of steps, which `x` counts: the name of each. */
  readonly labels?: readonly string[];
  readonly series: readonly ChartSeries[];
  /** A limit or a promise, drawn as a level, kept or broken; all the way across unless it says otherwise. */
  readonly limits?: readonly {
    readonly value: number;
    readonly label: string;
    readonly from?: number;
    readonly to?: number;
  }[];
  readonly bands?: readonly Band[];
}
