import type { CheckFinding } from '../verdict.ts';

/** A finding as it is published: only a failure has causes. */
export function ofFailures(finding: CheckFinding): CheckFinding {
  if (finding.causes === undefined || (finding.verdict === 'fail' && finding.causes.length > 0))
    return finding;
  const { causes: _, ...rest } = finding;
  return rest;
}
