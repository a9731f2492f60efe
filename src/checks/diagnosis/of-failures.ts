import type { CheckResult } from '../verdict.ts';

/** A result as it is published: only a failure has causes. */
export function ofFailures(result: CheckResult): CheckResult {
  if (result.causes === undefined || (result.verdict === 'fail' && result.causes.length > 0)) return result;
  const { causes: _, ...rest } = result;
  return rest;
}
