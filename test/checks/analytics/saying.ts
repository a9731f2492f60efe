import { expect } from 'vitest';
import { checkAnalytics } from '../../../src/checks/analytics.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckFinding, CheckResult } from '../../../src/checks/core/verdict.ts';
import type { Reason, ReasonCode } from '../../../src/checks/reasons/reason.ts';
import type { History } from '../../../src/history/history.ts';

/** `checkAnalytics`, in words. */
export async function checkedAnalytics(history: History): Promise<CheckResult[]> {
  return (await checkAnalytics(history)).map(render);
}

type ParamsOf<Code extends ReasonCode> = Extract<Reason, { readonly code: Code }>['params'];

/** A reason of one code, with these parameters among others. */
export function saying<Code extends ReasonCode>(
  code: Code,
  params: Partial<Record<keyof ParamsOf<Code>, unknown>> = {},
): unknown {
  return expect.objectContaining({ code, params: expect.objectContaining<object>(params) });
}

/** What a finding says, by its codes. */
export function codesOf(finding: CheckFinding | undefined): ReasonCode[] {
  return (finding?.reasons ?? []).map(({ code }) => code);
}
