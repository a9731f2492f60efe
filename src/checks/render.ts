import { reasonText } from './reasons/reason.ts';
import { titleOf } from './titles.ts';
import type { CheckFinding, CheckResult } from './verdict.ts';

/** What a check found, in words. The only place where a finding becomes sentences, and the last step of judging. */
export function render(finding: CheckFinding): CheckResult {
  return {
    ...finding,
    title: titleOf(finding.id, finding.titleParams),
    explanation: finding.reasons.map(reasonText).join(' '),
  };
}
