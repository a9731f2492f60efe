import { titleOf } from '../catalogue/check-catalogue.ts';
import { reasonText } from '../reasons/reason.ts';
import type { CheckFinding, CheckResult, Evidence } from './verdict.ts';

/** What a check found, in words. The only place where a finding becomes sentences, and the last step of judging. */
export function render(finding: CheckFinding): CheckResult {
  const title = titleOf(finding.id, finding.titleParams);
  return {
    ...finding,
    expected: finding.expected ?? title,
    evidence: evidenceOf(finding),
    title,
    explanation: statementsOf(finding).join(' '),
  };
}

/** What shows a failure comes first: a check may name all that it judged, most of which is right. */
function evidenceOf({ causes = [], evidence = [], verdict }: CheckFinding): readonly Evidence[] {
  if (verdict !== 'fail') return evidence;
  const showing = new Set(causes.flatMap(({ seqs = [] }) => seqs));
  const shows = ({ seqs }: Evidence): boolean => seqs.some((seq) => showing.has(seq));
  return [...evidence.filter(shows), ...evidence.filter((each) => !shows(each))];
}

/** The parts of an explanation, for a report that lists them. */
export function statementsOf({ reasons }: Pick<CheckFinding, 'reasons'>): string[] {
  return reasons.map(reasonText);
}
