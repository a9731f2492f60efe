import { counted, listed, number, verb } from '../../amounts.ts';
import { kind } from './kind.ts';

const importChecks = [
  'contract.catalog',
  'contract.names',
  'contract.batch-max',
  'contract.import-again',
  'contract.import-update',
  'contract.imports-at-once',
  'contract.lists-agree',
  'contract.sku-twice',
  'contract.shade-count',
] as const;

const shadeWords = { sku: 'SKU', name: 'name', hex: 'colour', finish: 'finish' } as const;

/** Causes in how imports are stored and catalogs listed. */
export const catalogCauses = {
  'import-limit-not-enforced': kind<{ readonly shades: number; readonly limit: number }>({
    text: ({ limit, shades }) =>
      `An import of ${counted(shades, 'shade')} is accepted; the limit is ${number(limit)}.`,
    behind: 'A size check that is missing, or that compares with another number than the limit.',
    explains: ['contract.batch-over'],
  }),
  'import-limit-too-low': kind<{ readonly shades: number; readonly status: number }>({
    text: ({ shades, status }) =>
      `An import of ${counted(shades, 'shade')}, which the interface allows, gets ${status}.`,
    behind: 'A size check that compares with a lower limit, or with >= where > is meant.',
    explains: ['contract.batch-max'],
  }),
  'import-truncated': kind<{ readonly sent: number; readonly listed: number }>({
    text: (params) =>
      `An import of ${counted(params.sent, 'shade')} is accepted, and the list shows only ${number(params.listed)}.`,
    behind: 'An import that is cut to the limit instead of rejected.',
    explains: ['contract.batch-over', 'contract.batch-max'],
  }),
  'refused-import-stored': kind<{ readonly status: number; readonly listed: number }>({
    text: (params) =>
      `An import that gets ${params.status} stores ${counted(params.listed, 'shade')} nevertheless.`,
    behind: 'Rows that are inserted one by one, outside a transaction, before all are validated.',
    explains: [
      'contract.batch-malformed',
      'contract.malformed-requests',
      'contract.batch-over',
      'contract.catalog',
      'contract.shade-count',
    ],
    covers: ['foreign-shades', 'shade-count-wrong'],
  }),
  'refused-import-leaves-catalog': kind<{ readonly status: number }>({
    text: ({ status }) =>
      `An import that gets ${status} creates its catalog nevertheless: its list is empty, where that of an unknown catalog gets 404.`,
    behind: 'A catalog that is created before the shades are validated, outside their transaction.',
    explains: ['contract.batch-over', 'contract.batch-malformed'],
  }),
  'empty-import-removes': kind<{ readonly gone: number }>({
    text: ({ gone }) => `An import of no shades removes ${counted(gone, 'shade')} from its catalog.`,
    behind: 'An import that first deletes what the catalog has.',
    explains: importChecks,
    covers: ['shades-missing', 'shade-count-wrong'],
  }),
  'sku-stored-twice': kind<{ readonly repeated: number }>({
    text: ({ repeated }) =>
      `A catalog can hold a SKU twice: ${counted(repeated, 'list entry repeats', 'list entries repeat')} an earlier one.`,
    behind: 'A table without a unique key over catalog and SKU, or an insert where an upsert is meant.',
    explains: importChecks,
    covers: [
      'shade-count-wrong',
      'sku-counted-twice',
      'foreign-shades',
      'lists-differ',
      'import-applied-in-part',
    ],
  }),
  'sku-counted-twice': kind<{ readonly said: number; readonly listed: number }>({
    text: (params) =>
      `A SKU that an import names twice counts twice: \`shade_count\` is ${number(params.said)}, and the list has ${counted(params.listed, 'shade')}.`,
    behind: 'A count of the entries that an import sends instead of the rows that are stored.',
    explains: ['contract.sku-twice', 'contract.shade-count'],
  }),
  'shade-field-changed': kind<{ readonly field: string; readonly sent: string; readonly got: string }>({
    text: ({ field, got, sent }) => `The ${field} of shades is changed: “${sent}” is listed as “${got}”.`,
    behind:
      'A column that is too short or of another character set, or a value that is normalised on the way.',
    explains: ['contract.catalog', 'contract.names', 'contract.import-update'],
    about: ({ field }) => field,
    alsoCovers: ({ field }) =>
      field === 'sku' ? ['shades-missing', 'foreign-shades', 'shades-alike-missing'] : [],
  }),
  'text-cut': kind<{
    readonly field: string;
    readonly values: number;
    readonly characters: number;
    readonly bytes: number;
  }>({
    text: ({ bytes, characters, field }) =>
      `Long texts are cut: the ${field} of a shade is listed with at most ${counted(characters, 'character')} (${counted(bytes, 'byte')}).`,
    behind: 'A column or a buffer with a fixed length, and a text that is cut to it instead of rejected.',
    explains: ['contract.catalog', 'contract.names', 'contract.shade-count'],
    about: ({ field }) => field,
    covers: ['shade-field-changed', 'shades-missing', 'foreign-shades'],
  }),
  'catalogs-merged': kind<{ readonly catalogs: readonly string[]; readonly shades: number }>({
    text: ({ catalogs }) => `Catalogs whose ids differ in case only are treated as one: ${listed(catalogs)}.`,
    behind: 'A column whose collation ignores case, or ids that are converted to one case.',
    explains: importChecks,
    covers: [
      'foreign-shades',
      'shades-missing',
      'shade-field-changed',
      'shade-count-wrong',
      'sku-stored-twice',
    ],
  }),
  'skus-merged': kind<{ readonly skus: readonly string[]; readonly listed: string }>({
    text: ({ skus }) => `SKUs that differ in case only are treated as one: ${listed(skus)}.`,
    behind: 'A column whose collation ignores case, or SKUs that are converted to one case.',
    explains: [...importChecks, 'analytics.sessions', 'analytics.top-shades', 'analytics.avg-shades'],
    covers: [
      'shades-missing',
      'foreign-shades',
      'sku-stored-twice',
      'shade-field-changed',
      'shade-count-wrong',
    ],
  }),
  'shade-field-missing': kind<{ readonly field: string }>({
    text: ({ field }) => `Shades are listed without their ${field}.`,
    behind: 'A column that is not selected, or a field that the serialiser does not know.',
    explains: [...importChecks, 'contract.answers'],
    about: ({ field }) => field,
    covers: ['answers-malformed'],
  }),
  'shades-missing': kind<{ readonly imported: number; readonly listed: number }>({
    text: (params) =>
      `Of ${counted(params.imported, 'imported shade')}, the list shows ${number(params.listed)}.`,
    behind: 'A list with a page size that nothing announces, or an import that drops entries.',
    explains: importChecks,
    covers: ['shade-count-wrong', 'import-truncated'],
  }),
  'shades-alike-missing': kind<{
    readonly missing: number;
    readonly others: number;
    readonly field: 'sku' | 'name' | 'hex' | 'finish';
    /** A class of values, or that another shade has the same. */
    readonly of: string;
  }>({
    text: ({ field, missing, of, others }) =>
      of === 'repeated'
        ? `Shades with the ${shadeWords[field]} of another one are missing: ${number(missing)} of ${number(missing + others)}.`
        : `Shades with a ${shadeWords[field]} of the class ${of} are missing: ${number(missing)}, and none of ${counted(others, 'other')}.`,
    behind:
      'A unique key over a field that may repeat, or a value that is converted, cut or escaped on the way.',
    explains: importChecks,
    covers: ['shades-missing', 'shade-count-wrong', 'foreign-shades', 'import-applied-in-part'],
    about: ({ field, of }) => `${field} ${of}`,
  }),
  'shades-listed-late': kind<{ readonly listed: number; readonly imported: number; readonly lateMs: number }>(
    {
      text: (params) =>
        `New shades are listed late: ${number(params.lateMs)} ms after the import, the list shows ${number(params.listed)} of ${number(params.imported)}, and later all.`,
      behind: 'A list that is read from a replica or a cache, while the import is answered as done.',
      explains: importChecks,
      covers: [
        'shades-missing',
        'import-truncated',
        'shade-count-wrong',
        'unexpected-status',
        'lists-differ',
        'concurrent-imports-lost',
      ],
    },
  ),
  'foreign-shades': kind<{ readonly shades: number }>({
    text: ({ shades }) =>
      `Lists show ${counted(shades, 'shade')} that ${verb(shades, 'was', 'were')} not imported into their catalog.`,
    behind: 'A query without the catalog, or shades that an earlier import has left behind.',
    explains: ['contract.catalog', 'contract.batch-max', 'contract.shade-count'],
    covers: ['shade-count-wrong'],
  }),
  'pages-in-a-circle': kind<{ readonly page: number }>({
    text: ({ page }) => `On page ${number(page)}, the link to the next page leads back to an earlier page.`,
    behind: 'A cursor that is computed from the first entry of a page instead of the last.',
    explains: ['contract.catalog', 'contract.batch-max', 'contract.names'],
    covers: ['sku-stored-twice', 'shades-missing'],
  }),
  'import-applied-in-part': kind<{ readonly changed: number; readonly of: number }>({
    text: ({ changed, of }) =>
      `An import of SKUs that exist changes them in part: ${number(changed)} of ${counted(of, 'shade')}.`,
    behind: 'An update that forgets a column, or that reaches the first page or the first chunk only.',
    explains: ['contract.import-update', 'contract.catalog'],
    covers: ['lists-differ'],
  }),
  'large-import-replaces': kind<{ readonly shades: number; readonly removed: number }>({
    text: ({ removed, shades }) =>
      `An import of ${counted(shades, 'shade')} removes those that the catalog has (${number(removed)}); a small one keeps them.`,
    behind: 'A bulk path for large imports that empties the catalog first.',
    explains: ['contract.import-update', 'contract.lists-agree', 'contract.catalog'],
    covers: ['shades-missing', 'lists-differ', 'shade-count-wrong'],
  }),
  'absence-remembered': kind({
    text: 'A catalog that was asked for before its import stays unknown after it.',
    behind: 'A cache that also keeps 404, and that an import does not clear.',
    explains: ['contract.import-again', 'contract.sku-twice'],
    covers: ['shades-missing', 'lists-differ'],
  }),
  'lists-differ': kind<{ readonly lists: number }>({
    text: ({ lists }) =>
      `Lists of one catalog differ without an import between them, or lack an accepted import: ${counted(lists, 'list')}.`,
    behind:
      'A cache in each process or connection, a replica that is behind, or an import that changes or evicts another catalog.',
    explains: [
      'contract.lists-agree',
      'contract.import-update',
      'contract.imports-at-once',
      'contract.catalog',
    ],
    covers: ['concurrent-imports-lost', 'shade-count-wrong', 'shades-missing'],
  }),
  'concurrent-imports-lost': kind<{ readonly shades: number }>({
    text: ({ shades }) =>
      `Imports that arrive at the same time get lost: the list lacks ${counted(shades, 'accepted shade')}.`,
    behind: 'A catalog that is read, changed and written back as a whole, without a lock.',
    explains: ['contract.imports-at-once', 'contract.lists-agree'],
  }),
  'shade-count-wrong': kind<{ readonly said: number; readonly expected: number }>({
    text: ({ expected, said }) =>
      `A new session has \`shade_count\` ${number(said)}; its catalog has ${counted(expected, 'shade')}.`,
    behind: 'A count that is cached, or taken over another set of rows than the list.',
    explains: ['contract.shade-count', 'contract.sku-twice', 'contract.import-update'],
    covers: ['sku-counted-twice'],
  }),
} as const;
