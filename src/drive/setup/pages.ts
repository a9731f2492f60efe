import * as calls from '../../target/calls.ts';
import { nextPage, pageHeadersOf } from '../../target/shade-list.ts';
import type { Role } from '../../vocabulary/roles.ts';
import type { Reply } from '../ask/ask.ts';
import { contract } from './ask-contract.ts';
import type { SetupOptions } from './setup-options.ts';

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
    reply = await contract(
      options,
      calls.nextShades(catalogId, asked),
      { credential: role, probe: 'next-page', keeps: true },
      { pageOf: first.seq },
    );
    shades += reply.reading.count ?? 0;
  }
  return shades;
}
