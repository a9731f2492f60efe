import { countedRange, listed, verb } from '../../../amounts.ts';

/** ` on the quota key`, ` on the keys quota, twin together`. There are four keys at most. */
export function onKeys(keys: readonly string[]): string {
  return keys.length <= 1 ? ` on the ${keys[0] ?? 'quota'} key` : ` on the keys ${listed(keys, 4)} together`;
}

/** Fields of the profile, as they are written there. */
export function fieldsText(fields: readonly string[]): string {
  return listed(fields.map((field) => `\`${field}\``));
}

/** Reasons that say whose sessions may have spent the quota. */
export const quotaKeyReasons = {
  'quota-not-fresh':
    'The profile does not say that the account is fresh (`quota.fresh`), so others or earlier runs may have used the rest.',
  'quota-rest-on-key': ({ key, sessions }: { key: string; sessions: { min: number; max: number } }) =>
    `The ${key} key made ${countedRange(sessions, 'session')}, which may have spent the rest.`,
  'quota-keys-unknown': ({ fields }: { fields: readonly string[] }) =>
    `Neither the profile (${fieldsText(fields)}) nor an answer shows whether other keys spend this quota.`,
  'quota-spent-against-promise': ({ keys }: { keys: readonly string[] }) =>
    `Probable cause: the ${listed(keys)} ${verb(keys.length, 'key', 'keys')} also ${verb(keys.length, 'spends', 'spend')} this quota. The profile says that another account does.`,
  'quota-likely-keys': ({ fields, keys }: { keys: readonly string[]; fields: readonly string[] }) =>
    `From then on the ${listed(keys)} ${verb(keys.length, 'key', 'keys')} got 402 as well. Sessions on ${verb(keys.length, 'it', 'them')} may have spent the same quota; the profile does not say so (${fieldsText(fields)}).`,
  'quota-sharing-unspent': 'The quota was not spent.',
  'quota-sharing-untried': 'No other key was tried.',
  'quota-sharing-same-key': ({ key }: { key: string }) =>
    `The ${key} key is the quota key itself, so it shows nothing.`,
  'quota-sharing-maybe': ({ key }: { key: string }) =>
    `The ${key} key got 402 as well; it may have spent a separate quota.`,
  'quota-sharing-unclear': (params: {
    key: string;
    beforeStatus: number | null;
    afterStatus: number | null;
  }) =>
    `The ${params.key} key got ${params.beforeStatus ?? 'no status'} before the quota was spent, and ${params.afterStatus ?? 'no status'} after. This does not show which quota it spends.`,
  'quota-sharing-found': ({ isShared, key }: { key: string; isShared: boolean }) =>
    `The ${key} key and the quota key ${isShared ? 'share one quota' : 'have separate quotas'}.`,
  'quota-sharing-contradicts': (params: {
    key: string;
    isShared: boolean;
    told: 'same-account' | 'other-account';
  }) =>
    `Expected \`${params.told}\` for the ${params.key} key, as the profile says; its quota is ${params.isShared ? 'shared with' : 'separate from'} that of the quota key.`,
} as const;
