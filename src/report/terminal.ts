import pc from 'picocolors';
import type { Diagnosed } from '../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../checks/judge.ts';
import type { CheckResult, Verdict } from '../checks/verdict.ts';
import type { RunInfo } from '../history/run.ts';
import { against, causeHeading, explainedWithin, standingAlone } from './diagnosis.ts';
import type { KeyFigure } from './key-figures.ts';
import { shownText } from './shown.ts';
import { targetName } from './target-name.ts';
import { cut, visible, wrap } from './text.ts';
import { bySeverity, groupChecks, tally, verdictWords, wantedInWords } from './words.ts';

export interface SummaryOptions {
  /** Width of the terminal; the summary never needs more than 80. */
  readonly columns: number;
  /** Defaults to what picocolors finds: a terminal, and no NO_COLOR. */
  readonly colour?: boolean;
  readonly figures?: readonly KeyFigure[];
  /** A limiter study's result, in a clause. */
  readonly limiter?: string | undefined;
  /** Where the report was written. */
  readonly reportPath?: string;
}

/** Lines that one expected or observed value takes at most; the report holds all of it. */
const mostValueLines = 4;

/**
 * The summary printed at a run's end: the verdict, probable causes, the numbers, a line per group, unexplained
 * failures, the report's path.
 */
export function renderSummary(run: RunInfo, judgement: Judgement, options: SummaryOptions): string {
  const colours = pc.createColors(options.colour ?? pc.isColorSupported);
  const columns = Math.max(40, Math.min(80, options.columns));
  const paint: Readonly<Record<Verdict, (text: string) => string>> = {
    pass: colours.green,
    fail: colours.red,
    inconclusive: colours.yellow,
  };
  const { mark, word } = verdictWords[judgement.verdict];
  const lines = [
    ...wrap(`${visible(run.scenario.name)}: ${visible(run.scenario.title)}`, columns),
    ...wrap(`${visible(run.target.base_url)} (${visible(targetName(run))}), seed ${run.seed}`, columns).map(
      colours.dim,
    ),
    '',
    `${paint[judgement.verdict](colours.bold(`${mark} ${word.toUpperCase()}`))}  ${cut(tally(judgement.checks), columns - word.length - 4)}`,
    ...(options.limiter === undefined ? [] : limiterLines(options.limiter, columns)),
    ...remarks(run, judgement).flatMap((text) => wrap(text, columns).map(colours.yellow)),
    ...judgement.diagnosis.causes.flatMap((each, place, { length }) => [
      '',
      ...causeLines(each, place, length, columns).map((line, at) => (at === 0 ? colours.bold(line) : line)),
    ]),
    ...figureLines(options.figures ?? [], columns),
    '',
    ...groupChecks(judgement.checks).map(
      (group) =>
        `  ${paint[group.verdict](verdictWords[group.verdict].mark)} ${group.title.padEnd(16)}${cut(tally(group.checks), columns - 20)}`,
    ),
  ];
  for (const check of bySeverity(standingAlone(judgement))) {
    const [first = '', ...more] = wrap(`${check.id}  ${visible(check.title)}`, columns - 2);
    lines.push('', `${paint[check.verdict](verdictWords[check.verdict].mark)} ${colours.bold(first)}`);
    lines.push(...more.map((line) => `  ${colours.bold(line)}`));
    lines.push(...details(check, columns));
  }
  if (options.reportPath !== undefined) lines.push('', `Report  ${visible(options.reportPath)}`);
  return lines.join('\n');
}

/** The cause, what it explains, and for the first its usual reason. */
function causeLines(each: Diagnosed, place: number, causes: number, columns: number): string[] {
  const cause = wrap(`${causeHeading(each, place, causes)}: ${visible(each.text)}`, columns);
  const doubt = against(each);
  const more = [
    explainedWithin(each, columns - 2),
    ...(doubt === undefined ? [] : wrap(doubt, columns - 2)),
    ...(place === 0 ? wrap(`Usual cause: ${each.behind}`, columns - 2) : []),
  ].map((line) => `  ${line}`);
  return [...cause, ...more];
}

function figureLines(all: readonly KeyFigure[], columns: number): string[] {
  // The report has it; here it would be cut off at 80 columns.
  const figures = all.filter(({ label }) => label !== 'Waits');
  if (figures.length === 0) return [];
  return ['', ...figures.map(({ label, value }) => `  ${label.padEnd(35)}${cut(value, columns - 37)}`)];
}

/** Named, and what does not fit the line under its own beginning. */
function limiterLines(limiter: string, columns: number): string[] {
  const name = 'Limiter  ';
  return wrap(visible(limiter), columns - name.length).map(
    (line, index) => `${index === 0 ? name : ' '.repeat(name.length)}${line}`,
  );
}

function remarks(run: RunInfo, judgement: Judgement): string[] {
  const all: string[] = [];
  if (judgement.generatorBound) {
    all.push(
      'Generator-bound: this machine could not keep to the plan, so capacity and latency say nothing about the target.',
    );
  }
  const wanted = wantedInWords(run, judgement);
  if (wanted !== undefined) all.push(`Not judged: a key is missing: ${wanted}.`);
  if (run.ended !== undefined && run.ended.how !== 'completed') {
    const detail = run.ended.detail === undefined ? '' : `: ${visible(run.ended.detail)}`;
    all.push(`The run ended early (${run.ended.how})${detail}.`);
  }
  return all;
}

function details(check: CheckResult, columns: number): string[] {
  const value = (label: string, text: string): string[] => {
    const lines = wrap(text, columns - 14);
    const shown = lines.slice(0, mostValueLines);
    if (lines.length > mostValueLines) shown.push('…');
    return shown.map((line, index) => `    ${(index === 0 ? label : '').padEnd(10)}${line}`);
  };
  return [
    ...wrap(visible(check.explanation), columns - 4).map((line) => `    ${line}`),
    ...value('expected', shownText(check.expected)),
    ...value('observed', shownText(check.observed)),
  ];
}
