import { type Role, roles } from '../../target/profile.ts';

/** Which of the run's keys are of one account: an answer to one of them counts the sessions of all. */
export interface Accounts {
  /** In words, different for each way of sharing. */
  readonly words: string;
  /** The keys of the account that each key is of, in the order of `roles`. */
  readonly of: Readonly<Record<Role, readonly Role[]>>;
}

/** Every way in which `keys` can share accounts, the fewest shared first. */
export function waysToShare(keys: readonly Role[]): Accounts[] {
  return partitions(keys)
    .toSorted((a, b) => b.length - a.length)
    .map((groups) => ({ words: wordsOf(groups), of: membersOf(groups) }));
}

/** Each key has an account of its own. */
export const eachItsOwn: Accounts = { words: wordsOf([]), of: membersOf([]) };

export function areTogether({ of }: Accounts, [one, other]: readonly [Role, Role]): boolean {
  return of[one].includes(other);
}

/** The key by whose number an account is counted. */
export function firstKeyOf({ of }: Accounts, key: Role): Role {
  return of[key][0] ?? key;
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

function wordsOf(groups: readonly (readonly Role[])[]): string {
  const shared = groups.filter((group) => group.length > 1);
  if (shared.length === 0) return 'one account for each key';
  if (groups.length === 1) return 'one account for all keys';
  const inOrder = shared.toSorted((a, b) => roles.indexOf(a[0] ?? 'load') - roles.indexOf(b[0] ?? 'load'));
  return [
    ...inOrder.map((group) => `one account for the ${listed(group)} keys`),
    ...(groups.length > shared.length ? ['one for each other key'] : []),
  ].join(' and ');
}

function listed(keys: readonly Role[]): string {
  return keys.join(' and ');
}
