import { fits } from '../causes/cause.ts';
import { evidenceOf } from '../core/found.ts';
import { reason } from '../reasons/reason.ts';
import { renewalReasons } from './account-words.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

/** No session is admitted that was requested after a 402 had come back. */
export function checkClosed(spending: QuotaSpending): QuotaFinding {
  const { rejected, admittedLate } = spending;
  return {
    verdict: rejected.total === 0 ? 'inconclusive' : admittedLate.total > 0 ? 'fail' : 'pass',
    expected: { 'admitted after a 402': 0 },
    observed: { 'admitted after a 402': admittedLate.total, 'rejected with 402': rejected.total },
    reasons: [
      rejected.total === 0
        ? reason('quota-closed-unspent')
        : admittedLate.total > 0
          ? reason('quota-closed-admitted', { sessions: admittedLate.total })
          : reason('quota-closed-held', { rejected: rejected.total }),
      ...renewalReasons(spending.period),
    ],
    evidence: [
      ...evidenceOf('admitted after a 402', admittedLate),
      ...evidenceOf('rejected with 402', rejected),
    ],
    causes: [
      fits('quota-reopens', { admitted: admittedLate.total }, [
        ...rejected.seqs.slice(0, 1),
        ...admittedLate.seqs,
      ]),
    ],
  };
}
