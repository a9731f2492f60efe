import type { RunInfo } from '../history/run.ts';
import type { CheckGroup } from '../vocabulary/check-ids.ts';
import { expects } from './reasons/expected.ts';
import { reason } from './reasons/reason.ts';
import type { CheckFinding } from './verdict.ts';

/** What of a group was not even tried, because the run had no room for it: nothing is known of that. */
export function leftOutOf(group: CheckGroup, { left_out = [] }: Pick<RunInfo, 'left_out'>): CheckFinding[] {
  return left_out
    .filter(({ checks }) => checks.includes(group))
    .map(({ name, question, why }) => ({
      id: `${group}.left-out-${name}`,
      titleParams: { question },
      verdict: 'inconclusive',
      expected: expects('left-out'),
      observed: 'left out',
      reasons: [reason('left-out', { why })],
    }));
}
