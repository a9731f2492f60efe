import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { number } from '../amounts.ts';
import type { CheckResult, Verdict } from '../checks/core/verdict.ts';
import {
  doubts,
  endedEarly,
  explained,
  planName,
  type ReportAnswer,
  type ReportFinding,
  reproduceCommand,
  targetName,
} from './answer.ts';
import { compared, shownText } from './shown.ts';
import { firstSentences, visible, wrap } from './text.ts';
import { groupChecks, severities, tally, verdictWords } from './words.ts';

interface SummaryOptions {
  /** Width of the terminal; the summary never needs more than 80. */
  readonly columns: number;
  /** Defaults to what picocolors finds: a terminal, and no NO_COLOR. */
  readonly colour?: boolean;
  /** The folder of the run, for commands. */
  readonly runDir?: string;
  /** Where the report was written. */
  readonly reportPath?: string | undefined;
  /** All that is known of each finding and of tryon itself, however long that is. */
  readonly verbose?: boolean;
}

/** Lines of a summary, unless all is asked for: a terminal of 24 lines shows all of it. */
const mostLines = 24;
/** Lines of the sentences that decide, for each finding. */
const mostDecisive = 3;
/** Lines that one expected or observed value takes at most; the report holds all of it. */
const mostValueLines = 4;
/** Parts of one check that differ. */
const mostDifferences = 3;

/** How the words of one summary look. */
interface SummaryLook {
  readonly columns: number;
  readonly paint: Readonly<Record<Verdict, (text: string) => string>>;
  readonly bold: (text: string) => string;
  readonly runDir: string | undefined;
}

/**
 * The summary printed at a run's end: the verdict, what is wrong with what was expected and what came, the numbers, the
 * groups, the report's path.
 */
export function renderSummary(answer: ReportAnswer, options: SummaryOptions): string {
  const { notices, judgement, power, results, run } = answer;
  const colours = pc.createColors(options.colour ?? pc.isColorSupported);
  const columns = Math.max(40, Math.min(80, options.columns));
  const look: SummaryLook = {
    columns,
    paint: { pass: colours.green, fail: colours.red, inconclusive: colours.yellow },
    bold: colours.bold,
    runDir: options.runDir,
  };
  const { mark, word } = verdictWords[judgement.verdict];
  const noticeLines = (isEarly: boolean): string[] =>
    notices
      .filter(({ isEarlyEnd = false }) => isEarlyEnd === isEarly)
      .flatMap(({ text, title }) => wrap(visible(`${title}: ${text}`), columns));
  const early = noticeLines(true);
  const opening = [
    ...wrap(`${visible(run.scenario.name)}: ${visible(run.scenario.title)}`, columns),
    ...wrap(`${visible(run.target.base_url)} (${visible(targetName(run))}), ${planName(run)}`, columns).map(
      colours.dim,
    ),
    ...(early.length === 0 ? [] : ['', ...early.map(colours.bold)]),
    '',
    ...wrap(tally(judgement.checks), columns - word.length - 4).map((line, at) =>
      at === 0
        ? `${look.paint[judgement.verdict](colours.bold(`${mark} ${word.toUpperCase()}`))}  ${line}`
        : `${' '.repeat(word.length + 4)}${line}`,
    ),
    ...results.flatMap(({ label, value }) => named(label.padEnd(10), visible(value), columns)),
    ...noticeLines(false).map(colours.yellow),
  ];
  const closing = [
    ...(power === undefined ? [] : ['', ...wrap(power, columns)]),
    ...(options.reportPath === undefined ? [] : ['', `Report  ${visible(options.reportPath)}`]),
  ];
  const middle =
    options.verbose === true
      ? verboseLines(answer, look)
      : briefLines(answer, look, mostLines - opening.length - closing.length);
  return [...opening, ...middle, ...closing].join('\n');
}

/** What does not fit the line stands under its own beginning. */
function named(label: string, text: string, columns: number): string[] {
  return wrap(text, columns - label.length).map(
    (line, at) => `${at === 0 ? label : ' '.repeat(label.length)}${line}`,
  );
}

/** A part of a finding; those of rank 0 are shown wherever the finding is. */
interface FindingPart {
  readonly rank: 0 | 1 | 2 | 3;
  readonly lines: readonly string[];
}

