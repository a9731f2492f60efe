import { malformedKeys } from '../../vocabulary/probes.ts';
import { caused, type Suspect, shown } from '../diagnosis/cause.ts';
import { interfaceEndpoints } from '../diagnosis/requests.ts';
import { gotOf, judgeProbes, type ProbeRow, unanswered } from '../probes.ts';
import { keyFormText } from '../reasons/contract/key-forms.ts';
import { expects } from '../reasons/expected.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { CheckFinding } from '../verdict.ts';
import { firstReasons } from './first-reasons.ts';
import { keyCauses, wayOf } from './key-causes.ts';

/** RFC 6750 gives 400 for a malformed header, and the interface 401 for an invalid key: either is right here. */
const malformed: readonly string[] = malformedKeys;

/**
 * A key that resembles a valid one gets 401: a target that compares keys in part, or loosely, accepts some of these. No
 * finding for runs that sent none.
 */
export function checkNearKeys(probes: readonly ProbeRow[]): CheckFinding[] {
  const sent = probes.filter(({ probe }) => probe.startsWith('near-key:'));
  if (sent.length === 0) return [];
  const names = [...new Set(sent.map(({ probe }) => probe))];
  const judged = judgeProbes(sent, names, isRejected);
  const answered = sent.filter((row) => unanswered(row) === undefined);
  const wrong = answered.filter((row) => !isRejected(row));
  const notSent = interfaceEndpoints.filter((name) => !sent.some(({ endpoint }) => endpoint === name));
  const unclear = [
    ...sent.flatMap((row) =>
      unanswered(row) === undefined
        ? []
        : [reason('near-keys-unclear', { form: kindOf(row), endpoint: row.endpoint, got: gotOf(row) })],
    ),
    ...(notSent.length === 0 ? [] : [reason('near-keys-not-sent', { endpoints: notSent })]),
  ];
  const verdict = wrong.length > 0 ? 'fail' : unclear.length > 0 ? 'inconclusive' : 'pass';
  return [
    {
      id: 'contract.near-keys',
      verdict,
      expected: expects('contract.near-keys'),
      observed: judged.observed,
      reasons:
        verdict === 'fail'
          ? wrongReasons(wrong, answered.length)
          : verdict === 'inconclusive'
            ? firstReasons(unclear)
            : [
                reason('near-keys-401', {
                  answers: answered.length,
                  statuses: [...new Set(answered.flatMap(({ status }) => status ?? []))],
                  forms: [...new Set(answered.map(kindOf))],
                }),
              ],
      evidence: judged.evidence,
      ...caused(nearKeyCauses(wrong)),
    },
  ];
}

function wrongReasons(wrong: readonly ProbeRow[], answers: number): Reason[] {
  return [
    ...firstReasons(
      wrong.map((row) =>
        reason('near-keys-status', { form: kindOf(row), endpoint: row.endpoint, status: row.status }),
      ),
    ),
    reason('near-keys-share', { wrong: wrong.length, answers }),
  ];
}

function nearKeyCauses(wrong: readonly ProbeRow[]): Suspect[] {
  const accepted = wrong.filter((row) => wayOf(row) === 'accepted');
  return [
    ...(accepted.length === 0
      ? []
      : [
          shown(
            'key-compared-loosely',
            { accepted: [...new Set(accepted.map((row) => keyFormText(kindOf(row))))] },
            accepted.map(({ seq }) => seq),
          ),
        ]),
    ...keyCauses(wrong.filter((row) => !accepted.includes(row))),
  ];
}

function isRejected(row: ProbeRow): boolean {
  return row.status === 401 || (row.status === 400 && malformed.includes(kindOf(row)));
}

function kindOf({ probe }: ProbeRow): string {
  return probe.split(':')[1] ?? '';
}
