import { number } from '../amounts.ts';
import type { CheckResult } from '../checks/core/verdict.ts';
import {
  doubts,
  endedEarly,
  explained,
  planName,
  type ReportAnswer,
  type ReportFinding,
  reproduceCommand,
} from './answer.ts';
import { figureText } from './key-figures.ts';
import { differences } from './shown.ts';
import { utc, visible } from './text.ts';
import { bySeverity, groupChecks, tally, verdictWords } from './words.ts';

/** Length at which an expected or observed value is cut, and parts of a check that differ; the report holds all of it. */
const mostCharacters = 600;
const mostDifferences = 5;

/** The run for the page of a CI job or a pull request: verdict, causes and groups; each check that did not pass, and the numbers, folded. */
export function renderMarkdown(answer: ReportAnswer): string {
  const { figures, findings, judgement, notices, results, run } = answer;
  const { mark, word } = verdictWords[judgement.verdict];
  const numbers = table(
    ['', ''],
    figures.map((each) => [each.label, prose(figureText(each))]),
  );
  return `${[
    `## ${mark} ${word}: ${prose(run.scenario.title)}`,
    ...notices.map(({ text, title }) => `> **${prose(title)}**: ${prose(text)}`),
    ...findings.filter(({ cause }) => cause !== undefined).map(causeBlock),
    `${tally(judgement.checks)}. Scenario ${inCode(run.scenario.name)} against ${inCode(run.target.base_url)}, ${utc(run.zero_epoch_ms)}, ${planName(run)}.`,
    ...results.map((each) => `**${each.label}**: ${prose(figureText(each))}.`),
    table(
      ['Group', 'Verdict', 'Checks'],
      groupChecks(judgement.checks).map((group) => [
        group.title,
        `${verdictWords[group.verdict].mark} ${verdictWords[group.verdict].word}`,
        tally(group.checks),
      ]),
    ),
    ...notPassed(answer).map(checkBlock),
    ...(figures.length > 0 ? [folded('Numbers', numbers)] : []),
  ].join('\n\n')}\n`;
}

function folded(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** Workflow commands that GitHub shows beside a job: probable causes first, then what no cause explains. */
export function renderAnnotations({ findings }: ReportAnswer): string[] {
  return findings.map(({ cause, explanation, heading, title, verdict }) => {
    const message =
      cause === undefined
        ? explanation
        : [title, cause.behind, `${explained(cause)}.`, doubts(cause) ?? ''].join(' ').trimEnd();
    const property = visible(heading).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');
    return `::${verdict === 'fail' ? 'error' : 'warning'} title=${property}::${visible(message).replaceAll('%', '%25')}`;
  });
}

/** Of a run that ended early, what lacks data is counted and not named. */
function notPassed(answer: ReportAnswer): CheckResult[] {
  const isWhole = !endedEarly(answer);
  return bySeverity(answer.judgement.checks).filter(
    ({ verdict }) => verdict === 'fail' || (verdict === 'inconclusive' && isWhole),
  );
}

function causeBlock({ cause, explanation, heading, title }: ReportFinding): string {
  const lines = cause?.reproduction?.lines ?? [];
  const command = cause && reproduceCommand(cause, 'FOLDER');
  const doubt = cause && doubts(cause);
  return [
    `**${heading}: ${prose(title)}**`,
    prose(explanation),
    ...(cause === undefined
      ? []
      : [
          `Usual cause: ${prose(cause.behind)} ${explained(cause)}.${doubt === undefined ? '' : ` ${prose(doubt)}`}`,
        ]),
    ...(command === undefined ? [] : [`Reproduce it: \`${command}\` (FOLDER is the folder of the run)`]),
    ...(lines.length === 0 ? [] : [folded('The same with curl', shellBlock(lines))]),
  ].join('\n\n');
}

/** A code block whose fence is longer than any run of backticks inside. */
function shellBlock(lines: readonly string[]): string {
  const text = lines.map(visible).join('\n');
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `${fence}sh\n${text}\n${fence}`;
}

function checkBlock(check: CheckResult): string {
  const { mark, word } = verdictWords[check.verdict];
  const sides = differences(check, mostCharacters)
    .slice(0, mostDifferences)
    .flatMap(({ at, expected, observed }) => {
      const of = at === '' ? '' : ` (${prose(at)})`;
      return [`- expected${of}: ${inCode(expected)}`, `- observed${of}: ${inCode(observed)}`];
    });
  const seqs = check.evidence.map(
    ({ what, seqs: some, total }) =>
      `- evidence: ${prose(what)} (${number(total)}), seq ${some.join(', ')}${total > some.length ? ', …' : ''}`,
  );
  return folded(
    `${mark} ${word}: ${inHtml(check.title)} (${check.id})`,
    [prose(check.explanation), [...sides, ...seqs].join('\n')].join('\n\n'),
  );
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text between tags, where Markdown does not apply: nothing in it becomes markup, a link, a mention or a reference to an issue. */
function inHtml(text: string): string {
  // The hash of a character reference is no reference to an issue.
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[@#]/g, '$&<!-- -->')
    .replaceAll('`', '&#96;')
    .replaceAll('://', ':<!-- -->//');
}

/** Text that stays text in Markdown, too. */
export function prose(text: string): string {
  return inHtml(text).replaceAll(/[\\*_{}[\]|~]/g, '\\$&');
}

/** A code span whose fence is longer than any run of backticks inside. */
function inCode(text: string): string {
  const inner = visible(text);
  const runs = inner.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const gap = inner.startsWith('`') || inner.endsWith('`') || inner === '' ? ' ' : '';
  return `${fence}${gap}${inner}${gap}${fence}`;
}
