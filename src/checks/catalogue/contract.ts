import type { Entries } from './entry.ts';

/** Of checks that the explorer's calls decide. */
const explorer = 'A load key, and the explorer (`explore` in the scenario).';
const explorerOf = (more: string): string => `The explorer (\`explore\` in the scenario), and ${more}.`;

/** Checks of what the interface document says of single requests. */
export const contractEntries = {
  'contract.acts-again': {
    title: 'An event that is sent again with the same id counts once',
    needs: explorerOf('an interaction channel with `channel.repeated_id: once` in the profile'),
    failing: 'A client that repeats a request after a lost answer stores its events twice.',
    toDo: 'Use the event id as a unique key within its session.',
  },
  'contract.acts-at-once': {
    title: 'Events of one session that arrive at the same time are all stored',
    needs: explorerOf('an interaction channel'),
    failing: 'A shopper’s selections are lost when two requests overlap.',
    toDo: 'Append each event in one atomic step instead of reading, changing and writing the whole history.',
  },
  'contract.acts-altered-token': {
    title: 'An event with an altered token is not stored',
    needs: explorerOf('a channel with session tokens and `channel.other_token: refused` in the profile'),
    failing: 'Anyone who knows the id of a session can write events into it.',
    toDo: 'Compare the whole token, or verify its signature.',
  },
  'contract.acts-other-token': {
    title: 'An event with the token of another session is not stored',
    needs: explorerOf('a channel with session tokens and `channel.other_token: refused` in the profile'),
    failing: 'One shopper can write events into the session of another shopper.',
    toDo: 'Check that the token belongs to the session in the path, not only that it is valid.',
  },
  'contract.acts-unknown-sku': {
    title: 'An event on a SKU outside the catalog of its session is not stored',
    needs: explorerOf('an interaction channel with `channel.unknown_sku: refused` in the profile'),
    failing: 'Session histories can contain shades that do not exist.',
    toDo: 'Look the SKU up in the catalog of the session before the event is stored.',
  },
  'contract.answers': {
    title: 'Every 2xx answer has the promised status, fields and types',
    needs: 'At least one 2xx answer from each of the five endpoints.',
    failing: 'Clients that follow the interface document cannot read some answers.',
    toDo: 'Compare the named fields with the interface document, and correct the answer.',
  },
  'contract.auth': {
    title: 'A request without a key or with an unknown key gets 401 at every endpoint',
    needs: explorer,
    failing: 'Requests without a valid key are served, or get a status that clients do not expect.',
    toDo: 'Put the named endpoints behind the same key check as the others.',
  },
  'contract.auth-under-load': {
    title: 'During overload, a request with an unknown key gets 401, 429 or 5xx',
    needs: 'A planned load above the promised rate limit.',
    failing: 'An overloaded target may accept callers without a valid key.',
    toDo: 'Make the key check fail closed: without its store, it must not accept a key.',
  },
  'contract.availability': {
    title: 'Every kind of request gets an answer, and the share without one stays within `lost_bound`',
    needs: 'At least 20 ordinary requests; an answer with any status, even 5xx, counts as an answer.',
    failing:
      'Too many requests time out, are reset, or find no connection; or every request of one kind times out.',
    toDo: 'Look up the requests of the evidence in the logs of the target and its proxies.',
  },
  'contract.batch-malformed': {
    title: 'An import that gets 4xx because of one malformed shade stores nothing',
    needs: explorer,
    failing: 'A failed import leaves part of its shades in the catalog.',
    toDo: 'Validate the whole import first, or store it in one transaction.',
  },
  'contract.batch-max': {
    title: 'An import of 500 shades is accepted, and all 500 are listed',
    needs: explorer,
    failing: 'Customers cannot import as many shades at once as promised, or lose some of them.',
    toDo: 'Check how the import compares its length with 500, and whether lists are cut.',
  },
  'contract.batch-over': {
    title: 'An import of 501 shades gets 4xx, and none of them is stored',
    needs: explorer,
    failing: 'The promised limit of 500 shades is not enforced, or a larger import is stored in part.',
    toDo: 'Compare the number of shades with 500 before any shade is stored.',
  },
  'contract.canary': {
    title: 'A new session reads back with the product, catalog and locale of its creation',
    needs: explorer,
    failing: 'A new session cannot be read, or shows another product, catalog or locale.',
    toDo: 'Check where the session of the evidence is stored, and how it is looked up.',
  },
  'contract.catalog': {
    title: 'A list shows every imported shade once, with its name, hex and finish unchanged',
    needs: explorer,
    failing: 'Shoppers see shades that are missing, repeated or changed.',
    toDo: 'Compare the named shade in the import, in the database and in the list.',
  },
  'contract.errors': {
    title:
      'Valid requests get only 2xx, 429, or 402 for a new session, and no probe with a valid key gets 5xx',
    needs:
      'Ordinary requests with answers; the profile may allow a share of 5xx by chance (`server_errors`).',
    failing: 'Valid requests fail with a status that they must not get.',
    toDo: 'Look up the requests of the evidence in the log of the target, 5xx first.',
  },
  'contract.expiry': {
    title: 'A new session has a future expires_at, an ISO 8601 time in UTC that depends on its creation',
    needs: explorer,
    failing: 'Clients misread when a session ends, or treat a new session as expired.',
    toDo: 'Format the time in UTC with Z, count it from the creation, and check the clock of the server.',
  },
  'contract.history': {
    title: 'A session shows every accepted event once, in order and unchanged, and no other',
    needs: explorerOf('an interaction channel'),
    failing: 'The history of a shopper lacks events, shows others, or shows them in no order.',
    toDo: 'Send the calls of the reproduction, and look up where the named event is lost or changed.',
  },
  'contract.import-again': {
    title:
      'After the same import is sent twice, each SKU is listed once; an import of no shades removes none',
    needs: explorer,
    failing: 'A repeated import creates duplicate shades, or one of no shades removes what the catalog has.',
    toDo: 'Make catalog and SKU a unique key, update the shade when it is imported again, and delete none on import.',
  },
  'contract.import-update': {
    title:
      'A SKU that is imported again shows all new values or all old ones, and a large import keeps what a small one keeps',
    needs: explorer,
    failing: 'A corrected import changes some shades only, or shoppers see old values for a while.',
    toDo: 'Write an import in one transaction, and empty every cache of its catalog.',
  },
  'contract.imports-at-once': {
    title: 'Imports into one catalog that arrive at the same time are all stored',
    needs: explorer,
    failing: 'An import that was accepted disappears when another one overlaps it.',
    toDo: 'Insert the shades of an import, instead of reading, changing and writing the whole catalog.',
  },
  'contract.lists-agree': {
    title: 'During the load, every list has the imported number of shades',
    needs:
      'Ordinary requests for lists of a catalog whose imports were all answered (GET /shades during the load).',
    failing: 'Under load, shoppers see catalogs with missing or repeated shades.',
    toDo: 'Compare the lists of the evidence with others of the same catalog, and look for a cache or a replica.',
  },
  'contract.malformed-requests': {
    title: 'A malformed request gets 4xx, and nothing of it is stored',
    needs: explorer,
    failing: 'A client with a defect makes the target fail, or stores values that other clients cannot read.',
    toDo: 'Validate each field of the body, the query and the path before the request is handled.',
  },
  'contract.names': {
    title: 'Shade names in any script are listed as they were imported',
    needs: explorer,
    failing: 'Shoppers see damaged names, for example without accents.',
    toDo: 'Use full UTF-8, with up to four bytes per character, in the database and before it.',
  },
  'contract.near-keys': {
    title: 'A key that only resembles a valid key gets 401 (or 400 if the header is malformed)',
    needs: explorer,
    failing: 'The target compares keys in part or loosely, and may accept a wrong key.',
    toDo: 'Compare the whole key after the scheme `Bearer`, case-sensitively.',
  },
  'contract.not-found': {
    title: 'An unknown session or catalog gets 404',
    needs: explorer,
    failing: 'Clients cannot tell a wrong id from another outcome.',
    toDo: 'Check the result of the lookup before the request is handled further.',
  },
  'contract.openapi': {
    title: 'Every answer agrees with the OpenAPI description of the target',
    needs: 'A description (`--openapi`, or `openapi` in the profile); without one the check is left out.',
    failing: 'Clients that are made from the description cannot use some answers.',
    toDo: 'Decide for each contradiction whether the service or its description is right, and correct the other.',
  },
  'contract.reads-agree': {
    title: 'A session that is read again still shows every event as before',
    needs: explorerOf('an interaction channel'),
    failing: 'The history of a shopper changes afterwards.',
    toDo: 'Compare the two reads of the evidence: values of an event are stored once, and never computed when it is read.',
  },
  'contract.shade-count': {
    title: 'A new session has the shade_count of its catalog',
    needs: 'A catalog whose imports were all answered, and a session on it.',
    failing: 'Product pages announce a wrong number of shades.',
    toDo: 'Count the same rows that the list shows, and check caches of the count.',
  },
  'contract.sku-twice': {
    title: 'After an import that names one SKU twice, shade_count equals the number of listed shades',
    needs: explorer,
    failing: 'The number of shades in a session differs from the list of its catalog.',
    toDo: 'Store a SKU once in each catalog, and count the stored rows.',
  },
  'contract.tenancy': {
    title: 'Accounts cannot read or change each other’s data',
    needs: explorerOf(
      'a bystander key of another account; without `data_scope: per-key` the verdict may be inconclusive',
    ),
    failing: 'One customer can read the sessions or catalogs of another customer, or change a catalog.',
    toDo: 'Filter every lookup by the account of the key, or correct `data_scope` in the profile.',
  },
  'contract.totals': {
    title: 'Analytics of a product count its sessions alone, and each of them',
    needs: explorer,
    failing: 'Numbers of products with similar ids, of other accounts or of rejected sessions are mixed.',
    toDo: 'Compare how the sessions of the reproduction are stored and selected.',
  },
} as const satisfies Entries<'contract'>;
