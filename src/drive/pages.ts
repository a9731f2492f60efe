import * as calls from '../target/calls.ts';
import { nextPage, pageHeadersOf } from '../target/next-page.ts';
import type { Role } from '../target/profile.ts';
import type { Reply } from './ask.ts';
import { contract } from './contract-probes.ts';
import type { SetupOptions } from './setup.ts';

/**
 * The most further pages, over all lists of a key: 500 shades, the largest list, in pages of 20, and a few more.
 */
export const mostPages = { load: 60, other: 20 } as const;

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
 * Reads the further pages of a list and keeps each answer. It stops at a page that it cannot follow; the check sees
 * that. Returns how many shades the pages show.
 */
export async function followPages(
  options: SetupOptions,
  first: Reply,
  catalogId: string,
  role: Role,
): Promise<number> {
  let asked = calls.listShades(catalogId).path;
  const seen = new Set([asked]);
  let shades = 0;
  for (let reply = first; reply.reading.count !== undefined; ) {
    const answer = { body: reply.exchange.json(), ...pageHeadersOf(reply.exchange.headers) };
    const next = nextPage(answer, asked, options.baseUrl);
    if (next.kind !== 'more' || seen.has(next.path) || !options.pages.spend(role)) break;
    asked = next.path;
    seen.add(asked);
    reply = await contract(options, calls.nextShades(asked), role, 'next-page', {
      catalogId,
      keepAnswer: { catalog_id: catalogId, path: asked },
      pageOf: first.seq,
    });
    shades += reply.reading.count ?? 0;
  }
  return shades;
}
