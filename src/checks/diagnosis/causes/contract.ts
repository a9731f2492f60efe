import { counted, listed, number, verb } from '../../../amounts.ts';
import { kind } from '../kind.ts';
import { interfaceEndpoints, requestText } from '../requests.ts';

const importChecks = [
  'contract.catalog',
  'contract.names',
  'contract.batch-max',
  'contract.import-again',
  'contract.sku-twice',
  'contract.shade-count',
] as const;
/** What is counted of interactions that are not stored as they were sent. */
const selectionChecks = [
  'analytics.sessions',
  'analytics.conventions',
  'analytics.avg-shades',
  'analytics.cart-intent',
  'analytics.top-shades',
  'analytics.additivity',
  'analytics.product-filter',
] as const;

/** At most two by name: the sentence stays short. */
function requestsText(endpoints: readonly string[]): string {
  return interfaceEndpoints.every((name) => endpoints.includes(name))
    ? 'every endpoint'
    : listed(endpoints.map(requestText), 2);
}

function eitherText(items: readonly (string | number)[]): string {
  return items.join(' or ');
}

/** Causes in how keys, catalogs, imports, sessions and interactions are handled. */
export const contractCauses = {
  'key-not-checked': kind<{
    /** Completes “Requests …”. */
    readonly sent: readonly string[];
    readonly endpoints: readonly string[];
    readonly statuses: readonly number[];
  }>({
    area: 'contract',
    text: ({ endpoints, sent, statuses }) =>
      `Requests ${eitherText(sent)} get ${eitherText(statuses)} instead of 401 at ${requestsText(endpoints)}.`,
    example: { sent: ['without a key'], endpoints: ['analytics'], statuses: [200] },
    behind: 'A route that is registered before, or outside of, the authentication middleware.',
    explains: ['contract.auth', 'contract.near-keys', 'contract.auth-under-load'],
    about: ({ sent }) => eitherText(sent),
    covers: ['key-compared-loosely', 'key-not-checked-under-load'],
  }),
  'key-check-crashes': kind<{
    readonly sent: readonly string[];
    readonly endpoints: readonly string[];
    readonly statuses: readonly number[];
  }>({
    area: 'contract',
    text: ({ endpoints, sent, statuses }) =>
      `Requests ${eitherText(sent)} get ${eitherText(statuses)} instead of 401 at ${requestsText(endpoints)}.`,
    example: { sent: ['with an unknown key'], endpoints: ['create-session'], statuses: [500] },
    behind: 'An exception in the lookup of the key that nothing handles.',
    explains: ['contract.auth', 'contract.near-keys', 'contract.auth-under-load'],
    about: ({ sent }) => eitherText(sent),
    covers: ['key-check-crashes'],
  }),
  'key-refused-otherwise': kind<{
    readonly sent: readonly string[];
    readonly endpoints: readonly string[];
    readonly statuses: readonly number[];
  }>({
    area: 'contract',
    text: ({ endpoints, sent, statuses }) =>
      `Requests ${eitherText(sent)} are refused with ${eitherText(statuses)} instead of 401 at ${requestsText(endpoints)}.`,
    example: { sent: ['without a key'], endpoints: ['read-session'], statuses: [403] },
    behind: 'The default status of a framework or a gateway for credentials that are missing or wrong.',
    explains: ['contract.auth', 'contract.near-keys', 'contract.auth-under-load'],
    about: ({ sent }) => eitherText(sent),
    covers: ['key-refused-otherwise'],
  }),
  'key-compared-loosely': kind<{ readonly accepted: readonly string[] }>({
    area: 'contract',
    text: ({ accepted }) => `Altered forms of a valid key are accepted: ${listed(accepted, 3)}.`,
    example: { accepted: ['without its last character'] },
    behind: 'A comparison by prefix, or without regard to case, instead of the whole key.',
    explains: ['contract.near-keys'],
  }),
  'key-not-checked-under-load': kind<{ readonly accepted: number }>({
    area: 'contract',
    text: ({ accepted }) =>
      `Under load ${counted(accepted, 'request')} with a key that was never issued ${verb(accepted, 'is', 'are')} let in.`,
    example: { accepted: 3 },
    behind: 'Authentication that fails open when its store is slow or out of connections.',
    explains: ['contract.auth-under-load'],
  }),
  'accounts-not-separate': kind<{ readonly what: readonly string[] }>({
    area: 'contract',
    text: ({ what }) => `One account can read another account’s ${what.join(' and ')}.`,
    example: { what: ['session'] },
    behind: 'A lookup by id that does not filter by the account of the key.',
    explains: ['contract.tenancy'],
  }),
  'foreign-session-refused-otherwise': kind<{ readonly status: number }>({
    area: 'contract',
    text: ({ status }) => `A session of another account gets ${status} instead of 404.`,
    example: { status: 403 },
    behind: 'A check of the owner that answers by itself, which tells callers that the id exists.',
    explains: ['contract.tenancy'],
  }),
  'import-limit-not-enforced': kind<{ readonly shades: number; readonly limit: number }>({
    area: 'contract',
    text: ({ limit, shades }) =>
      `An import of ${counted(shades, 'shade')} is accepted; the limit is ${number(limit)}.`,
    example: { shades: 501, limit: 500 },
    behind: 'A size check that is missing, or compares with > where >= is meant.',
    explains: ['contract.batch-over'],
  }),
  'import-limit-too-low': kind<{ readonly shades: number; readonly status: number }>({
    area: 'contract',
    text: ({ shades, status }) =>
      `An import of ${counted(shades, 'shade')} gets ${status}, although ${number(shades)} are allowed.`,
    example: { shades: 500, status: 422 },
    behind: 'A size check that compares with >= where > is meant.',
    explains: ['contract.batch-max'],
  }),
  'import-truncated': kind<{ readonly sent: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `An import of ${counted(params.sent, 'shade')} is accepted, and only ${number(params.listed)} of them ${verb(params.listed, 'is', 'are')} listed.`,
    example: { sent: 501, listed: 500 },
    behind: 'A batch that is cut to its limit instead of refused.',
    explains: ['contract.batch-over', 'contract.batch-max'],
  }),
  'refused-import-stored': kind<{ readonly status: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `An import that is refused with ${params.status} stores ${counted(params.listed, 'shade')} all the same.`,
    example: { status: 422, listed: 12 },
    behind: 'Rows that are inserted one by one, outside a transaction, before all are validated.',
    explains: ['contract.batch-malformed', 'contract.batch-over', 'contract.catalog', 'contract.shade-count'],
    covers: ['foreign-shades', 'shade-count-wrong'],
  }),
  'sku-stored-twice': kind<{ readonly repeated: number }>({
    area: 'contract',
    text: ({ repeated }) =>
      `A catalog can hold a SKU twice: ${counted(repeated, 'entry of a list repeats', 'entries of lists repeat')} an earlier one.`,
    example: { repeated: 30 },
    behind: 'A table without a unique key over catalog and SKU, or an insert where an upsert is meant.',
    explains: importChecks,
    covers: ['shade-count-wrong', 'sku-counted-twice', 'foreign-shades'],
  }),
  'sku-counted-twice': kind<{ readonly said: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `shade_count counts a SKU twice that one import names twice: it says ${number(params.said)}, and ${counted(params.listed, 'shade')} ${verb(params.listed, 'is', 'are')} listed.`,
    example: { said: 7, listed: 6 },
    behind: 'A count of the entries that an import sends instead of the rows that are stored.',
    explains: ['contract.sku-twice', 'contract.shade-count'],
  }),
  'shade-field-changed': kind<{ readonly field: string; readonly sent: string; readonly got: string }>({
    area: 'contract',
    text: ({ field, got, sent }) => `The ${field} of shades is changed: “${sent}” is listed as “${got}”.`,
    example: { field: 'name', sent: 'Crème brûlée', got: 'CrÃ¨me brÃ»lÃ©e' },
    behind:
      'A column that is too short or of another character set, or a value that is normalised on the way.',
    explains: ['contract.catalog', 'contract.names'],
    about: ({ field }) => field,
  }),
  'shade-field-missing': kind<{ readonly field: string }>({
    area: 'contract',
    text: ({ field }) => `Shades are listed without their ${field}.`,
    example: { field: 'finish' },
    behind: 'A column that is not selected, or a field that the serialiser does not know.',
    explains: [...importChecks, 'contract.answers'],
    about: ({ field }) => field,
    covers: ['answers-malformed'],
  }),
  'shades-missing': kind<{ readonly imported: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `Of ${counted(params.imported, 'imported shade')} ${number(params.listed)} ${verb(params.listed, 'is', 'are')} listed.`,
    example: { imported: 120, listed: 100 },
    behind: 'A list with a page size that nothing announces, or an import that drops entries.',
    explains: importChecks,
    covers: ['shade-count-wrong', 'import-truncated'],
  }),
  'shades-listed-late': kind<{ readonly listed: number; readonly imported: number; readonly lateMs: number }>(
    {
      area: 'contract',
      text: (params) =>
        `New shades are listed late: ${number(params.lateMs)} ms after the import, ${number(params.listed)} of ${number(params.imported)} ${verb(params.listed, 'is', 'are')} listed, and all of them later.`,
      example: { listed: 0, imported: 36, lateMs: 120 },
      behind: 'A list that is read from a replica or a cache, while the import is answered as done.',
      explains: importChecks,
      covers: ['shades-missing', 'import-truncated', 'shade-count-wrong', 'unexpected-status'],
    },
  ),
  'foreign-shades': kind<{ readonly shades: number }>({
    area: 'contract',
    text: ({ shades }) =>
      `Lists show ${counted(shades, 'shade')} that ${verb(shades, 'was', 'were')} not imported into their catalog.`,
    example: { shades: 1 },
    behind: 'A query without the catalog, or shades that an earlier import has left behind.',
    explains: ['contract.catalog', 'contract.batch-max', 'contract.shade-count'],
    covers: ['shade-count-wrong'],
  }),
  'pages-in-a-circle': kind<{ readonly page: number }>({
    area: 'contract',
    text: ({ page }) => `The link to the next page on page ${number(page)} leads back to an earlier page.`,
    example: { page: 2 },
    behind: 'A cursor that is computed from the first entry of a page instead of the last.',
    explains: ['contract.catalog', 'contract.batch-max', 'contract.names'],
    covers: ['sku-stored-twice', 'shades-missing'],
  }),
  'shade-count-wrong': kind<{ readonly said: number; readonly expected: number }>({
    area: 'contract',
    text: ({ expected, said }) =>
      `A new session says shade_count ${number(said)}; its catalog has ${counted(expected, 'shade')}.`,
    example: { said: 35, expected: 36 },
    behind: 'A count that is cached, or taken over another set of rows than the list.',
    explains: ['contract.shade-count', 'contract.sku-twice'],
    covers: ['sku-counted-twice'],
  }),
  'unknown-id-answered': kind<{
    readonly endpoints: readonly string[];
    readonly statuses: readonly number[];
  }>({
    area: 'contract',
    text: ({ endpoints, statuses }) =>
      `An id that does not exist gets ${eitherText(statuses)} instead of 404 at ${requestsText(endpoints)}.`,
    example: { endpoints: ['read-session'], statuses: [200] },
    behind: 'A lookup whose empty result is not checked.',
    explains: ['contract.not-found', 'contract.tenancy'],
  }),
  'unknown-sku-accepted': kind<{ readonly status: number }>({
    area: 'contract',
    text: ({ status }) =>
      `An interaction with a SKU that is in no catalog gets ${status}, and its session’s history shows it.`,
    example: { status: 202 },
    behind:
      'An interaction that is stored without a look at the catalog, or a promise that was never made (profile: channel.unknown_sku).',
    explains: ['contract.acts-unknown-sku', ...selectionChecks],
    covers: ['selections-counted-wrong'],
  }),
  'foreign-token-accepted': kind<{ readonly status: number }>({
    area: 'contract',
    text: ({ status }) =>
      `An interaction with the token of another session gets ${status}, and the history shows it.`,
    example: { status: 202 },
    behind:
      'A token that is checked for being valid and not for whose it is, or a false promise (profile: channel.other_token).',
    explains: ['contract.acts-other-token', ...selectionChecks],
    covers: ['selections-counted-wrong'],
  }),
  'session-disappears': kind<{ readonly reads: number; readonly status: number }>({
    area: 'contract',
    text: ({ reads, status }) =>
      `${counted(reads, 'request')} for sessions that exist ${verb(reads, 'gets', 'get')} ${status}.`,
    example: { reads: 12, status: 404 },
    behind:
      'A replica that is behind, a write that is acknowledged before it is stored, or a cache that evicts sessions.',
    explains: [
      'contract.canary',
      'contract.errors',
      'analytics.sessions',
      'analytics.total-sessions',
      'analytics.avg-shades',
      'analytics.cart-intent',
      'analytics.top-shades',
    ],
    covers: ['interactions-lost', 'sessions-counted-wrong', 'selections-counted-wrong'],
  }),
  'session-id-reused': kind<{ readonly sessions: number }>({
    area: 'contract',
    text: ({ sessions }) =>
      `${counted(sessions, 'session')} ${verb(sessions, 'has', 'have')} the id of an earlier one.`,
    example: { sessions: 2 },
    behind: 'Ids that are made from the time or from too few random bits.',
    explains: ['analytics.sessions', 'analytics.total-sessions'],
    covers: ['sessions-counted-wrong', 'foreign-interactions', 'session-changed'],
  }),
  'session-changed': kind<{ readonly fields: readonly string[] }>({
    area: 'contract',
    text: ({ fields }) => `Sessions read back differ from what was created: ${listed(fields)}.`,
    example: { fields: ['locale'] },
    behind: 'A field that is not stored, is overwritten by a default, or belongs to another row.',
    explains: ['contract.canary', 'analytics.sessions'],
  }),
  'interactions-lost': kind<{ readonly interactions: number }>({
    area: 'contract',
    text: ({ interactions }) =>
      `${counted(interactions, 'acknowledged interaction')} ${verb(interactions, 'is', 'are')} missing from the history.`,
    example: { interactions: 4 },
    behind: 'A queue that drops what it has acknowledged, or a history that is cut to a length.',
    explains: ['contract.acts-at-once', ...selectionChecks],
    covers: ['selections-counted-wrong'],
  }),
  'concurrent-interactions-lost': kind<{ readonly interactions: number }>({
    area: 'contract',
    text: ({ interactions }) =>
      `Of interactions sent to a session at the same time, ${number(interactions)} ${verb(interactions, 'is', 'are')} missing from the history, though acknowledged.`,
    example: { interactions: 4 },
    behind: 'A history that is read, changed and written back without a lock.',
    explains: ['contract.acts-at-once', ...selectionChecks],
    covers: ['interactions-lost', 'selections-counted-wrong'],
  }),
  'repeated-selections-merged': kind<{ readonly interactions: number }>({
    area: 'contract',
    text: ({ interactions }) =>
      `A shade that is selected again in a session is kept once: ${counted(interactions, 'acknowledged interaction')} ${verb(interactions, 'is', 'are')} missing.`,
    example: { interactions: 4 },
    behind: 'A set of shades, or a unique key over session and SKU, in place of a list of events.',
    explains: selectionChecks,
    covers: ['interactions-lost', 'selections-counted-wrong'],
  }),
  'repeated-interaction-stored': kind<{ readonly repeated: number }>({
    area: 'contract',
    text: ({ repeated }) =>
      `An interaction that is sent again is stored again: ${counted(repeated, 'entry', 'entries')} of histories ${verb(repeated, 'repeats', 'repeat')} an id.`,
    example: { repeated: 1 },
    behind:
      'An interaction id that is not used as a key, or a promise that was never made (profile: channel.repeated_id).',
    explains: ['contract.acts-again', ...selectionChecks],
    covers: ['repeats-counted', 'selections-counted-wrong', 'foreign-interactions'],
  }),
  'foreign-interactions': kind<{ readonly interactions: number }>({
    area: 'contract',
    text: ({ interactions }) =>
      `Histories show ${counted(interactions, 'interaction')} that ${verb(interactions, 'its', 'their')} session never made.`,
    example: { interactions: 3 },
    behind: 'A query that joins by another column than the session, or a cache that mixes sessions.',
    explains: selectionChecks,
    covers: ['selections-counted-wrong'],
  }),
  'refused-interaction-stored': kind<{
    readonly interactions: number;
    readonly statuses: readonly number[];
  }>({
    area: 'contract',
    text: ({ interactions, statuses }) =>
      `${counted(interactions, 'interaction')} ${verb(interactions, 'was', 'were')} refused${statuses.length === 0 ? '' : ` with ${eitherText(statuses)}`}, and the history shows ${verb(interactions, 'it', 'them')}.`,
    example: { interactions: 2, statuses: [422] },
    behind: 'A write before the check, without a transaction around both.',
    explains: ['contract.acts-unknown-sku', 'contract.acts-other-token', ...selectionChecks],
    covers: ['selections-counted-wrong'],
  }),
  'interaction-changed': kind<{ readonly what: string; readonly interactions: number }>({
    area: 'contract',
    text: ({ interactions, what }) =>
      `The history shows ${counted(interactions, 'interaction')} with another ${what} than it was sent with.`,
    example: { what: 'type or SKU', interactions: 3 },
    behind: 'A column that is mapped wrong, or an instant without its time zone.',
    explains: selectionChecks,
    about: ({ what }) => what,
    covers: ['selections-counted-wrong'],
  }),
  'history-order-wrong': kind<{ readonly interactions: number }>({
    area: 'analytics',
    text: ({ interactions }) =>
      `Histories keep no one order: ${counted(interactions, 'interaction')} ${verb(interactions, 'stands', 'stand')} neither by arrival nor by instant.`,
    example: { interactions: 8 },
    behind: 'A query without ORDER BY, or rows that are sorted by a column of whole seconds.',
    explains: ['analytics.sessions'],
  }),
  'expiry-not-utc': kind<{ readonly sessions: number }>({
    area: 'contract',
    text: ({ sessions }) => `expires_at of ${counted(sessions, 'session')} is no ISO 8601 instant in UTC.`,
    example: { sessions: 46 },
    behind: 'A date that is formatted in the server’s time zone.',
    explains: ['contract.expiry', 'contract.answers', 'contract.canary'],
    covers: ['answers-malformed'],
  }),
  'expiry-in-the-past': kind<{ readonly sessions: number; readonly agoMs: number }>({
    area: 'contract',
    text: ({ agoMs, sessions }) =>
      `${counted(sessions, 'new session')} ${verb(sessions, 'has', 'have')} an expires_at ${number(Math.round(agoMs / 1e3))} s in the past.`,
    example: { sessions: 46, agoMs: 1_800_000 },
    behind: 'A lifetime that is subtracted, a local time that is written as UTC, or a clock that is wrong.',
    explains: ['contract.expiry'],
  }),
  'answers-malformed': kind<{ readonly endpoint: string; readonly problem: string }>({
    area: 'contract',
    text: ({ endpoint, problem }) =>
      `Answers of ${requestText(endpoint)} do not have the promised form: ${problem}.`,
    example: { endpoint: 'create-session', problem: 'token: expected string, got number' },
    behind: 'A serialiser or a schema of another version.',
    explains: ['contract.answers', 'contract.names', 'contract.canary', 'contract.catalog'],
    about: ({ endpoint }) => endpoint,
  }),
  'success-status-wrong': kind<{ readonly endpoint: string; readonly status: number }>({
    area: 'contract',
    text: ({ endpoint, status }) => `${requestText(endpoint)} answers ${status} where 200 is promised.`,
    example: { endpoint: 'create-session', status: 201 },
    behind: 'The default status of a framework for a POST.',
    explains: ['contract.answers'],
    about: ({ endpoint }) => endpoint,
  }),
  'unexpected-status': kind<{
    readonly endpoint: string;
    readonly status: number;
    readonly requests: number;
  }>({
    area: 'contract',
    text: ({ endpoint, requests, status }) =>
      `${requestText(endpoint)} answers ${counted(requests, 'valid request')} with ${status}.`,
    example: { endpoint: 'create-session', status: 422, requests: 3 },
    behind: 'A validation that is stricter than the interface, or a route that is missing.',
    explains: ['contract.errors'],
    about: ({ endpoint, status }) => `${endpoint} ${status}`,
  }),
  'server-errors': kind<{ readonly errors: number; readonly endpoints: readonly string[] }>({
    area: 'contract',
    text: ({ endpoints, errors }) =>
      `The target answers ${counted(errors, 'request')} with 5xx at ${requestsText(endpoints)}.`,
    example: { errors: 14, endpoints: ['list-shades'] },
    behind: 'An exception that nothing handles, or a pool of connections that runs empty.',
    explains: ['contract.availability', 'contract.errors', 'contract.answers'],
  }),
  'requests-unanswered': kind<{
    readonly requests: number;
    readonly of: number;
    readonly how: readonly string[];
  }>({
    area: 'contract',
    text: ({ how, of, requests }) =>
      `${number(requests)} of ${counted(of, 'request')} ${verb(requests, 'gets', 'get')} no answer: ${listed(how)}.`,
    example: { requests: 40, of: 400, how: ['timed out'] },
    behind: 'A process that stops or restarts, or a queue in front of it that is full.',
    explains: ['contract.availability'],
  }),
} as const;
