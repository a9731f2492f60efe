import type { RunInfo } from '../history/run.ts';
import type { CheckGroup } from './check-ids.ts';
import type { CheckResult } from './verdict.ts';

/** What of a group was not even tried, because the run had no room for it: nothing is known of that. */
export function leftOutOf(group: CheckGroup, { left_out = [] }: Pick<RunInfo, 'left_out'>): CheckResult[] {
  return left_out
    .filter(({ checks }) => checks.includes(group))
    .map(({ name, question, why }) => ({
      id: `${group}.left-out-${name}`,
      title: question,
      verdict: 'inconclusive',
      expected: 'that part of the scenario',
      observed: 'left out',
      explanation: `Left out: ${why}`,
      evidence: [],
    }));
}
