import { counted, number } from '../../amounts.ts';
import { kind } from './kind.ts';

/** Causes in how keys are checked and accounts kept apart. */
export const keyCauses = {
  'key-not-checked-under-load': kind<{ readonly accepted: number }>({
    text: ({ accepted }) =>
      `Under load, the target accepts ${counted(accepted, 'request')} with an unknown key.`,
    behind: 'Authentication that fails open when its store is slow or out of connections.',
    explains: ['contract.auth-under-load'],
    covers: ['key-compared-loosely', 'key-not-checked'],
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
        : `A valid key gets 401 ${requests === 1 ? 'once' : 'now and then'}: ${number(requests)} of ${counted(of, 'answer')}.`,
    behind:
      'A cache of keys that is empty or expires, a result of the check that another request uses, or a node without the key.',
    explains: ['contract.errors', 'contract.not-found', 'contract.catalog', 'contract.tenancy'],
    covers: ['unexpected-status', 'unknown-id-answered'],
  }),
  'accounts-not-separate': kind<{ readonly what: readonly string[] }>({
    text: ({ what }) => `One account can read another account’s ${what.join(' and ')}.`,
    behind: 'A lookup by id that does not filter by the account of the key.',
    explains: ['contract.tenancy'],
  }),
} as const;

/** Causes in how catalogs are listed and counted under load; what single calls show is explained by rows of the model. */
export const catalogCauses = {
  'lists-differ': kind<{ readonly lists: number }>({
    text: ({ lists }) =>
      `Lists of one catalog differ without an import between them, or lack an accepted import: ${counted(lists, 'list')}.`,
    behind:
      'A cache in each process or connection, a replica that is behind, or an import that changes or evicts another catalog.',
    explains: ['contract.lists-agree', 'contract.catalog'],
    covers: ['shade-count-wrong'],
  }),
  'shade-count-wrong': kind<{ readonly said: number; readonly expected: number }>({
    text: ({ expected, said }) =>
      `A new session has \`shade_count\` ${number(said)}; its catalog has ${counted(expected, 'shade')}.`,
    behind: 'A count that is cached, or taken over another set of rows than the list.',
    explains: ['contract.shade-count', 'contract.sku-twice', 'contract.import-update'],
    covers: ['sku-counted-twice'],
  }),
} as const;
