import { isObject } from '../../target/json.ts';
import type { Profile } from '../../target/profile.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { answerOf, evidenceOf, lastOf, silenceOf } from './asked.ts';

type Outcome = Pick<CheckResult, 'verdict' | 'explanation' | 'causes'>;

/**
 * Accounts cannot read each other’s data. Nothing where there was no second key to ask with. Whose keys are of
 * one account is for the profile to say; where it does not, the catalog shows whether the keys share anything at all.
 */
export function checkTenancy(probes: readonly ProbeRow[], scope: Profile['data_scope']): CheckResult[] {
  const session = lastOf(probes, 'tenancy:read-session');
  if (session === undefined) return [];
  const list = lastOf(probes, 'tenancy:list-shades');
  return [
    {
      id: 'contract.tenancy',
      title: 'Accounts cannot read each other’s data',
      expected:
        scope === 'shared' ? 'session and catalog shared by all keys' : { session: 404, catalog: 404 },
      observed: { session: answerOf(session), catalog: answerOf(list) },
      ...judge(session, list, scope, isMadeUp(session, probes)),
      evidence: evidenceOf(session, list),
    },
  ];
}

function judge(
  session: ProbeRow,
  list: ProbeRow | undefined,
  scope: Profile['data_scope'],
  madeUp: boolean,
): Outcome {
  const silence = silenceOf(session);
  if (silence !== undefined)
    return { verdict: 'inconclusive', explanation: `The bystander's key could not ask: ${silence}.` };
  if (scope === 'shared') return judgeShared(session, list);
  const seen = [...(is2xx(session) ? ['session'] : []), ...(isSeen(list) ? ['catalog'] : [])];
  const what = `The ${seen.join(' and the ')} of the load key ${seen.length > 1 ? 'are' : 'is'} there for the bystander's`;
  if (is2xx(session) && scope === 'per-key')
    return {
      verdict: 'fail',
      explanation: `${what}, though the profile says that each has its own data.`,
      causes: seenCauses(session, list, madeUp),
    };
  if (is2xx(session) && isSeen(list))
    return {
      verdict: 'pass',
      explanation: `${what}: the two keys look like keys of one account. If they are not, this is a leak; the profile can say so (data_scope: per-key).`,
    };
  if (is2xx(session))
    return {
      verdict: 'inconclusive',
      explanation: `${what}, while its catalog is not. If these are keys of two accounts, this is a leak; the profile does not say (data_scope).`,
    };
  if (session.status !== 404)
    return {
      verdict: (session.status ?? 0) >= 500 || scope === 'discover' ? 'inconclusive' : 'fail',
      explanation: `The session of the load key was answered with ${session.status} for the bystander's key, not with 404.`,
      ...(session.status === null
        ? {}
        : {
            causes: [shown('foreign-session-refused-otherwise', { status: session.status }, [session.seq])],
          }),
    };
  if (isSeen(list) && scope === 'per-key')
    return {
      verdict: 'fail',
      explanation: `${what}, though the profile says that each has its own data.`,
      causes: [shown('accounts-not-separate', { what: ['catalog'] }, seqsOf(list))],
    };
  return {
    verdict: 'pass',
    explanation: `The session of the load key is not there for the bystander's${isSeen(list) ? ', though its catalog is' : ', nor is its catalog'}.`,
  };
}

/** Both the session and the catalog: the keys may as well be of one account, which the profile then gets wrong. */
function seenCauses(session: ProbeRow, list: ProbeRow | undefined, madeUp: boolean): readonly Suspect[] {
  if (madeUp)
    return [
      fits('unknown-id-answered', { endpoints: [session.endpoint], statuses: [session.status ?? 200] }, [
        session.seq,
      ]),
    ];
  if (!isSeen(list)) return [shown('accounts-not-separate', { what: ['session'] }, [session.seq])];
  const seqs = [session.seq, ...seqsOf(list)];
  return [
    fits('accounts-not-separate', { what: ['session', 'catalog'] }, seqs),
    fits('profile-false', { field: 'data_scope', told: 'per-key', found: 'shared' }, seqs),
  ];
}

/** The target answers for sessions that do not exist, too, and this answer does not show the product of the one that does. */
function isMadeUp(session: ProbeRow, probes: readonly ProbeRow[]): boolean {
  if (!probes.some((row) => row.probe === 'unknown-session' && is2xx(row))) return false;
  const opened = probes.find(
    ({ probe, session_id }) => probe === 'canary:create-session' && session_id === session.session_id,
  );
  const body: unknown = session.body === null ? undefined : JSON.parse(session.body);
  return !isObject(body) || opened === undefined || body.product_id !== opened.product_id;
}

function judgeShared(session: ProbeRow, list: ProbeRow | undefined): Outcome {
  const seqs = [session.seq, ...seqsOf(list)];
  return is2xx(session)
    ? { verdict: 'pass', explanation: 'All keys see the same sessions, as the profile says.' }
    : {
        verdict: (session.status ?? 0) >= 500 ? 'inconclusive' : 'fail',
        explanation: `The profile says that all keys see the same data, yet the session of the load key was answered with ${session.status} for the bystander's.`,
        causes:
          isSeen(list) && session.status !== null
            ? [fits('session-disappears', { reads: 1, status: session.status }, seqs)]
            : [
                (list?.status === 404 ? shown : fits)(
                  'profile-false',
                  { field: 'data_scope', told: 'shared', found: 'per-key' },
                  seqs,
                ),
              ],
      };
}

function seqsOf(list: ProbeRow | undefined): readonly number[] {
  return list === undefined ? [] : [list.seq];
}

function isSeen(list: ProbeRow | undefined): boolean {
  return list !== undefined && silenceOf(list) === undefined && is2xx(list);
}
