import pc from 'picocolors';
import type { Verdict } from '../../checks/core/verdict.ts';
import { chartsIn, plain, type ReportFigure, type Text } from '../figure.ts';
import { figuresHtml } from '../figure-html.ts';
import { figureLines } from '../figure-terminal.ts';
import { table as markdownTable, prose } from '../markdown.ts';
import { foreign, html, page } from '../page/shell.ts';
import { visible, wrap } from '../text.ts';
import { verdictWords } from '../words.ts';
import { type ParameterChange, parameterChanges, type VerdictChange, verdictChanges } from './changes.ts';
import { type Obstacle, obstaclesTo } from './comparable.ts';
import type { Side } from './facts.ts';
import { type ComparedMetric, metricsOf, type QuantileShift, shiftFunction } from './metrics.ts';

/** Side B against side A, as data. */
export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  /** A change that is shown to be below this share is *same*. */
  readonly margin: number;
  /** Why they cannot be compared; then the rest is shown and decides nothing. */
  readonly obstacles: readonly Obstacle[];
  readonly verdicts: readonly VerdictChange[];
  readonly parameters: readonly ParameterChange[];
  readonly metrics: readonly ComparedMetric[];
  readonly shift: readonly QuantileShift[];
  /** All runs of one side came before all of the other, so a change of the machine looks like a difference. */
  readonly isOneAfterOther: boolean;
  readonly outcome: ComparisonOutcome;
}

/** `open`: no regression is shown, and a primary figure cannot be told. */
type ComparisonOutcome = 'incomparable' | 'regression' | 'open' | 'none';

/** `worseFrom`: a change that these runs alone show is a regression from this share on; none is by default. */
export function compare(a: Side, b: Side, margin: number, worseFrom = Number.POSITIVE_INFINITY): Comparison {
  const obstacles = obstaclesOf(a, b);
  const verdicts = verdictChanges(a, b);
  const shift = shiftFunction(a, b);
  const metrics = metricsOf(a, b, margin, shift);
  return {
    a,
    b,
    margin,
    obstacles,
    verdicts,
    parameters: parameterChanges(a, b),
    metrics,
    shift,
    isOneAfterOther: a.runs.length + b.runs.length > 2 && (isBefore(a, b) || isBefore(b, a)),
    outcome: obstacles.length > 0 ? 'incomparable' : outcomeOf(verdicts, metrics, worseFrom),
  };
}

/** Why the runs of both sides cannot be compared with each other. */
export function obstaclesOf(a: Side, b: Side): Obstacle[] {
  const [base, ...others] = [...a.runs, ...b.runs];
  return base === undefined ? [] : obstaclesTo(base, others);
}

function outcomeOf(
  verdicts: readonly VerdictChange[],
  metrics: readonly ComparedMetric[],
  worseFrom: number,
): ComparisonOutcome {
  const primary = metrics.filter(({ isPrimary }) => isPrimary);
  const isRegression =
    verdicts.some(({ kind }) => kind === 'regression') ||
    primary.some(({ change: { answer }, turn }) => turn === 'worse' && isByRuns(answer)) ||
    metrics.some((metric) => isFarWorse(metric, worseFrom));
  if (isRegression) return 'regression';
  return primary.some(({ change: { answer }, turn }) => answer.kind === 'unknown' || turn === 'worse')
    ? 'open'
    : 'none';
}

/** Blocks and requests say nothing about how much runs of the same target differ, so they prove no regression by themselves. */
const isByRuns = (answer: ComparedMetric['change']['answer']): boolean =>
  answer.kind === 'differs' && answer.by === 'runs';

/** Worse within these runs by at least such a share; as a share of what it is now, for a capacity. */
function isFarWorse({ change: { answer }, of, turn }: ComparedMetric, worseFrom: number): boolean {
  if (turn !== 'worse' || answer.kind !== 'differs') return false;
  return of === 'capacity' ? 1 / (1 + answer.atLeast) - 1 >= worseFrom : answer.atLeast >= worseFrom;
}

function isBefore(x: Side, y: Side): boolean {
  return (
    Math.max(...x.runs.map(({ run }) => run.zero_epoch_ms)) <
    Math.min(...y.runs.map(({ run }) => run.zero_epoch_ms))
  );
}

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
