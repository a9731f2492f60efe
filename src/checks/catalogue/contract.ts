import type { Entries } from './entry.ts';

/** Of checks that the explorer's calls decide. */
const explorer = 'A load key, and the explorer (`explore` in the scenario).';
const explorerOf = (more: string): string => `The explorer (\`explore\` in the scenario), and ${more}.`;

/** Checks of what the interface document says of single requests. */
export const contractEntries = {
  'contract.acts-again': {
    title: 'An event that is sent again with the same id counts once',
    needs: explorerOf('an interaction channel with `channel.repeated_id: once` in the profile'),
  },
  'contract.acts-at-once': {
    title: 'Events of one session that arrive at the same time are all stored',
    needs: explorerOf('an interaction channel'),
  },
  'contract.acts-altered-token': {
    title: 'An event with an altered token is not stored',
    needs: explorerOf('a channel with session tokens and `channel.other_token: refused` in the profile'),
  },
  'contract.acts-other-token': {
    title: 'An event with the token of another session is not stored',
    needs: explorerOf('a channel with session tokens and `channel.other_token: refused` in the profile'),
  },
  'contract.acts-unknown-sku': {
    title: 'An event on a SKU outside the catalog of its session is not stored',
    needs: explorerOf('an interaction channel with `channel.unknown_sku: refused` in the profile'),
  },
  'contract.answers': {
    title: 'Every 2xx answer has the promised status, fields and types',
    needs: 'At least one 2xx answer from each of the five endpoints.',
  },
  'contract.auth': {
    title: 'A request without a key or with an unknown key gets 401 at every endpoint',
    needs: explorer,
  },
  'contract.auth-under-load': {
    title: 'During overload, a request with an unknown key gets 401, 429 or 5xx',
    needs: 'A planned load above the promised rate limit.',
  },
  'contract.availability': {
    title: 'Every kind of request gets an answer, and the share without one stays within `lost_bound`',
    needs: 'At least 20 ordinary requests; an answer with any status, even 5xx, counts as an answer.',
  },
  'contract.batch-malformed': {
    title: 'An import that gets 4xx because of one malformed shade stores nothing',
    needs: explorer,
  },
  'contract.batch-max': {
    title: 'An import of 500 shades is accepted, and all 500 are listed',
    needs: explorer,
  },
  'contract.batch-over': {
    title: 'An import of 501 shades gets 4xx, and none of them is stored',
    needs: explorer,
  },
  'contract.canary': {
    title: 'A new session reads back with the product, catalog and locale of its creation',
    needs: explorer,
  },
  'contract.catalog': {
    title: 'A list shows every imported shade once, with its name, hex and finish unchanged',
    needs: explorer,
  },
  'contract.errors': {
    title:
      'Valid requests get only 2xx, 429, or 402 for a new session, and no probe with a valid key gets 5xx',
    needs:
      'Ordinary requests with answers; the profile may allow a share of 5xx by chance (`server_errors`).',
  },
  'contract.expiry': {
    title: 'A new session has a future expires_at, an ISO 8601 time in UTC that depends on its creation',
    needs: explorer,
  },
  'contract.history': {
    title: 'A session shows every accepted event once, in order and unchanged, and no other',
    needs: explorerOf('an interaction channel'),
  },
  'contract.import-again': {
    title:
      'After the same import is sent twice, each SKU is listed once; an import of no shades removes none',
    needs: explorer,
  },
  'contract.import-update': {
    title:
      'A SKU that is imported again shows all new values or all old ones, and a large import keeps what a small one keeps',
    needs: explorer,
  },
  'contract.imports-at-once': {
    title: 'Imports into one catalog that arrive at the same time are all stored',
    needs: explorer,
  },
  'contract.lists-agree': {
    title: 'During the load, every list has the imported number of shades',
    needs:
      'Ordinary requests for lists of a catalog whose imports were all answered (GET /shades during the load).',
  },
  'contract.malformed-requests': {
    title: 'A malformed request gets 4xx, and nothing of it is stored',
    needs: explorer,
  },
  'contract.names': {
    title: 'Shade names in any script are listed as they were imported',
    needs: explorer,
  },
  'contract.near-keys': {
    title: 'A key that only resembles a valid key gets 401 (or 400 if the header is malformed)',
    needs: explorer,
  },
  'contract.not-found': {
    title: 'An unknown session or catalog gets 404',
    needs: explorer,
  },
  'contract.openapi': {
    title: 'Every answer agrees with the OpenAPI description of the target',
    needs: 'A description (`--openapi`, or `openapi` in the profile); without one the check is left out.',
  },
  'contract.reads-agree': {
    title: 'A session that is read again still shows every event as before',
    needs: explorerOf('an interaction channel'),
  },
  'contract.shade-count': {
    title: 'A new session has the shade_count of its catalog',
    needs: 'A catalog whose imports were all answered, and a session on it.',
  },
  'contract.sku-twice': {
    title: 'After an import that names one SKU twice, shade_count equals the number of listed shades',
    needs: explorer,
  },
  'contract.tenancy': {
    title: 'Accounts cannot read or change each other’s data',
    needs: explorerOf(
      'a bystander key of another account; without `data_scope: per-key` the verdict may be inconclusive',
    ),
  },
  'contract.totals': {
    title: 'Analytics of a product count its sessions alone, and each of them',
    needs: explorer,
  },
} as const satisfies Entries<'contract'>;
