import { counted, listed, number } from '../../../amounts.ts';
import { kind } from '../kind.ts';

/** Causes in how keys, catalogs, imports, sessions and interactions are handled. */
export const contractCauses = {
  'key-not-checked': kind<{
    readonly sent: string;
    readonly endpoints: readonly string[];
    readonly status: number;
  }>({
    area: 'contract',
    text: ({ endpoints, sent, status }) =>
      `Requests with ${sent} get ${status} instead of 401 at ${listed(endpoints)}.`,
    example: { sent: 'no key', endpoints: ['GET /analytics/sessions'], status: 200 },
    behind: 'A route that is registered before, or outside of, the authentication middleware.',
    explains: ['contract.auth', 'contract.near-keys', 'contract.auth-under-load'],
    about: ({ sent, status }) => `${sent} ${status >= 500 ? 'error' : ''}`,
  }),
  'key-compared-loosely': kind<{ readonly accepted: readonly string[] }>({
    area: 'contract',
    text: ({ accepted }) => `Keys that only resemble a valid key are accepted: ${listed(accepted)}.`,
    example: { accepted: ['one character short'] },
    behind: 'A comparison by prefix, or without regard to case, instead of the whole key.',
    explains: ['contract.near-keys'],
  }),
  'key-not-checked-under-load': kind<{ readonly accepted: number }>({
    area: 'contract',
    text: ({ accepted }) =>
      `Under load ${counted(accepted, 'request')} with a key that was never issued ${accepted === 1 ? 'is' : 'are'} accepted.`,
    example: { accepted: 3 },
    behind: 'Authentication that fails open when its store is slow or out of connections.',
    explains: ['contract.auth-under-load'],
  }),
  'accounts-not-separate': kind<{ readonly what: readonly string[] }>({
    area: 'contract',
    text: ({ what }) => `One account can read another account’s ${listed(what)}.`,
    example: { what: ['sessions'] },
    behind: 'A lookup by id that does not filter by the account of the key.',
    explains: ['contract.tenancy'],
  }),
  'import-limit-not-enforced': kind<{ readonly shades: number; readonly limit: number }>({
    area: 'contract',
    text: ({ limit, shades }) =>
      `An import of ${number(shades)} shades is accepted; the limit is ${number(limit)}.`,
    example: { shades: 501, limit: 500 },
    behind: 'A size check that is missing, or compares with > where >= is meant.',
    explains: ['contract.batch-over'],
  }),
  'import-limit-too-low': kind<{ readonly shades: number; readonly status: number }>({
    area: 'contract',
    text: ({ shades, status }) =>
      `An import of ${number(shades)} shades gets ${status}, although ${number(shades)} are allowed.`,
    example: { shades: 500, status: 422 },
    behind: 'A size check that compares with >= where > is meant.',
    explains: ['contract.batch-max'],
  }),
  'import-truncated': kind<{ readonly sent: number; readonly listed: number }>({
    area: 'contract',
    text: (params) =>
      `An import of ${number(params.sent)} shades is accepted, and only ${number(params.listed)} of them are listed.`,
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
  }),
  'sku-stored-twice': kind<{ readonly repeated: number }>({
    area: 'contract',
    text: ({ repeated }) =>
      `A SKU can be in a catalog twice: ${counted(repeated, 'entry of a list', 'entries of lists')} ${repeated === 1 ? 'repeats' : 'repeat'} an earlier one.`,
    example: { repeated: 30 },
    behind: 'A table without a unique key over catalog and SKU, or an insert where an upsert is meant.',
    explains: ['contract.sku-twice', 'contract.import-again', 'contract.catalog', 'contract.shade-count'],
  }),
  'shade-field-changed': kind<{ readonly field: string; readonly sent: string; readonly got: string }>({
    area: 'contract',
    text: ({ field, got, sent }) => `Shades lose part of their ${field}: “${sent}” is listed as “${got}”.`,
    example: { field: 'name', sent: 'Crème brûlée', got: 'Cr?me br?l?e' },
    behind:
      'A column that is too short or of another character set, or a value that is normalised on the way.',
    explains: ['contract.catalog'],
    about: ({ field }) => field,
  }),
  'shades-missing': kind<{ readonly imported: number; readonly listed: number }>({
    area: 'contract',
    text: (params) => `Of ${number(params.imported)} imported shades ${number(params.listed)} are listed.`,
    example: { imported: 120, listed: 100 },
    behind: 'A list with a page size that nothing announces, or an import that drops entries.',
    explains: ['contract.catalog', 'contract.batch-max'],
  }),
  'shade-count-wrong': kind<{ readonly said: number; readonly expected: number }>({
    area: 'contract',
    text: ({ expected, said }) =>
      `A new session says shade_count ${number(said)}; its catalog has ${counted(expected, 'shade')}.`,
    example: { said: 35, expected: 36 },
    behind: 'A count that is cached, or taken over another set of rows than the list.',
    explains: ['contract.shade-count'],
  }),
  'unknown-session-accepted': kind<{ readonly status: number }>({
    area: 'contract',
    text: ({ status }) => `A session that does not exist gets ${status} instead of 404.`,
    example: { status: 200 },
    behind: 'A lookup whose empty result is not checked.',
    explains: ['contract.not-found'],
  }),
  'unknown-sku-accepted': kind<{ readonly status: number }>({
    area: 'contract',
    text: ({ status }) => `An interaction with a SKU that is in no catalog gets ${status} instead of a 4xx.`,
    example: { status: 202 },
    behind: 'An interaction that is stored without a look at the catalog of its session.',
    explains: ['contract.acts-unknown-sku'],
  }),
  'session-disappears': kind<{ readonly sessions: number; readonly status: number }>({
    area: 'contract',
    text: ({ sessions, status }) =>
      `${counted(sessions, 'session')} ${sessions === 1 ? 'was' : 'were'} granted and later got ${status}.`,
    example: { sessions: 3, status: 404 },
    behind:
      'A write that is acknowledged before it is stored, or a cache that evicts what is not stored elsewhere.',
    explains: ['contract.canary', 'contract.not-found', 'analytics.sessions', 'analytics.total-sessions'],
    covers: ['interactions-lost', 'sessions-counted-wrong'],
  }),
  'interactions-lost': kind<{ readonly interactions: number; readonly at: string }>({
    area: 'contract',
    text: ({ at, interactions }) =>
      `${counted(interactions, 'acknowledged interaction')} ${interactions === 1 ? 'is' : 'are'} missing from the history${at === '' ? '' : ` (${at})`}.`,
    example: { interactions: 4, at: 'sent at the same time' },
    behind: 'A read, a change and a write without a lock, or events that are merged by their time.',
    explains: [
      'analytics.sessions',
      'contract.acts-at-once',
      'analytics.avg-shades',
      'analytics.top-shades',
      'analytics.cart-intent',
    ],
    about: ({ at }) => at,
    covers: ['selections-counted-wrong'],
  }),
  'repeated-interaction-stored': kind<{ readonly repeated: number }>({
    area: 'contract',
    text: ({ repeated }) => `An interaction that is sent again is stored again: ${number(repeated)} times.`,
    example: { repeated: 1 },
    behind: 'An interaction id that is not used as a key, so that a retry counts twice.',
    explains: ['contract.acts-again', 'analytics.sessions', 'analytics.top-shades', 'analytics.avg-shades'],
    covers: ['repeats-counted', 'selections-counted-wrong'],
  }),
  'history-order-wrong': kind<{ readonly sessions: number }>({
    area: 'analytics',
    text: ({ sessions }) =>
      `The history of ${counted(sessions, 'session')} keeps neither the order of arrival nor that of the instants.`,
    example: { sessions: 8 },
    behind: 'A query without ORDER BY, or rows that are sorted by a column of whole seconds.',
    explains: ['analytics.sessions'],
  }),
  'expiry-wrong': kind<{ readonly got: string }>({
    area: 'contract',
    text: ({ got }) => `expires_at is no instant in UTC: “${got}”.`,
    example: { got: '2026-01-02 10:00:00' },
    behind: 'A date that is formatted in the server’s time zone.',
    explains: ['contract.expiry', 'contract.answers'],
  }),
  'expired-token-accepted': kind<{ readonly status: number }>({
    area: 'contract',
    text: ({ status }) => `The token of a session that has expired gets ${status}.`,
    example: { status: 202 },
    behind: 'A token that is looked up without a look at its expiry.',
    explains: ['contract.expiry'],
  }),
  'foreign-token-accepted': kind<{ readonly status: number }>({
    area: 'contract',
    text: ({ status }) => `The token of one session works for another session: it gets ${status}.`,
    example: { status: 202 },
    behind: 'A token that is checked for being valid, and not for whose it is.',
    explains: ['contract.acts-other-token'],
  }),
  'answers-malformed': kind<{ readonly endpoint: string; readonly problem: string }>({
    area: 'contract',
    text: ({ endpoint, problem }) => `Answers of ${endpoint} do not have the interface’s form: ${problem}.`,
    example: { endpoint: 'POST /sessions', problem: 'token: expected string, got number' },
    behind: 'A serialiser or a schema of another version.',
    explains: ['contract.answers', 'contract.names', 'contract.errors'],
    about: ({ endpoint }) => endpoint,
  }),
  'server-errors': kind<{ readonly errors: number; readonly endpoints: readonly string[] }>({
    area: 'contract',
    text: ({ endpoints, errors }) =>
      `The target answers ${counted(errors, 'request')} with 5xx at ${listed(endpoints)}.`,
    example: { errors: 14, endpoints: ['GET /shades'] },
    behind: 'An exception that nothing handles, or a pool of connections that runs empty.',
    explains: ['contract.availability', 'contract.errors', 'contract.answers'],
  }),
} as const;
