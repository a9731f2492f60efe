import type { Role } from '../../../vocabulary/roles.ts';

/** The most that a study spends. */
export interface StudyCost {
  /** On each key. */
  readonly requests: number;
  readonly sessions: Readonly<Partial<Record<Role, number>>>;
  /** On a pool of keys, all together. `orLoad`: on the load key where there is no pool; otherwise not at all. */
  readonly pool?: { readonly requests: number; readonly sessions: number; readonly orLoad: boolean };
  readonly ms: number;
}
