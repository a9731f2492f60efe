import pc from 'picocolors';
import { counted, number, span, verb } from '../../amounts.ts';
import { cut, visible, wrap } from '../../report/text.ts';
import { inWords, verdictOn } from './assess.ts';
import type { Tried } from './conduct.ts';
import {
  byVariant,
  figuresOf,
  isComplete,
  type SelftestFigures,
  type SelftestResult,
  secondsOf,
  verdictOf,
} from './result.ts';

const columns = 80;
const idWidth = 17;
const checkWidth = 24;
const secondsWidth = 6;
const evidenceWidth = columns - 2 - idWidth - checkWidth - secondsWidth;

/** A selftest as text for a terminal of 80 columns: a line for each defect and variant, and in full what went wrong. */
export function renderSelftest(
  result: SelftestResult,
  { colour }: { readonly colour?: boolean } = {},
): string {
  const colours = pc.createColors(colour ?? pc.isColorSupported);
  const marked = (isGood: boolean, line: string): string =>
    `${isGood ? colours.green('✓') : colours.red('✗')} ${line.trimEnd()}`;
  const lines: string[] = [];
  if (result.defects.length > 0) {
    lines.push(colours.bold(`  ${row('Defect', 'cause', 'in words', 's')}`.trimEnd()));
    for (const each of result.defects) {
      const { outcome, tried } = each;
      const by = outcome.kind === 'detected' ? outcome.by.cause : outcome.kind;
      lines.push(marked(outcome.kind === 'detected', row(tried.id, by, inWords(outcome), secondsOf([each]))));
    }
    lines.push('');
  }
  if (result.harmless.length > 0) {
    lines.push(colours.bold(`  ${row('Harmless', 'runs without a fail', 'result', 's')}`.trimEnd()));
    for (const { name, tries, worst } of byVariant(result)) {
      const clean = tries.filter(({ outcome }) => verdictOn(outcome) !== 'fail').length;
      const counts = `${number(clean)} of ${number(tries.length)}`;
      const isClean = clean === tries.length;
      lines.push(marked(isClean, row(name, counts, inWords(worst.outcome), secondsOf(tries))));
    }
    lines.push('');
  }
  const all = [...result.defects, ...result.harmless];
  const wrong = all.filter(({ outcome }) => verdictOn(outcome) === 'fail');
  for (const each of wrong) lines.push(...inFull(each), '');
  const interrupted = interruptedText(result);
  if (interrupted !== undefined) lines.push(colours.yellow(interrupted));
  const paint = { fail: colours.red, inconclusive: colours.yellow, pass: colours.green }[verdictOf(result)];
  lines.push(...figureLines(figuresOf(result)).map((line) => paint(line)));
  lines.push(
    `${counted(all.length, 'run')}${result.foreign ? ' of services started apart' : ''}, ${number(result.jobs)} at once, in ${span(result.tookMs)}.`,
  );
  return `${lines.join('\n')}\n`;
}

/** That not everything was tried; undefined where it was. */
function interruptedText(result: SelftestResult): string | undefined {
  if (isComplete(result)) return undefined;
  const tried = result.defects.length + result.harmless.length;
  return `Interrupted after ${number(tried)} of ${number(result.planned)} runs.`;
}

/** The numbers in a sentence each. */
function figureLines(figures: SelftestFigures): string[] {
  const { broken, defects, detected, falseAlarms, harmless, inconclusive } = figures;
  return [
    ...(defects === 0
      ? []
      : [`Detected ${number(detected)} of ${number(defects)} defects (${percent(detected / defects)}).`]),
    ...(harmless === 0
      ? []
      : [
          `False alarms in ${number(falseAlarms)} of ${number(harmless)} harmless runs; ${number(inconclusive)} of them ${verb(inconclusive, 'was', 'were')} inconclusive.`,
        ]),
    ...(broken === 0 ? [] : [`Runs without a result: ${number(broken)}.`]),
  ];
}

/** One case that is over, for a line of progress. */
export function progressLine({ outcome, tookMs, tried }: Tried): string {
  return `${tried.id} (${tried.run}, seed ${tried.seed}): ${outcome.kind}, ${span(tookMs)}`;
}

function inFull({ folder, outcome, tried }: Tried): string[] {
  return [
    ...wrap(
      `${tried.id} (${visible(tried.title)}), run ${tried.run}, seed ${tried.seed}: ${outcome.kind}`,
      columns,
    ),
    ...wrap(visible(inWords(outcome)), columns - 2).map((line) => `  ${line}`),
    ...(folder === undefined ? [] : [`  ${folder}`]),
  ];
}

function row(id: string, check: string, evidence: string, time: string): string {
  const cell = (text: string, width: number): string => cut(visible(text), width - 1).padEnd(width);
  return `${cell(id, idWidth)}${cell(check, checkWidth)}${cell(evidence, evidenceWidth)}${time.padStart(secondsWidth)}`;
}

function percent(part: number): string {
  return `${number(Math.floor(part * 1_000) / 10)} %`;
}
