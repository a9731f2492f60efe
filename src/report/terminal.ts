import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { listed, number } from '../amounts.ts';
import type { CheckResult, Verdict } from '../checks/core/verdict.ts';
import {
  certaintyWords,
  doubts,
  endedEarly,
  explained,
  planName,
  type ReportAnswer,
  type ReportFinding,
  reproduceCommand,
  targetName,
} from './answer.ts';
import { figureText } from './key-figures.ts';
import { differences } from './shown.ts';
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
  readonly verbose?: boolean | undefined;
}

/** Lines of a summary, unless all is asked for: a terminal of 24 lines shows all of it. */
const mostLines = 24;
/** Lines of the sentences that decide, for each finding. */
const mostDecisive = 3;
/** Characters of one expected or observed value; the report holds all of it. */
const mostCharacters = 240;
/** Figures that are shown however many checks are open. */
const fewestFigures = 3;
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
    ...results.flatMap((each) => named(each.label.padEnd(10), visible(figureText(each)), columns)),
    ...noticeLines(false).map(colours.yellow),
  ];
  const closing = [
    ...(power === undefined || judgement.verdict === 'fail'
      ? []
      : [
          '',
          ...wrap(
            `${power.text}${power.others > 0 ? `; the report lists the ${number(power.others)} others` : ''}. ${power.more}`.trimEnd(),
            columns,
          ),
        ]),
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
  readonly rank: 0 | 1 | 2;
  readonly lines: readonly string[];
}

/**
 * As many findings as there is room for, then what each has more of, the most useful first: the sentences that decide,
 * the numbers, what a cause explains. The first cause has what usually lies behind it: no other line says how it comes about.
 */
function briefLines(answer: ReportAnswer, look: SummaryLook, most: number): string[] {
  const { columns } = look;
  const isWhole = !endedEarly(answer);
  // Of a run that ended early, what lacks data is counted and not named.
  const findings = answer.findings.filter(
    ({ cause, verdict }) => cause !== undefined || verdict === 'fail' || isWhole,
  );
  const groups = groupLines(answer, look);
  const figures = figureBlocks(answer, columns);
  const blocks = findings.map((each) => partsOf(each, each === findings[0], look));
  const legend = (of: readonly ReportFinding[]): string[] => wrap(certaintyWords(of), columns - 2);
  // An empty line before each part. The first figure is always there, others beside all that is only open.
  const reserved = rows(figures.slice(1, fewestFigures).flat(), columns);
  const first = figures[0]?.length ?? 0;
  let room = most - groups.length - first - (blocks.length === 0 ? 1 : 2) - legend(findings).length;
  const heightOf = (parts: readonly FindingPart[]): number =>
    parts.reduce((sum, { lines }) => sum + rows(lines, columns), 0);
  const ofRank = (block: readonly FindingPart[], rank: FindingPart['rank']): FindingPart[] =>
    block.filter((part) => part.rank === rank);
  let shown = 0;
  for (const [at, block] of blocks.entries()) {
    const height = heightOf(ofRank(block, 0));
    // One line says how many there is no room for.
    const kept = (at < blocks.length - 1 ? 1 : 0) + (findings[at]?.verdict === 'fail' ? 0 : reserved);
    // The first one is why somebody reads this: it is there whatever has to give way.
    if (at > 0 && height > room - kept) break;
    room -= height;
    shown++;
  }
  const hidden = blocks.length - shown;
  if (hidden > 0) room--;
  const kept = new Set(blocks.slice(0, shown).flatMap((block) => ofRank(block, 0)));
  const take = (rank: FindingPart['rank'], least = 0): void => {
    for (const part of blocks.slice(0, shown).flatMap((block) => ofRank(block, rank))) {
      if (heightOf([part]) > room - least) continue;
      room -= heightOf([part]);
      kept.add(part);
    }
  };
  take(1, reserved);
  room += first;
  const shownFigures = figures.filter((lines) => {
    if (lines.length > room) return false;
    room -= lines.length;
    return true;
  });
  take(2);
  const lines = blocks.flatMap((block) =>
    block.filter((part) => kept.has(part)).flatMap((part) => part.lines),
  );
  lines.push(...legend(findings.slice(0, shown)).map((line) => `  ${line}`));
  if (hidden > 0) lines.push(hiddenLine(findings.slice(shown), columns));
  return [...(lines.length === 0 ? [] : ['', ...lines]), '', ...shownFigures.flat(), ...groups];
}

/** `Not shown: session-disappears, latency.slo.1 and 2 more. See the report, or use --verbose`, in one line. */
function hiddenLine(findings: readonly ReportFinding[], columns: number): string {
  const names = findings.map(({ cause, heading }) => cause?.cause.code ?? heading);
  const texts = names.map(
    (_, left) => `Not shown: ${listed(names, names.length - left)}. See the report, or use --verbose`,
  );
  return (
    texts.find(({ length }) => length <= columns) ??
    `${number(names.length)} more: see the report, or use --verbose`
  );
}

function rows(lines: readonly string[], columns: number): number {
  const lengths = lines.map((line) => stripVTControlCharacters(line).length);
  return lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0);
}

function partsOf(finding: ReportFinding, isFirst: boolean, look: SummaryLook): readonly FindingPart[] {
  const { cause, explanation, verdict } = finding;
  const { columns, runDir } = look;
  const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  const sentences = firstSentences(
    visible(explanation),
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
            ? [{ rank: 0, lines: indented(wrap(`Usual cause: ${cause.behind}`, columns - 2)) } as const]
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

/** The numbers one after another, in as few lines as they need: each is whole, or it is not there. */
function figureBlocks({ figures }: ReportAnswer, columns: number): string[][] {
  const blocks: string[][] = [];
  for (const figure of figures.filter(({ rank }) => rank !== 'own')) {
    const text = `${figure.label} ${figureText(figure)}`;
    const last = blocks.at(-1);
    const line = last?.at(-1);
    if (last !== undefined && line !== undefined && line.length + 3 + text.length <= columns)
      last[last.length - 1] = `${line} · ${text}`;
    else blocks.push(wrap(text, columns - 4).map((each, at) => `${at === 0 ? '  ' : '    '}${each}`));
  }
  return blocks;
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
    ...figures.flatMap((each) => named(`  ${each.label.padEnd(35)}`, figureText(each), columns)),
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

/** The explanation, and what differs from what was expected. */
function detailLines(check: CheckResult, columns: number): string[] {
  const value = (label: string, text: string): string[] => named(`  ${label.padEnd(10)}`, text, columns);
  return [
    ...wrap(visible(check.explanation), columns - 2).map((line) => `  ${line}`),
    ...differences(check, mostCharacters)
      .slice(0, mostDifferences)
      .flatMap(({ at, expected, observed }) => [
        ...(at === '' ? [] : value('of', visible(at))),
        ...value('expected', expected),
        ...value('observed', observed),
      ]),
  ];
}
