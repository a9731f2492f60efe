import { counted, listed, number } from '../../amounts.ts';
import { caused, type Suspect, shown } from '../diagnosis/cause.ts';
import { interfaceEndpoints } from '../diagnosis/requests.ts';
import { judgeProbes, type ProbeRow, unanswered } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { keyCauses, wayOf } from './key-causes.ts';

/** RFC 6750 has 400 for a malformed header, and the interface 401 for an invalid key: either refuses these. */
const malformed: readonly string[] = ['quoted', 'basic', 'token'];

/** What was done to the key, in words. */
const words: Readonly<Record<string, string>> = {
  'cut-by-1': 'without its last character',
  'last-changed': 'last character changed',
  'byte-73-changed': 'byte 73 changed',
  case: 'upper and lower case exchanged',
  longer: 'one character longer',
  twice: 'written twice',
  quoted: 'in quotes',
  basic: 'with the scheme Basic',
  token: 'with the scheme Token',
  'session-token': 'replaced by a session token',
};

/**
 * A key that resembles a valid one gets 401: a target that compares a part of the key only, or compares it loosely, lets
 * some of these in. Nothing for runs that sent none.
 */
export function checkNearKeys(probes: readonly ProbeRow[]): CheckResult[] {
  const asked = probes.filter(({ probe }) => probe.startsWith('near-key:'));
  if (asked.length === 0) return [];
  const names = [...new Set(asked.map(({ probe }) => probe))];
  const judged = judgeProbes(asked, names, isRefused);
  const answered = asked.filter((row) => unanswered(row) === undefined);
  const wrong = answered.filter((row) => !isRefused(row));
  const unclear = [
    ...asked.flatMap((row) => {
      const silence = unanswered(row);
      return silence === undefined ? [] : `${formOf(row)} on ${row.endpoint}: ${silence}`;
    }),
    ...interfaceEndpoints
      .filter((name) => !asked.some(({ endpoint }) => endpoint === name))
      .map((name) => `${name}: none was sent`),
  ];
  const verdict = wrong.length > 0 ? 'fail' : unclear.length > 0 ? 'inconclusive' : 'pass';
  return [
    {
      id: 'contract.near-keys',
      title: 'A key that only resembles a valid one gets 401',
      verdict,
      expected: '401 for each altered form of the load key; 400 as well where the header is malformed',
      observed: judged.observed,
      explanation:
        verdict === 'fail'
          ? `Expected 401 for an altered load key, got ${listed(wrong.map((row) => `${row.status} from ${row.endpoint} (key ${formOf(row)})`))}: ${number(wrong.length)} of ${counted(answered.length, 'answer')}.`
          : verdict === 'inconclusive'
            ? `Not every altered form of the load key was answered: ${listed(unclear)}.`
            : `${counted(answered.length, 'altered form')} of the load key got ${answered.some(({ status }) => status === 400) ? '400 or 401' : '401'}, each on one endpoint: ${listed([...new Set(answered.map(formOf))], names.length)}.`,
      evidence: judged.evidence,
      ...caused(nearKeyCauses(wrong)),
    },
  ];
}

function nearKeyCauses(wrong: readonly ProbeRow[]): Suspect[] {
  const accepted = wrong.filter((row) => wayOf(row) === 'let-in');
  return [
    ...(accepted.length === 0
      ? []
      : [
          shown(
            'key-compared-loosely',
            { accepted: [...new Set(accepted.map(formOf))] },
            accepted.map(({ seq }) => seq),
          ),
        ]),
    ...keyCauses(wrong.filter((row) => !accepted.includes(row))),
  ];
}

function isRefused(row: ProbeRow): boolean {
  return row.status === 401 || (row.status === 400 && malformed.includes(kindOf(row)));
}

function kindOf({ probe }: ProbeRow): string {
  return probe.split(':')[1] ?? '';
}

/** `cut to 16 characters`. */
function formOf(row: ProbeRow): string {
  const kind = kindOf(row);
  return words[kind] ?? `${kind.replaceAll('-', ' ')} characters`;
}
