import { countedRange, listed, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';

/** ` on the quota key`, ` on the keys quota, twin together`. There are four keys at most. */
export function onKeys(keys: readonly string[]): string {
  return keys.length <= 1 ? ` on the ${keys[0] ?? 'quota'} key` : ` on the keys ${listed(keys, 4)} together`;
}

/** Fields of the profile, as they are written there. */
export function fieldsText(fields: readonly string[]): string {
  return listed(fields.map((field) => `\`${field}\``));
}

const keys: readonly string[] = ['twin', 'load'];
const fields: readonly string[] = ['quota.twin', 'data_scope'];

/** Reasons that say whose sessions may have spent the quota. */
export const quotaKeyReasons = {
  'quota-not-fresh': wording(
    {},
    () =>
      'The profile does not say that the account is fresh (`quota.fresh`), so others or earlier runs may have used the rest.',
  ),
  'quota-rest-on-key': wording(
    { key: 'load', sessions: { min: 1, max: 3 } },
    ({ key, sessions }) =>
      `The ${key} key made ${countedRange(sessions, 'session')}, which may have spent the rest.`,
  ),
  'quota-keys-unknown': wording(
    { fields },
    ({ fields }) =>
      `Neither the profile (${fieldsText(fields)}) nor an answer shows whether other keys spend this quota.`,
  ),
  'quota-spent-against-promise': wording(
    { keys },
    ({ keys }) =>
      `Probable cause: the ${listed(keys)} ${verb(keys.length, 'key', 'keys')} also ${verb(keys.length, 'spends', 'spend')} this quota. The profile says that another account does.`,
  ),
  'quota-likely-keys': wording(
    { keys, fields },
    ({ fields, keys }) =>
      `From then on the ${listed(keys)} ${verb(keys.length, 'key', 'keys')} got 402 as well. Sessions on ${verb(keys.length, 'it', 'them')} may have spent the same quota; the profile does not say so (${fieldsText(fields)}).`,
  ),
  'quota-sharing-unspent': wording({}, () => 'The quota was not spent.'),
  'quota-sharing-untried': wording({}, () => 'No other key was tried.'),
  'quota-sharing-same-key': wording(
    { key: 'twin' },
    ({ key }) => `The ${key} key is the quota key itself, so it shows nothing.`,
  ),
  'quota-sharing-maybe': wording(
    { key: 'twin' },
    ({ key }) => `The ${key} key got 402 as well; it may have spent a separate quota.`,
  ),
  'quota-sharing-unclear': wording<{
    key: string;
    beforeStatus: number | null;
    afterStatus: number | null;
  }>(
    { key: 'twin', beforeStatus: 201, afterStatus: null },
    ({ afterStatus, beforeStatus, key }) =>
      `The ${key} key got ${beforeStatus ?? 'no status'} before the quota was spent, and ${afterStatus ?? 'no status'} after. This does not show which quota it spends.`,
  ),
  'quota-sharing-found': wording(
    { key: 'twin', isShared: true },
    ({ isShared, key }) =>
      `The ${key} key and the quota key ${isShared ? 'share one quota' : 'have separate quotas'}.`,
  ),
  'quota-sharing-contradicts': wording<{
    key: string;
    isShared: boolean;
    told: 'same-account' | 'other-account';
  }>(
    { key: 'twin', isShared: true, told: 'other-account' },
    ({ isShared, key, told }) =>
      `Expected \`${told}\` for the ${key} key, as the profile says; its quota is ${isShared ? 'shared with' : 'separate from'} that of the quota key.`,
  ),
} as const;
