import { readFile } from 'node:fs/promises';
import type { ProfileInput } from '../../src/target/profile.ts';
import type { Role } from '../../src/vocabulary/roles.ts';
import type { ForeignChoices } from './foreign-service.ts';

/** An honest deployment in one of the ways that the interface leaves open, and what its user tells the harness about it. */
export interface Configuration {
  readonly sentence: string;
  readonly choices: ForeignChoices;
  readonly profile?: ProfileInput;
  /** Roles a key is given for; by default all but `twin`. */
  readonly roles?: readonly Role[];
  /** Whether `npm test` tries it, and not `npm run test:long` alone. */
  readonly isShort?: true;
}

const fixture = (name: string): URL => new URL(`./fixtures/${name}`, import.meta.url);
const certificate = await readFile(fixture('self-signed.cert.pem'), 'utf8');
const tls = { key: await readFile(fixture('self-signed.key.pem'), 'utf8'), cert: certificate };

/** Ids may hold any character, and be long. */
export const oddId = (count: number): string => `é/ü %+?#&"'<>,;=\\ ${count} ${'x'.repeat(200)}`;

const otherNames = { list: 'events', id: 'uuid', type: 'kind', sku: 'shade', at: 'when' };
const everyRole: readonly Role[] = ['load', 'quota', 'twin', 'bystander'];

/** Each choice stands in at least one row, and most stand in rows with different others. */
export const honestConfigurations: readonly Configuration[] = [
  { sentence: 'is plain, and answers as briefly as the interface allows', choices: {} },
  {
    sentence:
      'wraps shades in {"shades": []}, answers 201 to an import, errors with text, names its limits X-RateLimit, and has a clock 400 ms fast',
    choices: {
      shades: 'shades',
      importStatus: 201,
      errorBody: 'text',
      limitHeaders: 'x-ratelimit',
      clockOffsetMs: 400,
    },
  },
  {
    sentence:
      'wraps shades in {"items": []}, answers 202 to an import with nothing, errors with nothing, limits with a token bucket, and closes connections that are idle for 1 s',
    choices: {
      shades: 'items',
      importStatus: 202,
      importBody: 'empty',
      errorBody: 'empty',
      limiter: 'token-bucket',
      idleMs: 1_000,
    },
  },
  {
    sentence:
      'errors with HTML, has the headers of draft 10, limits by a window fixed to the wall clock, and has a clock 400 ms slow',
    choices: { errorBody: 'html', limitHeaders: 'draft-10', limiter: 'fixed-window', clockOffsetMs: -400 },
  },
  {
    sentence:
      'has extra fields in every object, session ids of 200 characters with slashes, quotes, accents and spaces, lists in pages that a Link header names, and speaks TLS with a certificate of an authority that the profile names',
    choices: { extraFields: true, sessionId: oddId, pages: { size: 100, by: 'link' }, tls },
    profile: { tls: { ca_file: fixture('self-signed.cert.pem').pathname }, connections: 16 },
  },
  {
    sentence:
      'limits with a sliding counter, orders ties in top_shades backwards, lists 25 of them, gives averages with all their digits, and lists in pages with a cursor',
    choices: {
      limiter: 'sliding-counter',
      ties: 'sku-descending',
      topShades: 25,
      decimals: undefined,
      pages: { size: 40, by: 'cursor' },
    },
  },
  {
    sentence:
      'orders ties as they came, lists 3 shades, counts repeated selections, rounds to 2 decimals, takes 40 ms for every answer, and adds up to 2 s to Retry-After',
    choices: {
      ties: 'first-selected',
      topShades: 3,
      decimals: 2,
      average: 'selections',
      delayMs: 40,
      retryAfter: 'jitter',
    },
  },
  {
    sentence: 'shows in analytics what happened until 2 s ago, within the freshness of its profile',
    choices: { analyticsLagMs: 2_000 },
    profile: { analytics: { freshness: '3s', exclusive: true } },
  },
  {
    sentence:
      'calls the fields of a history by other names, which its profile gives, and closes the connection after every answer',
    choices: { history: otherNames, keepAlive: false },
    profile: { session_history: otherNames },
  },
  {
    sentence:
      'speaks TLS with a certificate that the profile says not to verify, and advises Retry-After in whole seconds',
    choices: { tls, retryAfter: 'honest' },
    profile: { tls: { reject_unauthorized: false }, connections: 16 },
  },
  {
    sentence: 'takes one event in a request, under names of its own, and promises what becomes of odd ones',
    choices: { oneEvent: true, interactionsCount: true },
    profile: {
      channel: {
        path: '/sessions/{session_id}/interactions',
        most_events: 1,
        body: { uid: '{id}', event: '{type}', item: '{sku}', time: '{at}' },
        malformed: 'refused',
        repeated_id: 'once',
      },
    },
  },
  {
    sentence:
      'counts interactions against a fixed window, orders histories by the instants of the events, and has a twin key of the same account',
    choices: {
      interactionsCount: true,
      limiter: 'fixed-window',
      historyOrder: 'at',
      accounts: { twin: 'quota' },
      retryAfter: 'honest',
    },
    profile: { quota: { sessions: 15, fresh: true, twin: 'same-account' } },
    roles: everyRole,
    isShort: true,
  },
  {
    sentence:
      'counts interactions against a token bucket, as the profile says, and lists histories newest first',
    choices: { interactionsCount: true, limiter: 'token-bucket', historyOrder: 'at-descending' },
    profile: { channel: { counts_against_rate_limit: true } },
    roles: everyRole,
  },
  {
    sentence:
      'counts interactions against a sliding log, and the profile tells path and auth of the channel alone',
    choices: { interactionsCount: true, limiter: 'sliding-log', idleMs: 1_000 },
    profile: {
      channel: { path: '/sessions/{session_id}/interactions', auth: 'session-token' },
      data_scope: 'per-key',
    },
  },
  {
    sentence:
      'puts malformed imports and sessions right instead of rejecting them, and rejects malformed events, as its profile says',
    choices: { strictness: 'lenient' },
    profile: {
      channel: {
        path: '/sessions/{session_id}/interactions',
        auth: 'session-token',
        malformed: 'refused',
      },
    },
  },
  {
    sentence: 'has one account for the load and the bystander key, and one for the quota and the twin key',
    choices: { accounts: { bystander: 'load', twin: 'quota' }, historyOrder: 'at' },
    roles: everyRole,
  },
  {
    sentence:
      'has a twin key of another account, which the profile says, pages with a cursor, and closes connections that are idle for 0.4 s',
    choices: {
      pages: { size: 200, by: 'cursor' },
      idleMs: 400,
      retryAfter: 'jitter',
      limiter: 'fixed-window',
    },
    profile: { quota: { sessions: 15, fresh: true, twin: 'other-account' }, data_scope: 'per-key' },
    roles: everyRole,
  },
];
