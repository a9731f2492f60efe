import pc from 'picocolors';
import type { CheckResult, Verdict } from '../checks/core/verdict.ts';
import type { Diagnosed } from '../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../checks/diagnosis/judgement.ts';
import type { RunInfo } from '../history/run.ts';
import { causeHeading, doubts, explainedWithin, standingAlone } from './diagnosis.ts';
import type { KeyFigure } from './key-figures.ts';
import { shownText } from './shown.ts';
import { targetName } from './target-name.ts';
import { briefLines } from './terminal-brief.ts';
import { cut, visible, wrap, wrapAtMost } from './text.ts';
import {
  bySeverity,
  clockStepInWords,
  earlyEnd,
  groupChecks,
  tally,
  verdictWords,
  wantedInWords,
} from './words.ts';

interface SummaryOptions {
  /** Width of the terminal; the summary never needs more than 80. */
  readonly columns: number;
  /** Defaults to what picocolors finds: a terminal, and no NO_COLOR. */
  readonly colour?: boolean;
  readonly figures?: readonly KeyFigure[];
  /** A limiter study's result, in a clause. */
  readonly limiter?: string | undefined;
  /** What a pass excludes, in a sentence. */
  readonly power?: string | undefined;
  /** The folder of the run, for commands. */
  readonly runDir?: string;
  /** Where the report was written. */
  readonly reportPath?: string;
  /** All that is known of each check that no cause explains, however long that is. */
  readonly verbose?: boolean;
}

/** Lines that one expected or observed value takes at most; the report holds all of it. */
const mostValueLines = 4;
/** In short, of an undecided limiter the likeliest kinds alone. */
const mostLimiterLines = 2;

/**
 * The summary printed at a run's end: the verdict, probable causes, unexplained failures, the numbers, the groups, the
 * report's path. In short it fits a terminal of 24 lines.
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
  const early = earlyEnd(run);
  const opening = [
    ...wrap(`${visible(run.scenario.name)}: ${visible(run.scenario.title)}`, columns),
    ...wrap(`${visible(run.target.base_url)} (${visible(targetName(run))}), seed ${run.seed}`, columns).map(
      colours.dim,
    ),
    ...(early === undefined ? [] : ['', ...wrap(visible(early), columns).map(colours.bold)]),
    '',
    `${paint[judgement.verdict](colours.bold(`${mark} ${word.toUpperCase()}`))}  ${cut(tally(judgement.checks), columns - word.length - 4)}`,
    ...(options.limiter === undefined
      ? []
      : limiterLines(options.limiter, columns, options.verbose === true ? undefined : mostLimiterLines)),
    ...remarks(run, judgement).flatMap((text) => wrap(text, columns).map(colours.yellow)),
  ];
  const { figures = [], reportPath, runDir } = options;
  const closing = [
    ...(options.power === undefined ? [] : ['', ...wrap(options.power, columns)]),
    ...(reportPath === undefined ? [] : ['', `Report  ${visible(reportPath)}`]),
  ];
  if (options.verbose !== true) {
    const otherLines = opening.length + closing.length;
    const { bold } = colours;
    const middle = briefLines(judgement, {
      ...{ columns, figures, otherLines, runDir, paint, bold },
      isCutShort: early !== undefined,
    });
    return [...opening, ...middle, ...closing].join('\n');
  }
  const lines = [
    ...opening,
    ...judgement.diagnosis.causes.flatMap((each, _, all) => [
      '',
      ...causeLines(each, all, columns).map((line, at) => (at === 0 ? colours.bold(line) : line)),
    ]),
    ...figureLines(figures, columns),
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
  for (const each of judgement.diagnosis.causes) lines.push(...reproductionLines(each));
  return [...lines, ...closing].join('\n');
}

/** The cause, what it explains, and for the first its usual reason. */
function causeLines(each: Diagnosed, causes: readonly Diagnosed[], columns: number): string[] {
  const cause = wrap(`${causeHeading(each, causes)}: ${visible(each.text)}`, columns);
  const doubt = doubts(each);
  const more = [
    explainedWithin(each, columns - 2),
    ...(doubt === undefined ? [] : wrap(doubt, columns - 2)),
    ...(each === causes[0] ? wrap(`Usual cause: ${each.behind}`, columns - 2) : []),
  ].map((line) => `  ${line}`);
  return [...cause, ...more];
}

/** All commands, with what came and what was expected. Lines of a shell are not broken. */
function reproductionLines({ cause, reproduction }: Diagnosed): string[] {
  if (reproduction === undefined) return [];
  return ['', `Reproduce ${cause.code}:`, ...reproduction.lines.map((line) => `  ${visible(line)}`)];
}

function figureLines(all: readonly KeyFigure[], columns: number): string[] {
  // The report has it; here it would be cut off at 80 columns.
  const figures = all.filter(({ label }) => label !== 'Waits');
  if (figures.length === 0) return [];
  return ['', ...figures.map(({ label, value }) => `  ${label.padEnd(35)}${cut(value, columns - 37)}`)];
}

/** Named, and what does not fit the line under its own beginning. */
function limiterLines(limiter: string, columns: number, most = Number.POSITIVE_INFINITY): string[] {
  const name = 'Limiter  ';
  return wrapAtMost(visible(limiter), columns - name.length, most).map(
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
  const step = clockStepInWords(judgement);
  if (step !== undefined) all.push(step);
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
