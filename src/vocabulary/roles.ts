/**
 * The roles of keys. `load` sends the load; `quota` has a small session quota; `twin` is a second key of the same
 * plan as `quota`, of the same account or another; `bystander` must not be affected by the others.
 */
export const roles = ['load', 'quota', 'twin', 'bystander'] as const;
export type Role = (typeof roles)[number];

/** One of something for each role. */
export function eachRole<T>(make: (role: Role) => T): Record<Role, T> {
  return { load: make('load'), quota: make('quota'), twin: make('twin'), bystander: make('bystander') };
}
