import type { Role } from '../vocabulary/roles.ts';

/** How many further pages may still be read. */
export class PageBudget {
  readonly #spent = new Map<Role, number>();

  /** Spends one, if one is left. */
  spend(role: Role): boolean {
    const spent = this.#spent.get(role) ?? 0;
    if (spent >= (role === 'load' ? mostPages.load : mostPages.other)) return false;
    this.#spent.set(role, spent + 1);
    return true;
  }
}

/**
 * The most further pages, over all lists of a key: 500 shades, the largest list, in pages of 20, and a few more.
 */
export const mostPages = { load: 60, other: 20 } as const;
