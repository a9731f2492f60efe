import { type Role, roles } from '../../../vocabulary/roles.ts';

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
