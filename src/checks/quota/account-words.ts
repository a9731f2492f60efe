import { countedRange, listed } from '../../amounts.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import type { Account, KeyFacts } from './account.ts';
import type { Spending } from './spending.ts';

/** ` on the keys quota, twin together`; nothing where the quota is that of the `quota` key alone. */
export function onKeys(keys: readonly string[]): string {
  return keys.length === 1 ? '' : ` on the keys ${listed(keys)} together`;
}

/** The fields of the profile that say whether keys are of the account. */
export function fieldsOf(keys: readonly string[]): string {
  const fields = keys.map((key) => (key === 'twin' ? 'quota.twin' : 'data_scope'));
  return listed([...new Set(fields)]);
}

/** Why sessions on other keys leave it open how much of the quota was spent. */
export function otherKeysText({ elsewhere }: Spending): string {
  const made = elsewhere.map(({ credential, least, most }) => {
    return `${countedRange({ min: least, max: most }, 'session')} on the ${credential} key`;
  });
  const keys = elsewhere.map(({ credential }) => credential);
  return `${listed(made)} may have spent the rest: neither the profile (${fieldsOf(keys)}) nor an answer shows whether these are of the same account`;
}

/** Why sessions on other keys may have been too many. */
export function likelyKeysText({ likelyKeys }: Account): string {
  const were = likelyKeys.length === 1 ? 'key was' : 'keys were';
  return `From then on the ${listed(likelyKeys)} ${were} refused as well: sessions on ${likelyKeys.length === 1 ? 'it' : 'them'} may have spent the same quota, and the profile does not say so (${fieldsOf(likelyKeys)})`;
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
export function sharedAgainstPromise(account: Account): string {
  const sharing = sharingAgainstPromise(account);
  return sharing.length === 0
    ? ''
    : ` Probable cause: the key for role ${listed(sharing)} spends this quota as well, and the profile says that it has another account.`;
}
