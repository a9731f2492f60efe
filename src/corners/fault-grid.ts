import type { CheckId } from '../vocabulary/check-ids.ts';

/**
 * The fault grid: the nouns of the interface, and what may happen to each. A cell has the relation that must keep and the checks
 * that see it broken, or why it cannot be seen. Faults are looked for cell by cell, not from a list of known ones.
 */

/** What may happen, in the order of a row's cells. */
export const events = [
  'repeated',
  'at the same time',
  'late',
  'out of order',
  'first of its kind',
  'beyond a number',
  'at and after a boundary of time',
  'named nearly alike',
  'of another account or catalog',
  'on another connection or path spelling',
  'after a failure',
  'after something unrelated',
  'in another order or combination',
] as const;

export const nouns = [
  'key',
  'token',
  'session',
  'event',
  'history',
  'catalog',
  'shade',
  'import',
  'analytics answer',
  'quota',
  'limit',
  'latency',
] as const;
type FaultNoun = (typeof nouns)[number];

/** `none`: read from requests that are sent anyway. `probes`: a few requests before or after the load. */
export type FaultCost = 'none' | 'probes' | 'overload' | 'quota load' | 'long load' | 'study' | 'audit';

export type FaultCell =
  | { readonly keeps: string; readonly cost: FaultCost; readonly checks: readonly CheckId[] }
  | { readonly whyNot: string };

function cell(keeps: string, cost: FaultCost, ...checks: readonly CheckId[]): FaultCell {
  return { keeps, cost, checks };
}

function not(whyNot: string): FaultCell {
  return { whyNot };
}

/** A cell for each event, in their order. */
type GridRow = readonly [
  ...[FaultCell, FaultCell, FaultCell, FaultCell, FaultCell, FaultCell, FaultCell],
  ...[FaultCell, FaultCell, FaultCell, FaultCell, FaultCell, FaultCell],
];

