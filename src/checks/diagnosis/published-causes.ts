import type { CheckFinding } from '../verdict.ts';
import { areaOf } from './cause.ts';

/** A finding as it is published: a failure has causes; an inconclusive check has those that lie in the generator. */
export function withPublishedCauses({ causes = [], ...finding }: CheckFinding): CheckFinding {
  const published =
    finding.verdict === 'fail' ? causes : causes.filter(({ cause }) => areaOf(cause) === 'generator');
  return finding.verdict === 'pass' || published.length === 0 ? finding : { ...finding, causes: published };
}
