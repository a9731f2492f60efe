import type { CauseCode } from '../../src/checks/diagnosis/cause.ts';
import { diagnose } from '../../src/checks/diagnosis/diagnose.ts';
import type { CheckResult } from '../../src/checks/verdict.ts';

/** The codes of the probable causes of some results, the likeliest first. */
export function causeCodes(results: readonly (CheckResult | undefined)[]): readonly CauseCode[] {
  return diagnose(results.filter((result) => result !== undefined)).causes.map(({ cause }) => cause.code);
}
