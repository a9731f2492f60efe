import { fits, type Suspect, shown } from '../causes/cause.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { Account, KeyFacts, QuotaPeriod } from './account.ts';
import type { QuotaSpending } from './spending.ts';

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
