import type { History } from '../../../history/history.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { is2xx, readProbes } from '../../core/probes.ts';
import { readAccount } from '../../quota/account.ts';
import { eachReasonOnce, type Reason, reason } from '../../reasons/reason.ts';

/**
 * Whose data a key sees is one question with one answer for each pair of keys, for every check that needs it: the profile, reads of
 * sessions, the quota, analytics. A limit is left out: it has a separate scope, such as each key or each address.
 */

/** What is known of a pair of keys otherwise than by analytics. */
export interface KnownPair {
  readonly pair: readonly [Role, Role];
  readonly are: 'together' | 'apart';
  /** `promise`: the profile's; `shown`: another check's. */
  readonly by: 'promise' | 'shown';
  readonly reason: Reason;
}

/** What is known of each pair of `keys`; a promise goes before what reads show, and that before the quota. */
export async function knownOfKeys(history: History, keys: readonly Role[]): Promise<KnownPair[]> {
  const promised = promises(history);
  const byReads = await shownByReads(history);
  // Where keys read each other's data, a quota is that of a key, and shows nothing of data.
  const byQuota = byReads.some(({ are }) => are === 'together') ? [] : await shownByQuota(history);
  return [...promised, ...byReads, ...byQuota].filter(
    ({ pair }, place, all) =>
      pair.every((key) => keys.includes(key)) && all.findIndex((other) => isSame(other.pair, pair)) === place,
  );
}

const pairs = roles.flatMap((one, place) =>
  roles.slice(place + 1).map((other): readonly [Role, Role] => [one, other]),
);

function isSame([a, b]: KnownPair['pair'], [c, d]: KnownPair['pair']): boolean {
  return a === c && b === d;
}

function promises({ profile: { data_scope: scope, quota } }: History): KnownPair[] {
  return pairs.flatMap((pair): KnownPair[] => {
    if (isSame(pair, ['quota', 'twin']) && quota.twin !== 'discover' && scope !== 'shared')
      return [
        {
          pair,
          are: quota.twin === 'same-account' ? 'together' : 'apart',
          by: 'promise',
          reason: reason('known-by-profile', { field: 'quota.twin', value: quota.twin }),
        },
      ];
    if (scope === 'discover') return [];
    const are = scope === 'shared' ? 'together' : 'apart';
    return [
      { pair, are, by: 'promise', reason: reason('known-by-profile', { field: 'data_scope', value: scope }) },
    ];
  });
}

/** What the bystander's key got of a session that the load key had read before. */
async function shownByReads(history: History): Promise<KnownPair[]> {
  const probes = await readProbes(history);
  const own = probes.find((row) => row.probe === 'canary:read-session' && is2xx(row));
  const others = probes.findLast((row) => row.probe === 'tenancy:read-session' && row.status !== null);
  const status = others?.status ?? null;
  if (others === undefined || status === null) return [];
  const canRead = is2xx(others);
  const isRejected = own !== undefined && (status === 404 || status === 403);
  if (!canRead && !isRejected) return [];
  return [
    {
      pair: ['load', 'bystander'],
      by: 'shown',
      are: canRead ? 'together' : 'apart',
      reason: reason('known-by-read', { canRead, status }),
    },
  ];
}

/** A key with a quota apart from that of the `quota` key is of another account. A shared quota shows nothing of data. */
async function shownByQuota(history: History): Promise<KnownPair[]> {
  const { of } = await readAccount(history);
  return roles.flatMap((role): KnownPair[] =>
    role === 'quota' || of[role].found !== 'other-account'
      ? []
      : [
          {
            pair: pairs.find((pair) => pair.includes('quota') && pair.includes(role)) ?? ['quota', role],
            are: 'apart',
            by: 'shown',
            reason: reason('known-by-quota', { key: role }),
          },
        ],
  );
}

/**
 * What rules out a way to share accounts; nothing where it is allowed. That a key reads what analytics count
 * apart is not held against analytics.
 */
export function ruledOut(known: readonly KnownPair[], accounts: Accounts): KnownPair[] {
  return known.filter(
    ({ pair, are, by }) =>
      areTogether(accounts, pair) !== (are === 'together') && (are === 'apart' || by === 'promise'),
  );
}

/** What is known, each thing once. */
export function knownReasons(known: readonly KnownPair[]): Reason[] {
  return eachReasonOnce(known.map((one) => one.reason));
}

/** Keys of one account, as another check shows, that analytics count apart whichever of `ways` it is. */
export function countedApart(known: readonly KnownPair[], ways: readonly Accounts[]): KnownPair[] {
  return known.filter(({ pair, are }) => are === 'together' && ways.every((way) => !areTogether(way, pair)));
}

/** Whether anything but analytics says of all keys that share an account in every one of `ways` that they do. */
export function isVouchedFor(known: readonly KnownPair[], ways: readonly Accounts[]): boolean {
  return pairs.every(
    (pair) =>
      !ways.every((way) => areTogether(way, pair)) ||
      known.some((one) => isSame(one.pair, pair) && one.are === 'together'),
  );
}

/** Which of the run's keys are of one account: an answer to one of them counts the sessions of all. */
export interface Accounts {
  /** Different for each way of sharing. */
  readonly id: string;
  /** The keys of each account; none where each key has its own. */
  readonly groups: readonly (readonly Role[])[];
  /** The keys of the account that each key is of, in the order of `roles`. */
  readonly of: Readonly<Record<Role, readonly Role[]>>;
}

/** Every way in which `keys` can share accounts, the fewest shared first. */
export function waysToShare(keys: readonly Role[]): Accounts[] {
  return partitions(keys)
    .toSorted((a, b) => b.length - a.length)
    .map(accountsOf);
}

function accountsOf(groups: readonly (readonly Role[])[]): Accounts {
  const inOrder = groups.toSorted((a, b) => roles.indexOf(a[0] ?? 'load') - roles.indexOf(b[0] ?? 'load'));
  const shared = inOrder.filter((group) => group.length > 1);
  return { id: shared.map((group) => group.join('+')).join(' '), groups: inOrder, of: membersOf(groups) };
}

export function areTogether({ of }: Accounts, [one, other]: readonly [Role, Role]): boolean {
  return of[one].includes(other);
}

function partitions([first, ...rest]: readonly Role[]): Role[][][] {
  if (first === undefined) return [[]];
  return partitions(rest).flatMap((groups) => [
    [[first], ...groups],
    ...groups.map((group, place) => groups.with(place, [first, ...group])),
  ]);
}

function membersOf(groups: readonly (readonly Role[])[]): Record<Role, readonly Role[]> {
  const members = (role: Role): readonly Role[] => groups.find((group) => group.includes(role)) ?? [role];
  const [load, quota, twin, bystander] = [
    members('load'),
    members('quota'),
    members('twin'),
    members('bystander'),
  ];
  return { load, quota, twin, bystander };
}
