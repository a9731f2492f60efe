import { malformedKeys } from '../../../vocabulary/probes.ts';
import { caused, fits, type Suspect, shown } from '../../causes/cause.ts';
import { gotOf, is2xx, judgeProbes, type ProbeRow, unanswered } from '../../core/probes.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { formText } from '../../reasons/contract/keys.ts';
import { expects } from '../../reasons/expected.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import { interfaceEndpoints } from '../../reasons/words/requests.ts';

/** Statuses with which a service, or a gateway in front of it, rejects credentials. */
const rejections: readonly number[] = [400, 403, 405, 406, 407, 429];

type Way = 'accepted' | 'crash' | 'rejection';

/** What became of a request that should have got 401. */
export function wayOf({ status }: Pick<ProbeRow, 'status'>): Way {
  if (status === null || (status >= 300 && status < 400) || rejections.includes(status)) return 'rejection';
  return status >= 500 ? 'crash' : 'accepted';
}

/** Causes for requests without a valid key that got no 401, one for each outcome and set of credentials. */
export function keyCauses(wrong: readonly ProbeRow[]): Suspect[] {
  const byEndpoint = [...Map.groupBy(wrong, (row) => `${wayOf(row)} ${row.endpoint}`).values()];
  const alike = Map.groupBy(byEndpoint, ([first, ...more]) =>
    first === undefined ? '' : `${wayOf(first)} ${[...new Set([first, ...more].map(sentWith))].join()}`,
  );
  return [...alike.values()].map((groups) => causeOf(groups.flat()));
}

function causeOf(rows: readonly ProbeRow[]): Suspect {
  const [first] = rows;
  const params = {
    sent: [...new Set(rows.map(sentWith))],
    endpoints: [...new Set(rows.map(({ endpoint }) => endpoint))],
    statuses: [...new Set(rows.flatMap(({ status }) => status ?? []))],
  };
  const seqs = rows.map(({ seq }) => seq);
  switch (first === undefined ? 'rejection' : wayOf(first)) {
    case 'accepted':
      // A service may answer 404 alone to a request that it does not accept.
      return (rows.some(is2xx) ? shown : fits)('key-not-checked', params, seqs);
    case 'crash':
      return shown('key-check-crashes', params, seqs);
    case 'rejection':
      return shown('key-refused-otherwise', params, seqs);
  }
}

/** What a probe's request carried. Completes “Requests …”. */
function sentWith({ probe }: ProbeRow): string {
  const kind = probe.split(':')[0] ?? '';
  if (kind === 'spelled') return 'without a key, to a path that is spelled otherwise or by HEAD,';
  return kind === 'no-key' ? 'without a key' : 'with an unknown key';
}

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
            { accepted: [...new Set(accepted.map((row) => formText(kindOf(row))))] },
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
