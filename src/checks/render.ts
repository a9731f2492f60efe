import { type Expects, expectedText } from './reasons/expected.ts';
import { reasonText } from './reasons/reason.ts';
import { titleOf } from './titles.ts';
import type { CheckFinding, CheckResult, Shown } from './verdict.ts';

/** What a check found, in words. The only place where a finding becomes sentences, and the last step of judging. */
export function render(finding: CheckFinding): CheckResult {
  return {
    ...finding,
    expected: isExpects(finding.expected) ? expectedText(finding.expected) : finding.expected,
    evidence: finding.evidence ?? [],
    title: titleOf(finding.id, finding.titleParams),
    explanation: statementsOf(finding).join(' '),
  };
}

/** The parts of an explanation, for a report that lists them. */
export function statementsOf({ reasons }: Pick<CheckFinding, 'reasons'>): string[] {
  return reasons.map(reasonText);
}

function isExpects(expected: Shown | Expects): expected is Expects {
  return typeof expected === 'object' && expected !== null && 'expects' in expected;
}
