import { number } from '../amounts.ts';
import type { Diagnosed } from '../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../checks/judge.ts';
import type { CheckResult, Verdict } from '../checks/verdict.ts';
import { causeHeading, explainedWithin, standingAlone } from './diagnosis.ts';
import type { KeyFigure } from './key-figures.ts';
import { cut, visible, wrap } from './text.ts';
import { bySeverity, groupChecks, tally, verdictWords } from './words.ts';

/** Lines of a summary: a terminal of 24 lines shows all of it. */
export const mostLines = 24;

export interface BriefOptions {
  readonly columns: number;
  readonly figures: readonly KeyFigure[];
  /** Lines that stand above and below, for which room has to be left. */
  readonly otherLines: number;
  /** What of the value classes was reached: told if there is room. */
  readonly coverage: string | undefined;
  readonly paint: Readonly<Record<Verdict, (text: string) => string>>;
  readonly bold: (text: string) => string;
}

/**
 * Causes with the commands that reproduce them, and checks that no cause explains, as far as there is room; the numbers
 * and the groups in a few lines.
 */
export function briefLines(judgement: Judgement, options: BriefOptions): string[] {
  const { columns } = options;
  const closing = [...figureLines(options.figures, columns), ...groupLines(judgement, options)];
  // An empty line before each part.
  let room = mostLines - options.otherLines - closing.length - 2;
  const { causes } = judgement.diagnosis;
  const told = [
    ...causes.map((each) => causeBlock(each, causes, options)),
    ...bySeverity(standingAlone(judgement)).map((check) => checkBlock(check, options)),
  ];
  const shown: (readonly string[])[] = [];
  for (const [at, block] of told.entries()) {
    // One line says how many there is no room for.
    const reserved = at < told.length - 1 ? 1 : 0;
    const height = heightOf(block, columns);
    if (height > room - reserved) break;
    room -= height;
    shown.push(block);
  }
  const hidden = told.length - shown.length;
  if (hidden > 0) room--;
  for (const [at, each] of causes.slice(0, shown.length).entries()) {
    const fitting = commandLines(each, columns).find((lines) => heightOf(lines, columns) <= room) ?? [];
    room -= heightOf(fitting, columns);
    shown[at] = [...(shown[at] ?? []), ...fitting];
  }
  const lines = shown.flat();
  if (hidden > 0) lines.push(`${number(hidden)} more: see the report, or use --verbose`);
  const covered = options.coverage === undefined ? [] : wrap(visible(options.coverage), columns);
  return [
    ...(lines.length === 0 ? [] : ['', ...lines]),
    '',
    ...closing,
    ...(covered.length === 0 || covered.length + 1 > room ? [] : ['', ...covered]),
  ];
}

function heightOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
}

function causeBlock(
  each: Diagnosed,
  causes: readonly Diagnosed[],
  { bold, columns }: BriefOptions,
): string[] {
  const [first = '', ...more] = wrap(`${causeHeading(each, causes)}: ${visible(each.text)}`, columns);
  const behind = each === causes[0] ? wrap(`Usual cause: ${each.behind}`, columns - 2) : [];
  return [
    bold(first),
    ...more,
    ...[explainedWithin(each, columns - 2), ...behind].map((line) => `  ${line}`),
  ];
}

/**
 * The commands alone, which are not broken into lines: what came, and what was expected, is in the report. If there is
 * no room for them: where they are.
 */
function commandLines({ reproduction }: Diagnosed, columns: number): (readonly string[])[] {
  const commands = (reproduction?.lines ?? []).filter((line) => !/^(#|[A-Z_]+=)/.test(line)).map(visible);
  if (commands.length === 0) return [];
  const label = wrap('Reproduce it (the report says where $BASE_URL and $KEY are from):', columns - 2);
  return [
    [...label.map((line) => `  ${line}`), ...commands.map((line) => `    ${line}`)],
    ['  Commands that reproduce it: in the report'],
  ];
}

function checkBlock({ explanation, id, title, verdict }: CheckResult, options: BriefOptions): string[] {
  const { bold, columns, paint } = options;
  const mark = paint[verdict](verdictWords[verdict].mark);
  const [said = '', ...more] = wrap(visible(explanation), columns - 4);
  return [
    `${mark} ${bold(cut(`${id}  ${visible(title)}`, columns - 2))}`,
    `    ${more.length === 0 ? said : cut(`${said} ${more[0] ?? ''}`, columns - 4)}`,
  ];
}

/** The numbers one after another, in as few lines as they need. */
function figureLines(figures: readonly KeyFigure[], columns: number): string[] {
  const texts = figures
    .filter(({ label }) => label !== 'Waits')
    .map(({ label, value }) => cut(`${label} ${value}`, columns - 2));
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 3 + text.length <= columns - 2)
      lines[lines.length - 1] = `${last} · ${text}`;
    else lines.push(text);
  }
  return lines.map((line) => `  ${line}`);
}

/** A line for each group that did not pass, and one for all that did. */
function groupLines(judgement: Judgement, { columns, paint }: BriefOptions): string[] {
  const groups = groupChecks(judgement.checks);
  const passed = groups.filter(({ verdict }) => verdict === 'pass');
  const names = passed.map(({ checks, title }) => `${title} ${number(checks.length)}`).join(', ');
  return [
    ...groups
      .filter(({ verdict }) => verdict !== 'pass')
      .map(
        ({ checks, title, verdict }) =>
          `  ${paint[verdict](verdictWords[verdict].mark)} ${title.padEnd(16)}${cut(tally(checks), columns - 20)}`,
      ),
    ...(passed.length === 0 ? [] : wrap(names, columns - 4)).map(
      (line, at) => `  ${at === 0 ? paint.pass(verdictWords.pass.mark) : ' '} ${line}`,
    ),
  ];
}
