import { plain, type ReportFigure } from './figure.ts';
import { visible, wrap } from './text.ts';

/** Figures as lines of a terminal. Charts, and tables that are too long, are for a page. */
export function figureLines(figures: readonly ReportFigure[], width: number): string[] {
  return figures.flatMap((figure) => linesOf(figure, width));
}

function linesOf(figure: ReportFigure, width: number): string[] {
  switch (figure.kind) {
    case 'heading':
      return figure.text === '' ? [''] : ['', visible(figure.text)];
    case 'text':
      return wrap(plain(figure.text), width - 2).map((line) => `  ${line}`);
    case 'list':
      return figure.items.flatMap((item) =>
        wrap(plain(item), width - 4).map((line, place) => `  ${place === 0 ? '-' : ' '} ${line}`),
      );
    case 'facts':
      return rowLines(
        figure.entries.map(([name, value]) => [name, plain(value)]),
        width,
      );
    case 'table':
      if (figure.isLong === true) return [];
      return rowLines(
        [figure.heads.map(({ label }) => label), ...figure.rows.map((row) => row.cells.map(plain))],
        width,
        (column) => figure.heads[column]?.isNumber === true,
      );
    default:
      return [];
  }
}

/** Numbers stand on the right. A wide cell takes several lines, so that a row fits. */
function rowLines(
  rows: readonly (readonly string[])[],
  width: number,
  isNumber: (column: number) => boolean = () => false,
): string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = columnWidths(
    Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))),
    width - 2 * columns,
  );
  return rows.flatMap((row) => {
    const wrapped = widths.map((each, column) => wrap(visible(row[column] ?? ''), each));
    const lines = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: lines }, (_, line) =>
      wrapped
        .map((cell, column) => {
          const text = cell[line] ?? '';
          const own = widths[column] ?? 0;
          return `  ${isNumber(column) ? text.padStart(own) : text.padEnd(own)}`;
        })
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
