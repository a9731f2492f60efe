import type { Role } from '../../vocabulary/roles.ts';

/** The most further pages on the load key, and on each other one. */
export interface MostPages {
  readonly load: number;
  readonly other: number;
}

/** How many further pages set-up may still read. */
export class PageBudget {
  readonly #spent = new Map<Role, number>();
  readonly #most: MostPages;

  constructor(most: MostPages = mostPages) {
    this.#most = most;
  }

  /** Spends one, if one is left. */
  spend(role: Role): boolean {
    const spent = this.#spent.get(role) ?? 0;
    if (spent >= (role === 'load' ? this.#most.load : this.#most.other)) return false;
    this.#spent.set(role, spent + 1);
    return true;
  }
}

/** The most further pages, over all lists of a key: 500 shades and a few hundred others, in pages of 20. */
export const mostPages: MostPages = { load: 60, other: 20 };
