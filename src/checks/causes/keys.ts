import { counted, listed, number } from '../../amounts.ts';
import { eitherText, requestsText } from '../reasons/words/requests.ts';
import { figures, relations } from './explained.ts';
import { kind } from './kind.ts';

/** Requests that should have got 401. */
interface WrongKeys {
  /** Completes “Requests …”. */
  readonly sent: readonly string[];
  readonly endpoints: readonly string[];
  readonly statuses: readonly number[];
  readonly [name: string]: readonly string[] | readonly number[];
}

const wrongKeys = {
  explains: ['contract.auth', 'contract.near-keys', 'contract.auth-under-load'],
  about: ({ sent }: WrongKeys) => eitherText(sent),
} as const;

/** “Requests without a key get 200 instead of 401 at every endpoint.” */
function wrongKeysText({ endpoints, sent, statuses }: WrongKeys): string {
  return `Requests ${eitherText(sent.slice(0, 2))} get ${eitherText(statuses)} instead of 401 at ${requestsText(endpoints)}.`;
}

/** Causes in how keys are checked and accounts kept apart. */
export const keyCauses = {
  'key-not-checked': kind<WrongKeys>({
    ...wrongKeys,
    text: wrongKeysText,
    behind: 'A route that is registered before, or outside of, the authentication middleware.',
    covers: ['key-compared-loosely', 'key-not-checked-under-load'],
  }),
  'key-check-crashes': kind<WrongKeys>({
    ...wrongKeys,
    text: wrongKeysText,
    behind: 'An exception in the lookup of the key that nothing handles.',
    // Under load, a 5xx passes.
    explains: ['contract.auth', 'contract.near-keys'],
    covers: ['key-check-crashes'],
  }),
  'key-refused-otherwise': kind<WrongKeys>({
    ...wrongKeys,
    text: wrongKeysText,
    behind: 'The default status of a framework or a gateway for credentials that are missing or wrong.',
    covers: ['key-refused-otherwise'],
  }),
  'key-compared-loosely': kind<{ readonly accepted: readonly string[] }>({
    text: ({ accepted }) => `Altered forms of a valid key are accepted: ${listed(accepted, 3)}.`,
    behind: 'A comparison by prefix, or without regard to case, instead of the whole key.',
    explains: ['contract.near-keys'],
  }),
  'key-not-checked-under-load': kind<{ readonly accepted: number }>({
    text: ({ accepted }) =>
      `Under load, the target accepts ${counted(accepted, 'request')} with an unknown key.`,
    behind: 'Authentication that fails open when its store is slow or out of connections.',
    explains: ['contract.auth-under-load'],
  }),
  'valid-key-refused': kind<{
    readonly requests: number;
    readonly of: number;
    /** Whether the key was never accepted again. */
    readonly lasts: boolean;
  }>({
    text: ({ lasts, of, requests }) =>
      lasts
        ? `A valid key is accepted at first, and then gets 401: ${number(requests)} of ${counted(of, 'answer')}.`
        : `A valid key gets 401 now and then: ${number(requests)} of ${counted(of, 'answer')}.`,
    behind:
      'A cache of keys that is empty or expires, a result of the check that another request uses, or a node without the key.',
    explains: ['contract.errors', 'contract.not-found', 'contract.catalog', 'contract.tenancy'],
    covers: ['unexpected-status', 'unknown-id-answered'],
  }),
  'key-of-connection': kind({
    text: 'The key of an earlier request on a connection holds for later ones: over a new connection, the target answers rightly.',
    behind: 'An identity that is kept with the connection, or a proxy that shares connections among clients.',
    explains: ['contract.auth', 'contract.near-keys', 'contract.tenancy', ...figures, ...relations],
    covers: [
      'key-not-checked',
      'key-compared-loosely',
      'accounts-not-separate',
      'analytics-pool-accounts',
      'sessions-counted-wrong',
      'selections-counted-wrong',
    ],
  }),
  'accounts-not-separate': kind<{ readonly what: readonly string[] }>({
    text: ({ what }) => `One account can read another account’s ${what.join(' and ')}.`,
    behind: 'A lookup by id that does not filter by the account of the key.',
    explains: ['contract.tenancy'],
  }),
  'foreign-import-stored': kind({
    text: 'One account can change another account’s catalog.',
    behind: 'An import that looks up the catalog by its id, without the account of the key.',
    explains: ['contract.tenancy'],
  }),
  'foreign-session-refused-otherwise': kind<{ readonly status: number }>({
    text: ({ status }) => `A session of another account gets ${status} instead of 404.`,
    behind: 'A separate check of the owner, which tells callers that the id exists.',
    explains: ['contract.tenancy'],
  }),
} as const;
