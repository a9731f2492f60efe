import type { Reach } from '../../corners/value-class.ts';
import type { Role } from '../../vocabulary/roles.ts';

/** The most further pages on the load key, and on each other one. */
export interface MostPages {
  readonly load: number;
  readonly other: number;
}

/** How many further pages may still be read. */
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

/**
 * The most further pages, over all lists of a key: 500 shades, the largest list, in pages of 20, six lists of some 120 shades,
 * and a few more.
 */
export const mostPages: MostPages = { load: 95, other: 20 };

/** The same with the lists of unusual values in set-up: 61 shades. */
export const mostPagesInSetup = 101;
/** And after the load: 570 shades, then 420 in pairs, then 1,001 more. */
const mostWith: Readonly<Record<Reach, number>> = { single: 131, pairs: 152, long: 204 };

export function mostPagesFor(reach: Reach | undefined): MostPages {
  return { ...mostPages, load: reach === undefined ? mostPages.load : mostWith[reach] };
}
