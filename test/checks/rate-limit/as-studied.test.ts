import { describe, expect, it } from 'vitest';
import { withData } from '../../../src/checks/check-data.ts';
import type { CheckId } from '../../../src/checks/check-ids.ts';
import { referToStudy } from '../../../src/checks/rate-limit/as-studied.ts';
import type { CheckResult, Verdict } from '../../../src/checks/verdict.ts';

function result(id: CheckId, verdict: Verdict, explanation: string): CheckResult {
  return { id, verdict, title: '', expected: null, observed: null, explanation, evidence: [] };
}

function studied(name: string, verdict: Verdict = 'pass'): CheckResult[] {
  return [
    withData('rate-limit.algorithm', result('rate-limit.algorithm', verdict, ''), { possible: [name] }),
  ];
}

const taken = 'A sliding window of 100 in 6 s explains every answer on load: 7 requests refused.';
const enforced = withData('rate-limit.enforced', result('rate-limit.enforced', 'pass', taken), {
  kinds: ['sliding window'],
});

describe('what the load alone was taken for', () => {
  it('is referred to the study where that found another limiter', () => {
    const { explanation, verdict } = referToStudy(enforced, studied('token bucket refilled once a window'));
    expect([verdict, explanation]).toEqual([
      'pass',
      `${taken} The study tells more kinds apart: it found a token bucket refilled once a window (rate-limit.algorithm).`,
    ]);
  });

  it('is referred to it where the other is a special case by name', () => {
    const { explanation } = referToStudy(enforced, studied('sliding window (rejections count)'));
    expect(explanation).toContain('The study tells more kinds apart');
  });

  it.each<[string, CheckResult, CheckResult[]]>([
    ['the study found the same', enforced, studied('sliding window')],
    ['the study did not decide', enforced, studied('fixed window', 'inconclusive')],
    ['there was no study', enforced, []],
    ['the limit was not kept', result('rate-limit.enforced', 'fail', taken), studied('fixed window')],
    ['the check is another', result('rate-limit.admitted', 'pass', taken), studied('fixed window')],
  ])('stands as it is where %s', (_sentence, each, study) => {
    expect(referToStudy(each, study)).toBe(each);
  });
});
