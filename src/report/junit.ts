import { number } from '../amounts.ts';
import type { CheckResult } from '../checks/core/verdict.ts';
import type { RunInfo } from '../history/run.ts';
import type { ReportAnswer } from './answer.ts';
import { shownText } from './shown.ts';
import { visible } from './text.ts';
import { groupChecks } from './words.ts';

/** The check whose test case has the time of the run: all others judge the same run, and add nothing to it. */
const timedCheck = 'history.complete';

/**
 * The verdicts as JUnit XML: a test suite per group, a test case per check. A failed check is a `<failure>`. An
 * inconclusive one is `<skipped>` with its reason, since a `<failure>` would accuse the target without proof. Exit
 * code 3 says that the run proved too little.
 */
export function renderJunit({ findings, judgement, run }: ReportAnswer): string {
  const tookS = run.ended === undefined ? 0 : (run.ended.at_epoch_ms - run.zero_epoch_ms) / 1_000;
  const timeOf = (checks: readonly CheckResult[]): string =>
    (checks.some(({ id }) => id === timedCheck) ? tookS : 0).toFixed(3);
  const timestamp = new Date(run.zero_epoch_ms).toISOString().slice(0, 19);
  const causesOf = (check: CheckResult): string[] =>
    findings
      .filter(({ cause, checks }) => cause !== undefined && checks.includes(check))
      .map(({ title }) => title);
  const suites = groupChecks(judgement.checks).map(
    ({ checks, title }) =>
      `  <testsuite name="${xml(title)}" ${counts(checks)} time="${timeOf(checks)}" timestamp="${timestamp}">
    <properties>
      <property name="scenario" value="${xml(run.scenario.name)}"/>
      <property name="seed" value="${run.seed}"/>
      <property name="target" value="${xml(run.target.base_url)}"/>
      <property name="run" value="${xml(run.id)}"/>
      <property name="generator-bound" value="${judgement.generatorBound}"/>
    </properties>
${checks.map((check) => testCase(run, check, causesOf(check), timeOf([check]))).join('\n')}
  </testsuite>
`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${xml(`tryon ${run.scenario.name}`)}" ${counts(judgement.checks)} time="${tookS.toFixed(3)}">
${suites.join('')}</testsuites>
`;
}

function counts(checks: readonly CheckResult[]): string {
  const n = (verdict: CheckResult['verdict']): number =>
    checks.filter((check) => check.verdict === verdict).length;
  return `tests="${checks.length}" failures="${n('fail')}" errors="0" skipped="${n('inconclusive')}"`;
}

/** `causes`: the probable causes that explain a failed check. */
function testCase(run: RunInfo, check: CheckResult, causes: readonly string[], time: string): string {
  const account = [
    ...causes.map((each) => `probable cause: ${each}`),
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
  const message = xml(visible(causes[0] ?? check.explanation));
  const verdict = {
    pass: '',
    fail: `      <failure type="${xml(check.id)}" message="${message}">${account}</failure>\n`,
    inconclusive: `      <skipped message="inconclusive: ${message}"/>\n`,
  }[check.verdict];
  const out = check.verdict === 'fail' ? '' : `      <system-out>${account}</system-out>\n`;
  return `    <testcase classname="${xml(`tryon.${run.scenario.name}`)}" name="${xml(`${check.id}: ${visible(check.title)}`)}" time="${time}">
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
