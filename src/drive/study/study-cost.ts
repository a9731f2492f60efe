import type { Role } from '../../vocabulary/roles.ts';

/** The most that a study spends. */
export interface StudyCost {
  /** On each key. */
  readonly requests: number;
  readonly sessions: Readonly<Partial<Record<Role, number>>>;
  /** On a pool of keys, all together; on the load key where there is no pool. */
  readonly pool?: { readonly requests: number; readonly sessions: number };
  readonly ms: number;
}
