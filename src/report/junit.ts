import { number } from '../amounts.ts';
import type { CheckResult } from '../checks/core/verdict.ts';
import type { Diagnosed } from '../checks/diagnosis/diagnosis.ts';
import type { Judgement } from '../checks/diagnosis/judgement.ts';
import type { RunInfo } from '../history/run.ts';
import { shownText } from './shown.ts';
import { visible } from './text.ts';
import { groupChecks } from './words.ts';

/**
 * The verdicts as JUnit XML: a test suite per group, a test case per check. A failed check is a `<failure>`. An
 * inconclusive one is `<skipped>` with its reason, since a `<failure>` would accuse the target without proof. Exit
 * code 3 says that the run proved too little.
 */
export function renderJunit(run: RunInfo, judgement: Judgement): string {
  const groups = groupChecks(judgement.checks);
  const timestamp = new Date(run.zero_epoch_ms).toISOString().slice(0, 19);
  const suites = groups.map(
    (group) =>
      `  <testsuite name="${xml(group.title)}" ${counts(group.checks)} time="0" timestamp="${timestamp}">
    <properties>
      <property name="scenario" value="${xml(run.scenario.name)}"/>
      <property name="seed" value="${run.seed}"/>
      <property name="target" value="${xml(run.target.base_url)}"/>
      <property name="run" value="${xml(run.id)}"/>
      <property name="generator-bound" value="${judgement.generatorBound}"/>
    </properties>
${group.checks.map((check) => testCase(run, check, causesOf(judgement, check))).join('\n')}
  </testsuite>
`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${xml(`tryon ${run.scenario.name}`)}" ${counts(judgement.checks)} time="0">
${suites.join('')}</testsuites>
`;
}

/** The probable causes that explain a failed check. */
function causesOf({ diagnosis }: Judgement, { id }: CheckResult): readonly Diagnosed[] {
  return diagnosis.causes.filter(({ checks }) => checks.includes(id));
}

function counts(checks: readonly CheckResult[]): string {
  const n = (verdict: CheckResult['verdict']): number =>
    checks.filter((check) => check.verdict === verdict).length;
  return `tests="${checks.length}" failures="${n('fail')}" errors="0" skipped="${n('inconclusive')}"`;
}

function testCase(run: RunInfo, check: CheckResult, causes: readonly Diagnosed[]): string {
  const account = [
    ...causes.map((each) => `probable cause: ${each.text}`),
    check.explanation,
    `expected: ${shownText(check.expected)}`,
    `observed: ${shownText(check.observed)}`,
    ...check.evidence.map(
      ({ what, seqs, total }) =>
        `evidence: ${what} (${number(total)}; seq ${seqs.join(', ')}${total > seqs.length ? ', …' : ''})`,
    ),
  ]
    .map(visible)
    .map(xml)
    .join('\n');
  const message = xml(visible(causes[0]?.text ?? check.explanation));
  const verdict = {
    pass: '',
    fail: `      <failure type="${xml(check.id)}" message="${message}">${account}</failure>\n`,
    inconclusive: `      <skipped message="inconclusive: ${message}"/>\n`,
  }[check.verdict];
  const out = check.verdict === 'fail' ? '' : `      <system-out>${account}</system-out>\n`;
  return `    <testcase classname="${xml(`tryon.${run.scenario.name}`)}" name="${xml(`${check.id}: ${visible(check.title)}`)}" time="0">
${verdict}${out}    </testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 has no way to write most control characters, so `visible` has to have been at foreign text; here it is again. */
function xml(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