/**
 * As many findings as there is room for, then what each has more of, the most useful first: the sentences that decide,
 * the numbers, what a cause explains, its usual reason.
 */
function briefLines(answer: ReportAnswer, look: SummaryLook, most: number): string[] {
  const { columns } = look;
  const isWhole = !endedEarly(answer);
  // Of a run that ended early, what lacks data is counted and not named.
  const findings = answer.findings.filter(
    ({ cause, verdict }) => cause !== undefined || verdict === 'fail' || isWhole,
  );
  const groups = groupLines(answer, look);
  const figures = figureLines(answer, columns);
  const blocks = findings.map((each) => partsOf(each, each === findings[0], look));
  // An empty line before each part. The first line of figures is always there.
  let room = most - groups.length - Math.min(1, figures.length) - (blocks.length === 0 ? 1 : 2);
  const heightOf = (parts: readonly FindingPart[]): number =>
    parts.reduce((sum, { lines }) => sum + rows(lines, columns), 0);
  const ofRank = (block: readonly FindingPart[], rank: FindingPart['rank']): FindingPart[] =>
    block.filter((part) => part.rank === rank);
  let shown = 0;
  for (const [at, block] of blocks.entries()) {
    const height = heightOf(ofRank(block, 0));
    // One line says how many there is no room for.
    if (height > room - (at < blocks.length - 1 ? 1 : 0)) break;
    room -= height;
    shown++;
  }
  const hidden = blocks.length - shown;
  if (hidden > 0) room--;
  const kept = new Set(blocks.slice(0, shown).flatMap((block) => ofRank(block, 0)));
  const take = (rank: FindingPart['rank']): void => {
    for (const part of blocks.slice(0, shown).flatMap((block) => ofRank(block, rank))) {
      if (heightOf([part]) > room) continue;
      room -= heightOf([part]);
      kept.add(part);
    }
  };
  take(1);
  const shownFigures = figures.slice(0, 1 + Math.max(0, room));
  room -= Math.max(0, shownFigures.length - 1);
  take(2);
  take(3);
  const lines = blocks.flatMap((block) =>
    block.filter((part) => kept.has(part)).flatMap((part) => part.lines),
  );
  if (hidden > 0) lines.push(`${number(hidden)} more: see the report, or use --verbose`);
  return [...(lines.length === 0 ? [] : ['', ...lines]), '', ...shownFigures, ...groups];
}

function rows(lines: readonly string[], columns: number): number {
  const lengths = lines.map((line) => stripVTControlCharacters(line).length);
  return lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0);
}

function partsOf(finding: ReportFinding, isFirst: boolean, look: SummaryLook): readonly FindingPart[] {
  const { cause, checks, verdict } = finding;
  const { columns, runDir } = look;
  const [decisive] = checks;
  const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  const sentences = firstSentences(
    visible(decisive?.explanation ?? ''),
    (text) => wrap(text, columns - 2).length <= mostDecisive,
  );
  const command = cause === undefined || runDir === undefined ? undefined : reproduceCommand(cause, runDir);
  return [
    { rank: 0, lines: titleLines(finding, look) },
    {
      // What was expected and what came, before anything that is only inconclusive.
      rank: verdict === 'fail' && (cause === undefined || isFirst) ? 0 : 1,
      lines: indented(wrap(sentences, columns - 2)),
    },
    ...(cause === undefined
      ? []
      : ([
          { rank: 2, lines: indented([explained(cause, columns - 2)]) },
          ...(isFirst
            ? [{ rank: 3, lines: indented(wrap(`Usual cause: ${cause.behind}`, columns - 2)) } as const]
            : []),
        ] as const)),
    // One line, which a shell can take.
    ...(command === undefined ? [] : [{ rank: 0, lines: [`  Reproduce it: ${command}`] } as const]),
  ];
}

function titleLines(
  { cause, heading, title, verdict }: ReportFinding,
  { bold, columns, paint }: SummaryLook,
): string[] {
  if (cause !== undefined)
    return wrap(`${heading}: ${visible(title)}`, columns).map((line, at) => (at === 0 ? bold(line) : line));
  return wrap(`${heading}  ${visible(title)}`, columns - 2).map(
    (line, at) => `${at === 0 ? paint[verdict](verdictWords[verdict].mark) : ' '} ${bold(line)}`,
  );
}

