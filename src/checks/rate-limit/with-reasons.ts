import type { Reason } from '../reasons/reason.ts';
import type { CheckFinding } from '../verdict.ts';

/** A finding with more reasons after its own. */
export function withReasons(finding: CheckFinding, ...more: readonly Reason[]): CheckFinding {
  return more.length === 0 ? finding : { ...finding, reasons: [...(finding.reasons ?? []), ...more] };
}
