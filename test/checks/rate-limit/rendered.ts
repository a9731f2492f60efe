import { render } from '../../../src/checks/core/render.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { checkRateLimit } from '../../../src/checks/rate-limit.ts';
import type { History } from '../../../src/history/history.ts';

/** `checkRateLimit`, in words. */
export async function renderedRateLimit(history: History, most?: number): Promise<CheckResult[]> {
  return (await checkRateLimit(history, most)).map(render);
}
