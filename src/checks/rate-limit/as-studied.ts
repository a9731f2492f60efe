import { dataOf } from '../check-data.ts';
import type { CheckResult } from '../verdict.ts';

/**
 * The load alone is explained by the first simple limiter that fits; a study tells more kinds apart. Where it decided for
 * another, the result says so, so that two names do not stand side by side for one limiter.
 */
export function referToStudy(result: CheckResult, studied: readonly CheckResult[]): CheckResult {
  if (result.id !== 'rate-limit.enforced' || result.verdict !== 'pass') return result;
  const algorithm = studied.find(({ id }) => id === 'rate-limit.algorithm');
  if (algorithm === undefined || algorithm.verdict === 'inconclusive') return result;
  const [name] = dataOf(studied, 'rate-limit.algorithm')?.possible ?? [];
  const named = dataOf([result], 'rate-limit.enforced')?.kinds ?? [];
  if (name === undefined || named.includes(name)) return result;
  return {
    ...result,
    explanation: `${result.explanation} The study tells more kinds apart: it found a ${name} (rate-limit.algorithm).`,
  };
}
