import { counted, verb } from '../../amounts.ts';
import { fits } from '../diagnosis/cause.ts';
import { evidenceOf } from '../found.ts';
import type { Judged, Spending } from './spending.ts';

/** No session is admitted that was asked for after a 402 had come back. */
export function checkClosed(spending: Spending): Judged {
  const { refused, admittedLate } = spending;
  return {
    verdict: refused.total === 0 ? 'inconclusive' : admittedLate.total > 0 ? 'fail' : 'pass',
    expected: { 'admitted after a 402': 0 },
    observed: { 'admitted after a 402': admittedLate.total, 'refused with 402': refused.total },
    explanation:
      refused.total === 0
        ? 'No attempt was refused with 402, so there is no end to look past.'
        : admittedLate.total > 0
          ? `${counted(admittedLate.total, 'session')} ${verb(admittedLate.total, 'was', 'were')} admitted though asked for after a 402 had been answered.`
          : 'Every attempt sent after the first 402 was refused as well.',
    evidence: [
      ...evidenceOf('admitted after a 402', admittedLate),
      ...evidenceOf('refused with 402', refused),
    ],
    causes: [
      fits('quota-reopens', { admitted: admittedLate.total }, [
        ...refused.seqs.slice(0, 1),
        ...admittedLate.seqs,
      ]),
    ],
  };
}
