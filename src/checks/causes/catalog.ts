import { counted, number } from '../../amounts.ts';
import { kind } from './kind.ts';

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
