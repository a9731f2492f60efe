import { z } from 'zod';
import type { CheckResult } from '../verdict.ts';

const decided = z.object({ 'still possible': z.record(z.string(), z.string()) });

/**
 * The load alone is explained by the first simple limiter that fits; a study tells more kinds apart. Where it decided for
 * another, the result says so, so that two names do not stand side by side for one limiter.
 */
export function referToStudy(result: CheckResult, studied: readonly CheckResult[]): CheckResult {
  if (result.id !== 'rate-limit.enforced' || result.verdict !== 'pass') return result;
  const algorithm = studied.find(({ id }) => id === 'rate-limit.algorithm');
  if (algorithm === undefined || algorithm.verdict === 'inconclusive') return result;
  const [name] = Object.keys(decided.safeParse(algorithm.observed).data?.['still possible'] ?? {});
  if (name === undefined || result.explanation.toLowerCase().includes(` ${name.toLowerCase()} of `))
    return result;
  return {
    ...result,
    explanation: `${result.explanation} The study tells more kinds apart: it found a ${name} (rate-limit.algorithm).`,
  };
}