export const faultGrid: Readonly<Record<FaultNoun, GridRow>> = {
  key: [
    cell('A valid key is accepted every time', 'none', 'contract.errors'),
    cell('Requests with one key at the same time all count', 'overload', 'rate-limit.enforced'),
    not('The interface gives keys no delay.'),
    not('The interface gives keys no order.'),
    cell('The first request with a key is served like any later one', 'none', 'contract.errors'),
    cell('A key is compared whole, however long it is', 'probes', 'contract.near-keys'),
    not('The interface does not show when a key expires.'),
    cell('A key that resembles a valid one gets 401', 'probes', 'contract.near-keys'),
    cell('A key does not read the data of another account', 'probes', 'contract.tenancy'),
    cell('A path that is spelled otherwise, or HEAD, is not served without a key', 'probes', 'contract.auth'),
    cell(
      'Each request counts for its own key, whatever key the connection has carried before',
      'probes',
      'contract.errors',
      'contract.auth',
      'contract.tenancy',
    ),
    cell('An overload does not open the target to invalid keys', 'overload', 'contract.auth-under-load'),
    cell('Every endpoint checks the key', 'probes', 'contract.auth'),
  ],
  token: [
    cell(
      'A token works for each event of its session',
      'none',
      'analytics.sessions',
      'contract.acts-at-once',
    ),
    cell('A token works for events at the same time', 'probes', 'contract.acts-at-once'),
    not('The interface does not show how long a token is valid.'),
    not('A session has one token, given once.'),
    cell('The first event with a token is stored', 'none', 'analytics.sessions'),
    not('The interface does not limit the uses of a token.'),
    not('expires_at lies beyond the end of most runs, and the interface does not say what happens then.'),
    cell(
      'Two sessions have two tokens, where the profile says that a token is valid for its session alone',
      'none',
      'contract.answers',
    ),
    cell(
      'An event with the token of another session, or an altered one, is not stored',
      'probes',
      'contract.acts-other-token',
      'contract.acts-altered-token',
    ),
    not(
      'The interaction channel is not part of the interface; its path comes from the profile, or is discovered.',
    ),
    cell('An event after one with an unknown token is stored', 'probes', 'analytics.sessions'),
    cell('A token that was given before the load works during it', 'none', 'analytics.sessions'),
    cell('A token is not accepted as an API key for imports and analytics', 'probes', 'contract.near-keys'),
  ],
  session: [
    cell(
      'Each POST /sessions makes one session with a new id',
      'none',
      'analytics.sessions',
      'analytics.total-sessions',
    ),
    cell(
      'Sessions created at the same time are different sessions',
      'none',
      'analytics.sessions',
      'analytics.total-sessions',
    ),
    cell('A session still reads back at the end of the run', 'none', 'analytics.sessions'),
    not('Sessions are independent of each other, so their order shows nothing.'),
    cell(
      'The first session of a product counts like any other',
      'none',
      'analytics.total-sessions',
      'analytics.additivity',
    ),
    cell(
      'No session is lost, however many there are; the pass says which share is excluded',
      'none',
      'analytics.sessions',
      'analytics.total-sessions',
    ),
    cell(
      'A session belongs to one day, and expires some time after its creation',
      'none',
      'analytics.audit-adjacent-periods',
      'contract.expiry',
    ),
    cell(
      'Products whose ids differ in case, length or script are different, and no altered id finds a session',
      'probes',
      'contract.not-found',
      'analytics.sessions',
      'analytics.product-filter',
    ),
    cell('A session is not readable for another account', 'probes', 'contract.tenancy'),
    cell(
      'A session is known over every connection of the load',
      'none',
      'contract.canary',
      'contract.errors',
    ),
    cell(
      'A session after one for an unknown catalog is made',
      'none',
      'contract.errors',
      'contract.not-found',
    ),
    cell(
      'A new session has the shade_count of the list, also after a later import',
      'probes',
      'contract.shade-count',
      'contract.import-update',
    ),
    cell(
      'Product, catalog and locale read back as sent, in every combination',
      'none',
      'contract.canary',
      'analytics.sessions',
    ),
  ],
  event: [
    cell(
      'An event that is sent again counts once, at once and after the load',
      'probes',
      'contract.acts-again',
    ),
    cell('Events at the same time are all stored', 'probes', 'contract.acts-at-once'),
    cell(
      'An event long after its session was created, or after its own instant, is stored and counted',
      'probes',
      'analytics.sessions',
      'analytics.avg-shades',
    ),
    cell('An event whose instant lies before an earlier one is stored', 'probes', 'analytics.sessions'),
    cell(
      'The first event of a session is stored, also a cart intent',
      'probes',
      'analytics.sessions',
      'analytics.cart-intent',
    ),
    cell('A delivery of many events is stored whole', 'probes', 'analytics.sessions'),
    cell(
      'Two events with the same instant are both stored',
      'probes',
      'analytics.sessions',
      'contract.acts-at-once',
    ),
    cell(
      'Events on SKUs that differ in case are events on two shades',
      'probes',
      'analytics.top-shades',
      'analytics.sessions',
    ),
    cell('An event on a SKU of no catalog is not stored', 'probes', 'contract.acts-unknown-sku'),
    cell(
      'Events that arrive over several connections are all in the history',
      'probes',
      'contract.acts-at-once',
    ),
    cell('An event after a rejected one is stored', 'probes', 'analytics.sessions', 'analytics.cart-intent'),
    cell('An event after a read of its session is stored and shown', 'probes', 'analytics.sessions'),
    cell(
      'Selections and cart intents count separately, in any order',
      'none',
      'analytics.cart-intent',
      'analytics.avg-shades',
    ),
  ],
  history: [
    cell('A history that is read again shows the same events', 'probes', 'contract.reads-agree'),
    cell('Reads at the same time show the same events', 'probes', 'contract.reads-agree'),
    cell('A history shows what arrived after it was read', 'probes', 'analytics.sessions'),
    cell('A history keeps one order, of arrival or of instants', 'none', 'analytics.sessions'),
    cell('A history without any event is readable', 'probes', 'contract.canary'),
    cell('A history of 64, or of 1,024 and more events is whole', 'probes', 'analytics.sessions'),
    cell('Instants of events do not change when a history is read', 'probes', 'contract.reads-agree'),
    not('A history has no name but the id of its session.'),
    cell('A history shows no event of another session', 'none', 'analytics.sessions'),
    cell('A connection shows what arrived over others after it was read', 'probes', 'contract.reads-agree'),
    cell('A history after a rejected event shows what was stored before', 'probes', 'analytics.sessions'),
    cell(
      'A history does not change by imports or by other sessions',
      'none',
      'contract.reads-agree',
      'analytics.sessions',
    ),
    cell('Every entry has id, type, SKU and instant of one event', 'none', 'analytics.sessions'),
  ],
  catalog: [
    cell('A catalog that is listed again is the same', 'probes', 'contract.lists-agree'),
    cell(
      'Lists at the same time are each of their own catalog',
      'probes',
      'contract.lists-agree',
      'contract.import-update',
    ),
    cell(
      'A catalog is still there at the end of the run',
      'probes',
      'contract.lists-agree',
      'contract.catalog',
    ),
    not('The interface leaves the order of a list open.'),
    cell('The first list after an import shows it', 'probes', 'contract.catalog', 'contract.batch-max'),
    cell(
      'A catalog of 1,000 and more shades is listed whole, and shade_count tells as many',
      'probes',
      'contract.catalog',
      'contract.shade-count',
    ),
    not('The interface gives catalogs no time.'),
    cell('Catalogs whose ids differ in case, or at their ends, are different', 'probes', 'contract.catalog'),
    cell('A catalog of another account gets 404', 'probes', 'contract.tenancy'),
    cell(
      'Every connection lists the same catalog',
      'probes',
      'contract.import-update',
      'contract.lists-agree',
    ),
    cell(
      'A catalog is unchanged after a rejected import',
      'probes',
      'contract.batch-over',
      'contract.batch-malformed',
    ),
    cell(
      'A catalog does not change by an import into another one',
      'probes',
      'contract.catalog',
      'contract.lists-agree',
    ),
    cell('The pages of a list add up to the list', 'probes', 'contract.catalog', 'contract.batch-max'),
  ],
  shade: [
    cell('A SKU that one import names twice is listed once and counted once', 'probes', 'contract.sku-twice'),
    cell('Shades imported at the same time are all listed', 'probes', 'contract.imports-at-once'),
    cell('A shade is listed at once after a 200', 'probes', 'contract.catalog', 'contract.names'),
    not('The interface leaves the order of shades open.'),
    cell('The first shade of a catalog is listed', 'none', 'contract.catalog'),
    cell('Long names are listed whole', 'probes', 'contract.catalog'),
    not('The interface gives shades no time.'),
    cell('SKUs that differ in case are different shades', 'probes', 'contract.catalog'),
    cell('A SKU in two catalogs is two shades', 'probes', 'contract.catalog'),
    cell(
      'A shade has the same values over every connection',
      'probes',
      'contract.import-update',
      'contract.lists-agree',
    ),
    cell(
      'No shade of a rejected import is listed',
      'probes',
      'contract.batch-over',
      'contract.batch-malformed',
      'contract.malformed-requests',
    ),
    cell('A shade does not change by sessions and events', 'probes', 'contract.lists-agree'),
    cell('Unusual values of several fields in one shade are kept', 'probes', 'contract.catalog'),
  ],
  import: [
    cell(
      'The same import again changes nothing, and neither does one of no shades',
      'probes',
      'contract.import-again',
    ),
    cell('Imports into one catalog at the same time are all stored', 'probes', 'contract.imports-at-once'),
    cell('An import that gets 202 shows within its time', 'probes', 'contract.catalog', 'contract.batch-max'),
    not(
      'Which of two imports of a SKU wins is not specified; a mixture of both is seen as a partial update.',
    ),
    cell('An import into a new catalog is stored', 'probes', 'contract.catalog', 'contract.import-update'),
    cell('500 shades are accepted, 501 are rejected', 'probes', 'contract.batch-max', 'contract.batch-over'),
    not('The interface gives imports no time.'),
    cell(
      'An import of SKUs that exist changes all of them alike, or none',
      'probes',
      'contract.import-update',
    ),
    cell(
      'An import with the key of another account changes nothing',
      'probes',
      'contract.tenancy',
      'contract.lists-agree',
    ),
    cell(
      'An import shows over connections that have listed the catalog before',
      'probes',
      'contract.import-update',
    ),
    cell('An import after a rejected one is stored', 'probes', 'contract.import-update', 'contract.names'),
    cell(
      'An import spends no quota, and works once that is spent',
      'study',
      'quota.consumption',
      'quota.reads',
    ),
    cell(
      'Each import is judged by the list after it, in several orders of imports',
      'probes',
      'contract.catalog',
      'contract.names',
    ),
  ],
  'analytics answer': [
    cell(
      'The same question gets the same answer while nothing happens',
      'probes',
      'analytics.stable',
      'analytics.audit-reread',
    ),
    cell(
      'Answers during the load count no event before it was sent, and two at the same moment are each to their question',
      'probes',
      'analytics.freshness',
      'analytics.stable',
    ),
    cell(
      'An event shows in analytics within the freshness bound, and as soon at the end of the load as at its start',
      'none',
      'analytics.freshness',
    ),
    cell(
      'A period that ends before it starts is empty or rejected',
      'audit',
      'analytics.audit-reversed-dates',
    ),
    cell('A product without sessions has none', 'probes', 'analytics.product-filter'),
    cell(
      'top_shades is the head of one ranking, however many shades there are; a period of years counts all of it',
      'probes',
      'analytics.top-shades',
      'analytics.audit-top-shades',
      'analytics.total-sessions',
    ),
    cell(
      'Adjacent periods add up to the whole',
      'audit',
      'analytics.audit-adjacent-periods',
      'analytics.additivity',
    ),
    cell(
      'The product filter compares the whole id as it is: its case, its wildcards, its zeros',
      'probes',
      'analytics.product-filter',
      'analytics.total-sessions',
    ),
    cell(
      'Analytics of an account show no sessions of another one',
      'probes',
      'analytics.total-sessions',
      'analytics.product-filter',
    ),
    cell(
      'An answer does not come from another account’s or connection’s cache',
      'probes',
      'analytics.freshness',
      'analytics.stable',
    ),
    cell('Rejected sessions do not count', 'overload', 'analytics.total-sessions', 'quota.no-side-effect'),
    cell('An answer does not depend on the question before it', 'audit', 'analytics.audit-order'),
    cell('The order of the parameters does not matter', 'probes', 'analytics.stable', 'contract.errors'),
  ],
  quota: [
    cell('A session that is rejected with 402 stays rejected when tried again', 'quota load', 'quota.closed'),
    cell('Sessions at the same time do not exceed the quota', 'quota load', 'quota.edge', 'quota.race'),
    cell('A spent quota stays spent until the end of the run', 'quota load', 'quota.closed'),
    not('Sessions are counted, not ordered.'),
    cell('The first session spends exactly one session of the quota', 'quota load', 'quota.edge'),
    cell('The quota is exact', 'quota load', 'quota.edge'),
    not('The interface does not show when a quota starts again.'),
    not('The interface gives quotas no names.'),
    cell('Only keys of one account share a quota', 'study', 'quota.sharing'),
    cell('The quota is the same over every connection', 'quota load', 'quota.edge', 'quota.race'),
    cell(
      'Sessions for unknown catalogs and rejected ones spend nothing, and give nothing back',
      'study',
      'quota.consumption',
      'quota.no-side-effect',
    ),
    cell('Reads do not spend quota, and work once it is spent', 'quota load', 'quota.reads', 'quota.closed'),
    cell(
      'Another product or locale has no separate quota; 402 and 429 keep one order',
      'quota load',
      'quota.closed',
      'quota.precedence',
    ),
  ],
  limit: [
    cell(
      'Each window admits as many as the one before',
      'overload',
      'rate-limit.enforced',
      'rate-limit.recovery',
    ),
    cell('A burst does not pass the limit', 'overload', 'rate-limit.enforced'),
    cell(
      'The limit is the same at the start and at the end of the load',
      'overload',
      'rate-limit.enforced',
      'rate-limit.limit',
    ),
    not('Requests are counted, not ordered.'),
    cell(
      'The first request of a connection counts like any other',
      'overload',
      'rate-limit.enforced',
      'rate-limit.admitted',
      'rate-limit.scope',
    ),
    cell(
      'The limit is exact, however many other keys are in use',
      'overload',
      'rate-limit.enforced',
      'rate-limit.limit',
    ),
    cell(
      'At the end of a window the promised number of requests is admitted',
      'overload',
      'rate-limit.enforced',
      'rate-limit.window',
    ),
    not('The interface gives limits no names.'),
    cell(
      'One account at its limit does not slow down or block another',
      'overload',
      'rate-limit.isolation',
      'rate-limit.others',
    ),
    cell(
      'Another address, forwarded header, endpoint or path spelling does not evade the limit',
      'study',
      'rate-limit.scope',
    ),
    cell(
      'Every request counts once, for all keys and endpoints',
      'study',
      'rate-limit.scope',
      'rate-limit.rejections',
    ),
    cell('Only time resets the limit', 'study', 'rate-limit.scope', 'rate-limit.enforced'),
    cell(
      'Headers, Retry-After and outcomes agree',
      'overload',
      'rate-limit.headers',
      'rate-limit.retry-after',
    ),
  ],
  latency: [
    cell('No periodic slow requests', 'none', 'latency.regular'),
    cell(
      'Concurrency does not break the bound at the promised rate',
      'study',
      'capacity.rate',
      'capacity.concurrency',
    ),
    cell('Response times keep the bounds of the scenario', 'none', 'latency.slo.1'),
    not('Answers to independent requests have no order.'),
    cell(
      'The first request of a new connection, and the first list of a catalog, are as fast as the next one',
      'probes',
      'latency.connections',
      'latency.outside-load',
    ),
    cell('The list of a full import keeps the bound on lists', 'probes', 'latency.large-list'),
    cell('Service times do not grow with the time that the service runs', 'long load', 'latency.trend'),
    not('Only the length of a name can change how long an answer takes.'),
    cell(
      'One account at its limit does not slow down another, and none is slower than the bounds allow',
      'overload',
      'rate-limit.isolation',
      'latency.outside-load',
    ),
    cell('No connection of the load is slower than the others', 'none', 'latency.each-connection'),
    cell('Requests after an overload are served again', 'overload', 'rate-limit.recovery'),
    cell('No endpoint waits while another one works', 'probes', 'latency.neighbours'),
    cell('Every endpoint keeps its bound in the mixture of shoppers', 'none', 'latency.slo.1'),
  ],
};
