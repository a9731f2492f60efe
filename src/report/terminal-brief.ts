import { stripVTControlCharacters } from 'node:util';
import { number } from '../amounts.ts';
import type { CheckResult, Verdict } from '../checks/core/verdict.ts';
import type { Diagnosed } from '../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../checks/diagnosis/judgement.ts';
import { causeHeading, explainedWithin, standingAlone } from './diagnosis.ts';
import type { KeyFigure } from './key-figures.ts';
import { cut, shellWord, visible, wrap, wrapAtMost } from './text.ts';
import { bySeverity, groupChecks, severities, verdictWords } from './words.ts';

/** Lines of a summary: a terminal of 24 lines shows all of it. */
const mostLines = 24;

interface BriefOptions {
  readonly columns: number;
  readonly figures: readonly KeyFigure[];
  /** Lines that stand above and below, for which room has to be left. */
  readonly otherLines: number;
  /** The run was ended early: checks without enough data are counted, not named. */
  readonly isCutShort: boolean;
  /** The folder of the run. */
  readonly runDir: string | undefined;
  readonly paint: Readonly<Record<Verdict, (text: string) => string>>;
  readonly bold: (text: string) => string;
}

/** Lines that the text of a cause takes at most. */
const mostCauseLines = 3;

/**
 * Each cause with a command that reproduces it, then checks that no cause explains, figures and groups. What there is
 * still room for is added, the most useful first.
 */
export function briefLines(judgement: Judgement, options: BriefOptions): string[] {
  const { columns } = options;
  const { causes } = judgement.diagnosis;
  const all = bySeverity(standingAlone(judgement));
  const standing = options.isCutShort ? all.filter(({ verdict }) => verdict !== 'inconclusive') : all;
  const groups = groupLines(judgement, options);
  const figures = figureLines(options.figures, columns);
  const blocks = [
    ...causes.map((each) => causeBlock(each, causes, options)),
    ...standing.map((check) => ({ lines: checkBlock(check, options), more: [] })),
  ];
  // An empty line before each part. The first line of figures is always there.
  let room = mostLines - options.otherLines - groups.length - Math.min(1, figures.length) - 2;
  const shown: { lines: readonly string[]; readonly more: readonly More[] }[] = [];
  for (const [at, block] of blocks.entries()) {
    // One line says how many there is no room for.
    const reserved = at < blocks.length - 1 ? 1 : 0;
    const height = heightOf(block.lines, columns);
    if (height > room - reserved) break;
    room -= height;
    shown.push({ ...block });
  }
  const hidden = blocks.length - shown.length;
  if (hidden > 0) room--;
  const shownFigures = figures.slice(0, 1 + room);
  room -= Math.max(0, shownFigures.length - 1);
  for (let place = 0; place < mostMore; place++)
    for (const block of shown) {
      const longer = block.more[place]?.(block.lines) ?? block.lines;
      const height = heightOf(longer, columns) - heightOf(block.lines, columns);
      if (height > room) continue;
      room -= height;
      block.lines = longer;
    }
  const lines = shown.flatMap((block) => block.lines);
  if (hidden > 0) lines.push(`${number(hidden)} more: see the report, or use --verbose`);
  return [...(lines.length === 0 ? [] : ['', ...lines]), '', ...shownFigures, ...groups];
}

/** Adds something to the lines of a cause. */
type More = (lines: readonly string[]) => readonly string[];

/** What a cause may have more of: what it explains, its usual reason, its commands in full. */
const mostMore = 3;

function heightOf(lines: readonly string[], columns: number): number {
  const lengths = lines.map((line) => stripVTControlCharacters(line).length);
  return lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0);
}

function causeBlock(
  each: Diagnosed,
  causes: readonly Diagnosed[],
  { bold, columns, runDir }: BriefOptions,
): { readonly lines: readonly string[]; readonly more: readonly More[] } {
  const [first = '', ...rest] = wrapAtMost(
    `${causeHeading(each, causes)}: ${visible(each.text)}`,
    columns,
    mostCauseLines,
  );
  const heading = [bold(first), ...rest];
  const insert = (added: readonly string[], at: number): More => {
    const indented = added.map((line) => `  ${line}`);
    return (lines) => [...lines.slice(0, at), ...indented, ...lines.slice(at)];
  };
  const behind = each === causes[0] ? wrap(`Usual cause: ${each.behind}`, columns - 2) : [];
  const command = reproduceLine(each, runDir).map((line) => `  ${line}`);
  const inFull = commandLines(each, columns);
  return {
    lines: [...heading, ...command],
    more: [
      insert([explainedWithin(each, columns - 2)], heading.length),
      insert(behind, heading.length + 1),
      (lines) =>
        inFull.length === 0 ? lines : [...lines.slice(0, lines.length - command.length), ...inFull],
    ],
  };
}

/** One line. What came, and what was expected, is in the report. */
function reproduceLine(each: Diagnosed, runDir: string | undefined): string[] {
  // Single requests show no limit, but the part of the run that does can be sent again.
  const isOfLimit = runDir !== undefined && each.checks.some((id) => id.startsWith('rate-limit.'));
  if (each.reproduction === undefined && !isOfLimit) return [];
  return runDir === undefined
    ? ['Commands that reproduce it: in the report']
    : [`Reproduce it: npx tryon ${sameAgain(each, shellWord(runDir))}`];
}

/** A latency shows only under the load of the whole run. */
function sameAgain({ cause, checks }: Diagnosed, dir: string): string {
  const isOfLoad = checks.every((id) => /^(latency|capacity)\./.test(id));
  return isOfLoad ? `replay ${dir}` : `reproduce ${dir} ${cause.code}`;
}

/** The commands alone, which are not broken into lines. */
function commandLines({ reproduction }: Diagnosed, columns: number): readonly string[] {
  const commands = (reproduction?.lines ?? []).filter((line) => !/^(#|[A-Z_]+=)/.test(line)).map(visible);
  if (commands.length === 0) return [];
  const label = wrap('Reproduce it (the report says where $BASE_URL and $KEY are from):', columns - 2);
  return [...label.map((line) => `  ${line}`), ...commands.map((line) => `    ${line}`)];
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

/** For each verdict, the worst first: the groups with such checks; passed ones only where all of the group passed. */
function groupLines(judgement: Judgement, { columns, paint }: BriefOptions): string[] {
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
