import type { CauseCode } from '../../src/checks/causes/cause.ts';
import type { CheckResult } from '../../src/checks/core/verdict.ts';
import { diagnose } from '../../src/checks/diagnosis/diagnose.ts';

/** The codes of the probable causes of some results, the likeliest first. */
export function causeCodes(results: readonly (CheckResult | undefined)[]): readonly CauseCode[] {
  return diagnose(results.filter((result) => result !== undefined)).causes.map(({ cause }) => cause.code);
}