/** The numbers one after another, in as few lines as they need. */
function figureLines({ figures }: ReportAnswer, columns: number): string[] {
  const lines: string[] = [];
  for (const { label, value } of figures.filter(({ rank }) => rank !== 'own')) {
    const text = `${label} ${value}`;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 3 + text.length <= columns - 2)
      lines[lines.length - 1] = `${last} · ${text}`;
    else lines.push(...wrap(text, columns - 4).map((line, at) => (at === 0 ? line : `  ${line}`)));
  }
  return lines.map((line) => `  ${line}`);
}

/** For each verdict, the worst first: the groups with such checks; passed ones only where all of the group passed. */
function groupLines({ judgement }: ReportAnswer, { columns, paint }: SummaryLook): string[] {
  const groups = groupChecks(judgement.checks);
  return severities.flatMap((verdict) => {
    const names = groups.flatMap(({ checks, title, verdict: worst }) => {
      const own = checks.filter((check) => check.verdict === verdict).length;
      if (verdict === 'pass') return worst === 'pass' ? [`${title} ${number(own)}`] : [];
      return own === 0 ? [] : [`${title} ${number(own)} of ${number(checks.length)}`];
    });
    if (names.length === 0) return [];
    const { mark, word } = verdictWords[verdict];
    return wrap(`${word}: ${names.join(', ')}`, columns - 4).map(
      (line, at) => `  ${at === 0 ? paint[verdict](mark) : ' '} ${line}`,
    );
  });
}

/** Everything: each finding with what was expected and what came, all numbers, and all commands. */
function verboseLines({ figures, findings, judgement }: ReportAnswer, look: SummaryLook): string[] {
  const { columns, paint } = look;
  const indented = (text: string): string[] => wrap(text, columns - 2).map((line) => `  ${line}`);
  return [
    ...findings.flatMap((finding) => {
      const { cause, checks } = finding;
      const doubt = cause && doubts(cause);
      return [
        '',
        ...titleLines(finding, look),
        ...checks.slice(0, 1).flatMap((check) => detailLines(check, columns)),
        ...(cause === undefined ? [] : indented(explained(cause))),
        ...(doubt === undefined ? [] : indented(doubt)),
        ...(cause === undefined ? [] : indented(`Usual cause: ${cause.behind}`)),
      ];
    }),
    '',
    ...figures.flatMap(({ label, value }) => named(`  ${label.padEnd(35)}`, value, columns)),
    '',
    ...groupChecks(judgement.checks).map(
      ({ checks, title, verdict }) =>
        `  ${paint[verdict](verdictWords[verdict].mark)} ${title.padEnd(16)}${tally(checks)}`,
    ),
    // Lines of a shell are not broken.
    ...findings.flatMap(({ cause }) =>
      cause?.reproduction === undefined
        ? []
        : [
            '',
            `Reproduce ${cause.cause.code}:`,
            ...cause.reproduction.lines.map((line) => `  ${visible(line)}`),
          ],
    ),
  ];
}

/** The explanation, and what differs from what was expected; all of it where it cannot be compared. */
function detailLines({ expected, explanation, observed }: CheckResult, columns: number): string[] {
  const { differ } = compared(expected, observed);
  const parts = differ.length > 0 ? differ : [{ at: '', expected, observed }];
  const value = (label: string, text: string): string[] => {
    const lines = named(`  ${label.padEnd(10)}`, text, columns);
    return lines.length > mostValueLines
      ? [...lines.slice(0, mostValueLines - 1), `${' '.repeat(12)}(all of it is in the report)`]
      : lines;
  };
  return [
    ...wrap(visible(explanation), columns - 2).map((line) => `  ${line}`),
    ...parts
      .slice(0, mostDifferences)
      .flatMap((part) => [
        ...(part.at === '' ? [] : value('of', visible(part.at))),
        ...value('expected', shownText(part.expected)),
        ...value('observed', shownText(part.observed)),
      ]),
  ];
}
