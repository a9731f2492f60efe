import type { Profile } from '../../target/profile.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import type { CheckResult, Verdict } from '../verdict.ts';
import { answerOf, evidenceOf, lastOf, silenceOf } from './asked.ts';

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
      ...judge(session, list, scope),
      evidence: evidenceOf(session, list),
    },
  ];
}

function judge(
  session: ProbeRow,
  list: ProbeRow | undefined,
  scope: Profile['data_scope'],
): { readonly verdict: Verdict; readonly explanation: string } {
  const silence = silenceOf(session);
  if (silence !== undefined)
    return { verdict: 'inconclusive', explanation: `The bystander's key could not ask: ${silence}.` };
  if (scope === 'shared') return judgeShared(session);
  const seen = [...(is2xx(session) ? ['session'] : []), ...(isSeen(list) ? ['catalog'] : [])];
  const what = `The ${seen.join(' and the ')} of the load key ${seen.length > 1 ? 'are' : 'is'} there for the bystander's`;
  if (is2xx(session) && scope === 'per-key')
    return { verdict: 'fail', explanation: `${what}, though the profile says that each has its own data.` };
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
    };
  if (isSeen(list) && scope === 'per-key')
    return { verdict: 'fail', explanation: `${what}, though the profile says that each has its own data.` };
  return {
    verdict: 'pass',
    explanation: `The session of the load key is not there for the bystander's${isSeen(list) ? ', though its catalog is' : ', nor is its catalog'}.`,
  };
}

function judgeShared(session: ProbeRow): { readonly verdict: Verdict; readonly explanation: string } {
  return is2xx(session)
    ? { verdict: 'pass', explanation: 'All keys see the same sessions, as the profile says.' }
    : {
        verdict: (session.status ?? 0) >= 500 ? 'inconclusive' : 'fail',
        explanation: `The profile says that all keys see the same data, yet the session of the load key was answered with ${session.status} for the bystander's.`,
      };
}

function isSeen(list: ProbeRow | undefined): boolean {
  return list !== undefined && silenceOf(list) === undefined && is2xx(list);
}
