import { describe, expect, it } from 'vitest';
import { type CheckFinding, type Verdict, withData } from '../../../src/checks/core/verdict.ts';
import { referToStudy } from '../../../src/checks/rate-limit/promise/as-studied.ts';
import { type Reason, reason } from '../../../src/checks/reasons/reason.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';

function result(id: CheckId, verdict: Verdict, ...reasons: Reason[]): CheckFinding {
  return { id, verdict, expected: null, observed: null, reasons, evidence: [] };
}

function studied(name: string, verdict: Verdict = 'pass'): CheckFinding[] {
  return [withData('rate-limit.algorithm', result('rate-limit.algorithm', verdict), { possible: [name] })];
}

const taken = reason('stream-unanswered', { stream: { key: 'load', endpoint: null } });
const enforced = withData('rate-limit.enforced', result('rate-limit.enforced', 'pass', taken), {
  kinds: ['sliding window'],
});

describe('what the load alone was taken for', () => {
  it('is referred to the study where that found another limiter', () => {
    const limiter = 'token bucket refilled once a window';
    const { reasons, verdict } = referToStudy(enforced, studied(limiter));
    expect([verdict, reasons]).toEqual(['pass', [taken, reason('study-tells-more', { limiter })]]);
  });

  it('is referred to it where the other is a special case by name', () => {
    const limiter = 'sliding window (rejections count)';
    const { reasons } = referToStudy(enforced, studied(limiter));
    expect(reasons).toContainEqual(reason('study-tells-more', { limiter }));
  });

  it.each<[string, CheckFinding, CheckFinding[]]>([
    ['the study found the same', enforced, studied('sliding window')],
    ['the study did not decide', enforced, studied('fixed window', 'inconclusive')],
    ['there was no study', enforced, []],
    ['the limit was not kept', result('rate-limit.enforced', 'fail', taken), studied('fixed window')],
    ['the check is another', result('rate-limit.admitted', 'pass', taken), studied('fixed window')],
  ])('stands as it is where %s', (_sentence, each, study) => {
    expect(referToStudy(each, study)).toBe(each);
  });
});
