import type { CheckResult } from '../../src/checks/core/verdict.ts';
import type { Judgement } from '../../src/checks/diagnosis/diagnosis.ts';

/** Text that would break out of a page, a terminal, a table or a code span, if anything let it. */
export const hostile =
  '</script><script>alert(1)</script><img src=x onerror=alert(1)>"\'`|*_[a](http://evil.example)@octocat #12 <!-- \u202egnp.exe \u05d0\u05d1 \u001b[31mred\u0007 ]]> \ud800';

const check: CheckResult = {
  id: 'contract.auth',
  title: hostile,
  verdict: 'fail',
  expected: { [hostile]: hostile, list: [hostile, 1], nested: [{ [hostile]: { min: 1, max: 2 } }] },
  observed: hostile,
  explanation: hostile,
  reasons: [],
  evidence: [{ what: hostile, seqs: [1, 2, 999], total: 3 }],
};

/** A judgement in which a target and a scenario chose every word. */
export const hostileJudgement: Judgement = {
  verdict: 'fail',
  generatorBound: true,
  diagnosis: { causes: [], unexplained: [] },
  checks: [
    check,
    { ...check, id: 'quota.edge', verdict: 'inconclusive' },
    { ...check, id: 'books.sent', verdict: 'pass' },
  ],
};
