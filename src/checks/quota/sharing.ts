import { counted } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { fits, type Suspect, shown } from '../causes/cause.ts';
import { evidenceOf, find } from '../core/found.ts';
import { isProbe } from '../core/probes.ts';
import { mergeVerdicts, type Verdict } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { Account, KeyFacts, QuotaPeriod } from './account.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

const others = ['bystander', 'twin', 'load'] as const;

/** Whether the quota that was spent is also that of the run's other keys, by what each could open before and after. */
export async function judgeSharing(
  history: History,
  { account, rejected }: QuotaSpending,
): Promise<QuotaFinding> {
  const { keys } = history.run;
  const given = others.filter((role) => keys[role] !== undefined);
  const apart = given.filter((role) => !account.of[role].isSameKey);
  const parts =
    rejected.length === 0
      ? [inconclusive(reason('quota-sharing-unspent'))]
      : apart.flatMap((role) => (account.blockedKeys.includes(role) ? [] : judgeKey(role, account.of[role])));
  if (account.blockedKeys.length > 0) parts.push(blocked(account.blockedKeys));
  if (parts.length === 0) parts.push(inconclusive(reason('quota-sharing-untried')));
  const same = given.filter((role) => account.of[role].isSameKey);
  const seqs = await find(
    history,
    `${isProbe('quota:twin', 'quota:other-account', 'quota:load')} AND sent_ns IS NOT NULL`,
  );
  return {
    verdict: mergeVerdicts(parts.map(({ verdict }) => verdict)),
    expected: Object.fromEntries(given.map((role) => [role, account.of[role].told])),
    observed: Object.fromEntries(
      apart.flatMap((role) => [
        [`HTTP status, ${role} key, before`, account.of[role].before ?? null],
        [`HTTP status, ${role} key, after`, account.of[role].after ?? null],
      ]),
    ),
    reasons: [
      ...parts.map((part) => part.reason),
      ...same.map((role) => reason('quota-sharing-same-key', { key: role })),
    ],
    evidence: evidenceOf(counted(seqs.total, 'session'), seqs),
    causes: parts.flatMap(({ causes = [] }) => causes),
  };
}

interface KeySharing {
  readonly verdict: Verdict;
  readonly reason: Reason;
  /** Of a failure. */
  readonly causes?: readonly Suspect[];
}

function inconclusive(reason: Reason): KeySharing {
  return { verdict: 'inconclusive', reason };
}

function blocked(roles: readonly string[]): KeySharing {
  const why = reason('quota-sharing-blocked', { keys: roles });
  return { verdict: 'fail', reason: why, causes: [shown('quota-blocks-accounts', { roles }, [])] };
}

/** A key that could open a session before the quota of another was spent, and what it could after. */
function judgeKey(role: (typeof others)[number], facts: KeyFacts): KeySharing[] {
  const { after, found, told } = facts;
  // Runs of earlier versions did not request sessions with the load key.
  if (after === undefined && role === 'load') return [];
  if (found === 'discover') return [inconclusive(unclear(role, facts))];
  const isShared = found === 'same-account';
  if (told === 'discover' || told === found)
    return [{ verdict: 'pass', reason: reason('quota-sharing-found', { key: role, isShared }) }];
  return [
    {
      verdict: 'fail',
      reason: reason('quota-sharing-contradicts', { key: role, isShared, told }),
      causes: whyOtherAccount(role, facts, []),
    },
  ];
}

function unclear(role: string, { before, after }: KeyFacts): Reason {
  return after === 402
    ? reason('quota-sharing-maybe', { key: role })
    : reason('quota-sharing-unclear', {
        key: role,
        beforeStatus: before ?? null,
        afterStatus: after ?? null,
      });
}

/** The fields of the profile that say whether keys are of the account. */
export function fieldsOf(keys: readonly string[]): string[] {
  return [...new Set(keys.map((key) => (key === 'twin' ? 'quota.twin' : 'data_scope')))];
}

/** Why sessions on other keys leave it open how much of the quota was spent. */
export function otherKeysReasons({ elsewhere }: QuotaSpending): Reason[] {
  const fields = fieldsOf(elsewhere.map(({ credential }) => credential));
  return [
    ...elsewhere.map(({ credential, least, most }) =>
      reason('quota-rest-on-key', { key: credential, sessions: { min: least, max: most } }),
    ),
    reason('quota-keys-unknown', { fields }),
  ];
}

/** Why a key is of another account than told: the target counts for the wrong one, or the profile is wrong about the key. */
export function whyOtherAccount(
  role: string,
  { found, isSure, told }: KeyFacts,
  seqs: readonly number[],
): Suspect[] {
  const isPromised = isSure || role !== 'twin';
  const name = isPromised ? shown : fits;
  return [
    ...(isPromised ? [] : [fits('profile-false', { field: 'quota.twin', told, found }, seqs)]),
    found === 'same-account'
      ? name('quota-shared-by-accounts', { role }, seqs)
      : name('quota-per-key', { role }, seqs),
  ];
}

/** Keys that spend the quota, and of which the profile says that they cannot. */
export function sharingAgainstPromise({ of }: Account): (keyof Account['of'])[] {
  return (['load', 'twin', 'bystander'] as const).filter(
    (role) => of[role].told === 'other-account' && of[role].found === 'same-account',
  );
}

/** A probable cause of a quota that ends early: another key spends it, and the profile says that it cannot. */
export function sharedAgainstPromise(account: Account): Reason[] {
  const keys = sharingAgainstPromise(account);
  return keys.length === 0 ? [] : [reason('quota-spent-against-promise', { keys })];
}

/** Where the quota renewed meanwhile: what of the run is judged. */
export function renewalReasons({ leftOut, renewed }: QuotaPeriod): Reason[] {
  return renewed.length === 0 ? [] : [reason('quota-renewed', { atMs: renewed, leftOut })];
}
